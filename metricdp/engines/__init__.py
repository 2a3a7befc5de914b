"""Tables whose rows stay where they are: files and databases that answer for them.

A row is said in the columnar language, as everywhere; here its operators are written in SQL, and an
engine returns exact integers, the same that arrays give.  What has no form in SQL is refused before
anything is read.
"""
