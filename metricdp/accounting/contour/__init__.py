"""contour: compositions summed on a tilted line, in balls of python-flint."""
