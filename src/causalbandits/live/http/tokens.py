"""The tokens that open the service. A token is shown once, when it is made; the storage keeps its hash."""

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
from ..experiment import NAME, NAME_RULE
from ..schema import Now, tokens
from ..status import moment
from ..storage import Storage

Access = Literal["read", "write"]
ACCESS: tuple[Access, ...] = ("read", "write")  # only look; look, ask and tell
PREFIX = "cb_"  # so that people and scanners recognise a leaked token
BYTES = 32  # nobody guesses 256 bits, so a plain hash is safe, and so is looking it up in the database
_ACCESS_OF = select(tokens.c.access).where(tokens.c.hash == bindparam("hash"), tokens.c.revoked_at.is_(None))


@dataclass(frozen=True)
class Token:
    """A token's name and rights, without its secret."""

    name: str
    access: Access
    created_at: datetime
    revoked_at: datetime | None


def create(storage: str | Storage, name: str, access: Access = "write") -> str:
    """Make a token and return it. It cannot be shown again."""
    if not NAME.fullmatch(name):
        raise InputError(f"The name of a token is 1 to 100 {NAME_RULE}, not {name!r}.")
    if access not in ACCESS:
        raise unknown("access", access, ACCESS)
    database = Storage.of(storage)
    database.prepare()
    token = PREFIX + secrets.token_urlsafe(BYTES)
    try:
        with database.transaction() as connection:
            connection.execute(
                insert(tokens).values(name=name, access=access, hash=_hash(token.encode()), created_at=Now())
            )
    except StorageError as error:
        if isinstance(error.__cause__, IntegrityError):
            raise Conflict(f"There is or was a token {name!r}; choose another name.") from None
        raise
    return token


def all_tokens(storage: str | Storage) -> tuple[Token, ...]:
    """All tokens, with the revoked ones, in the order in which they were made."""
    database = Storage.of(storage)
    database.check()
    with database.reading() as connection:
        rows = connection.execute(select(tokens).order_by(tokens.c.id)).all()
    return tuple(
        Token(row.name, row.access, moment(row.created_at), None if row.revoked_at is None else moment(row.revoked_at))
        for row in rows
    )


def revoke(storage: str | Storage, name: str) -> None:
    """Make a token useless from now on. Revoking it again changes nothing."""
    database = Storage.of(storage)
    database.check()
    with database.transaction() as connection:
        known = list(connection.scalars(select(tokens.c.name).order_by(tokens.c.id)))
        if name not in known:
            raise NotFound(str(unknown("token", name, known)))
        connection.execute(
            update(tokens).where(tokens.c.name == name, tokens.c.revoked_at.is_(None)).values(revoked_at=Now())
        )


def access_of(storage: Storage, token: bytes) -> Access | None:
    """The access of a token, or None if it is unknown or revoked."""
    with storage.reading() as connection:
        found: Access | None = connection.execute(_ACCESS_OF, {"hash": _hash(token)}).scalar_one_or_none()
    return found


def _hash(token: bytes) -> str:
    return hashlib.sha256(token).hexdigest()
