"""Who may use the service: tokens, kept as hashes. A token is shown once, when it is made."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from ...errors import InputError, unknown
from ..errors import Conflict, NotFound, StorageError
from ..experiment import NAME
from ..status import moment
from ..schema import Now, tokens
from ..storage import Storage

Access = Literal["read", "write"]
ACCESS: tuple[Access, ...] = ("read", "write")  # to look; to look, ask and tell
PREFIX = "cb_"  # so that a token is known for one where it should not be
BYTES = (
    32  # 256 bits: nobody guesses it, so a plain hash keeps it, and finding the hash tells nothing by how long it takes
)
_ACCESS_OF = select(tokens.c.access).where(tokens.c.hash == bindparam("hash"), tokens.c.revoked_at.is_(None))


@dataclass(frozen=True)
class Token:
    """What is known of a token; not the token."""

    name: str
    access: Access
    created_at: datetime
    revoked_at: datetime | None


def create(storage: str | Storage, name: str, access: Access = "write") -> str:
    """A new token: the only time that it is seen."""
    if not NAME.fullmatch(name):
        raise InputError(f"A token is called by letters, digits and . _ - with at most 100 of them, not {name!r}.")
    if access not in ACCESS:
        raise unknown("access", access, ACCESS)
    place = Storage.of(storage)
    place.prepare()
    token = PREFIX + secrets.token_urlsafe(BYTES)
    try:
        with place.transaction() as connection:
            connection.execute(
                insert(tokens).values(name=name, access=access, hash=_hash(token.encode()), created_at=Now())
            )
    except StorageError as error:
        if isinstance(error.__cause__, IntegrityError):
            raise Conflict(f"There is or was a token {name!r}; choose another name.") from None
        raise
    return token


def listed(storage: str | Storage) -> tuple[Token, ...]:
    """All tokens, the revoked ones too, in the order in which they were made."""
    place = Storage.of(storage)
    place.check()
    with place.reading() as connection:
        rows = connection.execute(select(tokens).order_by(tokens.c.id)).all()
    return tuple(
        Token(row.name, row.access, moment(row.created_at), None if row.revoked_at is None else moment(row.revoked_at))
        for row in rows
    )


def revoke(storage: str | Storage, name: str) -> None:
    """From now on the token opens nothing. To revoke it twice is to revoke it."""
    place = Storage.of(storage)
    place.check()
    with place.transaction() as connection:
        known = list(connection.scalars(select(tokens.c.name).order_by(tokens.c.id)))
        if name not in known:
            raise NotFound(str(unknown("token", name, known)))
        connection.execute(
            update(tokens).where(tokens.c.name == name, tokens.c.revoked_at.is_(None)).values(revoked_at=Now())
        )


def access_of(storage: Storage, token: bytes) -> Access | None:
    """What a token opens; None if it is unknown or revoked."""
    with storage.reading() as connection:
        found: Access | None = connection.execute(_ACCESS_OF, {"hash": _hash(token)}).scalar_one_or_none()
    return found


def _hash(token: bytes) -> str:
    return hashlib.sha256(token).hexdigest()
