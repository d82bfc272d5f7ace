"""Whether this is a notebook, and how to show something there that changes."""

from __future__ import annotations

import sys
from typing import Any

from .html import Html


def in_notebook() -> bool:
    """Whether the code runs in a notebook, where there is no terminal but HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


def show(content: Html, text: str) -> Any:
    """Show HTML in the notebook, or text where there is no HTML. `replace` changes it. Neither needs widgets."""
    from IPython.display import display

    return display(_bundle(content, text), raw=True, display_id=True)


def replace(shown: Any, content: Html, text: str) -> None:
    """Show something else in place of what `show` returned."""
    shown.update(_bundle(content, text), raw=True)


def _bundle(content: Html, text: str) -> dict[str, str]:
    return {"text/html": content, "text/plain": text}
