"""HTML for notebooks. Text is escaped where it enters, so that names of variables cannot become tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape


class Html(str):
    """Text that is HTML already."""


def element(tag: str, content: str, attributes: Mapping[str, str] | None = None) -> Html:
    """An element. Its content is escaped, unless it is HTML already."""
    inside = content if isinstance(content, Html) else escape(content)
    named = "".join(f' {name}="{escape(value)}"' for name, value in (attributes or {}).items())
    return Html(f"<{tag}{named}>{inside}</{tag}>")


def join(parts: Iterable[str]) -> Html:
    """Parts one after the other. Those that are not HTML are escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))
