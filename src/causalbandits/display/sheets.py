"""A sheet: rows of text under the titles of columns. It is shown as text of any width, or as an HTML table."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .html import Html, element, join

GAP = "  "  # between two columns
INDENT = "    "  # of the lines below the first cell of a row, where the columns do not fit side by side
NO_BREAK = "\u00a0"  # a blank at which no line ends
FIRST_ROWS, LAST_ROWS = 25, 5  # of a long table in a notebook
DOTS = "..."
LEAST_PROSE = 24  # characters: if so many are left for the last column, its cells are wrapped


@dataclass(frozen=True)
class Sheet:
    """Rows of text under the titles of columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self, width: int | None = None) -> str:
        """The sheet as lines. Where `width` is too small for columns side by side, each row becomes a few lines."""
        from rich.cells import cell_len  # some characters are two columns wide

        def widths_with(titles: Sequence[Sequence[str]]) -> list[int]:
            cells = ((*title, *(row[i] for row in self.rows)) for i, title in enumerate(titles))
            return [max(map(cell_len, column)) for column in cells]

        room_for_cells = math.inf if width is None else width - len(GAP) * (len(self.columns) - 1)
        widths = widths_with([[title] for title in self.columns])
        if sum(widths) > room_for_cells:  # titles may have several lines
            widths = widths_with([title.split() for title in self.columns])
        if width is not None and sum(widths) > room_for_cells:
            widths[-1] = int(room_for_cells) - sum(widths[:-1])
            if widths[-1] < LEAST_PROSE:
                return self._stacked(width)
        is_number = [self._is_number(i) for i in range(len(widths))]

        def side_by_side(cells: Sequence[str]) -> list[str]:
            pieces = [textwrap.wrap(cell, room) or [""] for cell, room in zip(cells, widths, strict=True)]
            lines = []
            for n in range(max(map(len, pieces))):
                found = [piece[n] if n < len(piece) else "" for piece in pieces]
                blanks = [" " * (room - cell_len(cell)) for cell, room in zip(found, widths, strict=True)]
                padded = [b + c if right else c + b for c, b, right in zip(found, blanks, is_number, strict=True)]
                lines.append(GAP.join(padded).rstrip())
            return lines

        return "\n".join(line for cells in (self.columns, *self.rows) for line in side_by_side(cells))

    def _stacked(self, width: int) -> str:
        """Each row as its first cell, and below it the others with their titles. A line ends between two of them."""
        lines = []
        for first, *others in self.rows:
            lines.append(f"{self.columns[0]} {first}" if self._is_number(0) else first)
            pairs = (f"{title}: {cell}" for title, cell in zip(self.columns[1:], others, strict=True) if cell)
            joined = "; ".join(
                pair.replace(" ", NO_BREAK) if len(pair) < width - len(INDENT) else pair for pair in pairs
            )
            wrapped = textwrap.wrap(joined, width, initial_indent=INDENT, subsequent_indent=INDENT)
            lines += [line.replace(NO_BREAK, " ") for line in wrapped]
        return "\n".join(lines)

    def html(self) -> Html:
        """The sheet as an HTML table. All text is escaped."""
        aligned = [
            {"style": f"text-align: {'right' if self._is_number(i) else 'left'}"} for i in range(len(self.columns))
        ]
        head = join(element("th", title, align) for title, align in zip(self.columns, aligned, strict=True))
        body = join(
            element("tr", join(element("td", cell, align) for cell, align in zip(row, aligned, strict=True)))
            for row in self.rows
        )
        return element("table", join([element("thead", element("tr", head)), element("tbody", body)]))

    def _is_number(self, column: int) -> bool:
        """Whether all cells of a column are numbers. They are then aligned on the right."""
        cells = [row[column] for row in self.rows if row[column] not in ("", DOTS)]
        return bool(cells) and all(re.fullmatch(r"[-+]?[\d.,]+(?:e[-+]?\d+)?", cell) for cell in cells)


def excerpt(columns: Sequence[str], count: int, row: Callable[[int], Sequence[str]]) -> Sheet:
    """A sheet of the first and the last of `count` rows, with dots between them. `row` makes a row from its number."""
    if count <= FIRST_ROWS + LAST_ROWS:
        return Sheet(columns, [row(i) for i in range(count)])
    first, last = range(FIRST_ROWS), range(count - LAST_ROWS, count)
    return Sheet(columns, [*map(row, first), [DOTS] * len(columns), *map(row, last)])


def block(*parts: str | Sheet) -> Html:
    """What a notebook shows of an object: sentences and tables below each other."""
    return element("div", join(part.html() if isinstance(part, Sheet) else element("p", part) for part in parts))
