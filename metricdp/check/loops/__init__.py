"""Loops: the recurrence of one round, solved; what all rounds spend."""
