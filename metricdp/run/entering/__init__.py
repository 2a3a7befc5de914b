"""Data of every source as columns: lists, arrays, data frames, Arrow, and iterators of chunks.

A column that was read is a list of cells of our own, an array, an array in parts, texts, or one of
these with gaps.  Nothing is checked or cleaned here but what a library says of its own column.
"""
