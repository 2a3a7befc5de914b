"""Families: how a mechanism is drawn, and what its law is; one object, one file each.

Events, draws and releases carry the object, so nothing is looked up by a name.  `family` has what
every one answers; `added`, `chosen`, `answered` and `recorded` the four ways of drawing.
"""
