"""run: what was checked, executed: exact values, data guards, noise, releases."""
