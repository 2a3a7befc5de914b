"""Columns: functions of rows as plain Python and NumPy compute them, bit for bit alike."""
