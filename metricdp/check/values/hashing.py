"""Short content hashes, without `hashlib`: it loads OpenSSL, which costs more than all of them."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # Pythons that keep it elsewhere.
    from hashlib import blake2b


def content_hash(text: str, size: int) -> str:
    """Hash of a text, as 2 * size hexadecimal digits."""
    return str(blake2b(text.encode(), digest_size=size).hexdigest())
