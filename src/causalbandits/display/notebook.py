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


def show(content: Html) -> Any:
    """Show HTML in the notebook. `replace` changes it. Neither needs widgets."""
    from IPython.display import HTML, display

    return display(HTML(content), display_id=True)


def replace(shown: Any, content: Html) -> None:
    """Show other HTML in place of what `show` returned."""
    from IPython.display import HTML

    shown.update(HTML(content))
