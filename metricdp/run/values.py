"""The exact values of `metricdp.values`, under their former name."""

from metricdp.values import *  # noqa: F403
