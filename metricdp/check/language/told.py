"""Which code reads private values, or runs where private data decide: what its errors may say.

The text of an error is made from what the failing operation was given.  A run may show it, with its
line, where every reading of the check found public and released values alone and no private
condition around them.  What was found once stays, also of readings that were taken back: a state of
a loop is public in its first reading and private in the next one.
"""

from __future__ import annotations

import ast


class CodeRead:
    """What the readings of one check found; nothing is ever taken out again.

    Attributes:
        public: statements and expressions that were read where private data decide nothing.
        private: expressions of which a reading had something private inside.
        decided: statements and expressions that were read where private data decide what runs.
    """

    __slots__ = ("decided", "private", "public")

    def __init__(self) -> None:
        self.public: set[ast.AST] = set()
        self.private: set[ast.AST] = set()
        self.decided: set[ast.AST] = set()

    def statement(self, node: ast.stmt, decided: bool) -> None:
        """A statement is about to be read."""
        (self.decided if decided else self.public).add(node)

    def expression(self, node: ast.expr, private: bool, decided: bool) -> None:
        """An expression was read."""
        (self.decided if decided else self.public).add(node)
        if private:
            self.private.add(node)
