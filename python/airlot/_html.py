"""Tables for notebooks."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Sequence

MOST_ROWS = 20


def escape(text: str) -> str:
    """Returns a text as HTML, also within quotes."""
    import html

    return html.escape(text, quote=True)


def cell(value: Any) -> str:
    """Returns a value as people read it."""
    if isinstance(value, str):
        return escape(value)
    if value is None or value != value:
        return "–"
    if not (isinstance(value, (int, float)) or getattr(getattr(value, "dtype", None), "kind", "") in ("b", "f", "i", "u")):
        return escape(str(value))
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    if isinstance(value, bool) or int(value) == value and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.4g}"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], count: int = 0) -> str:
    """Returns a table; ``count`` is how many rows there are where not all are shown."""
    def row(values: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{value}</{tag}>" for value in values) + "</tr>"

    lines: List[str] = ["<table>", "<thead>", row([escape(name) for name in head], "th"), "</thead>", "<tbody>"]
    lines += [row([cell(value) for value in values], "td") for values in rows]
    lines += ["</tbody>", "</table>"]
    if count > len(rows):
        lines.append(f"<p>{len(rows)} of {count:,} rows</p>")
    return "\n".join(lines)
