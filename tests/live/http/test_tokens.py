"""Tokens: kept as hashes, opening what they were made for until they are revoked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

import causalbandits as cb
from causalbandits.live import Storage, schema
from causalbandits.live.http import tokens


def test_a_token_gives_its_rights_until_it_is_revoked(url: str) -> None:
    storage = Storage(url)
    read, write = tokens.create(storage, "page", "read"), tokens.create(storage, "shop", "write")
    assert [tokens.access_of(storage, token.encode()) for token in (read, write, read[:-1], "")] == [
        "read",
        "write",
        None,
        None,
    ]
    tokens.revoke(storage, "shop")
    tokens.revoke(storage, "shop")
    assert [tokens.access_of(storage, token.encode()) for token in (read, write)] == ["read", None]
    page, shop = tokens.all_tokens(storage)
    assert (page.name, page.access, page.revoked_at) == ("page", "read", None)
    assert (shop.name, shop.access) == ("shop", "write")
    assert shop.revoked_at is not None
    assert abs(datetime.now(UTC) - shop.revoked_at) < timedelta(minutes=5)
    assert page.created_at <= shop.created_at <= shop.revoked_at


def test_only_the_hash_of_a_token_is_kept(url: str) -> None:
    storage = Storage(url)
    token = tokens.create(storage, "shop")
    with storage.reading() as connection:
        (row,) = connection.execute(select(schema.tokens)).all()
    assert not any(token in str(cell) or token.removeprefix(tokens.PREFIX) in str(cell) for cell in row)
    assert len(token) > 43  # 256 bits, and a prefix
    assert token != tokens.create(storage, "other")


def test_a_name_of_a_token_is_used_once_and_a_mistake_is_answered_with_one_sentence(url: str) -> None:
    storage = Storage(url)
    tokens.create(storage, "shop")
    tokens.revoke(storage, "shop")
    with pytest.raises(cb.Conflict, match="choose another name"):
        tokens.create(storage, "shop")
    with pytest.raises(cb.NotFound, match="did you mean 'shop'"):
        tokens.revoke(storage, "shpo")
    with pytest.raises(cb.InputError, match="The name of a token is 1 to 100 letters"):
        tokens.create(storage, "my shop")
    with pytest.raises(cb.InputError, match="choose from: read, write"):
        tokens.create(storage, "other", "admin")  # type: ignore[arg-type]
    assert [token.name for token in tokens.all_tokens(storage)] == ["shop"]
