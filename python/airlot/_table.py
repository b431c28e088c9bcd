"""Columns by name, which pandas, polars, DuckDB and others read."""
from __future__ import annotations

import numpy as np

from . import _core, _html
from ._checks import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Mapping

    import pandas

    from ._types import ArrayLike, ColumnData


def _column(name: object, given: object) -> ColumnData:
    """Returns a column: a list of texts, or an array."""
    if not isinstance(name, str):
        refuse("columns: a name", "a text", name)
    if isinstance(given, (list, tuple)) and all(isinstance(item, str) for item in given):
        return list(given)
    column = np.asarray(given)
    if column.dtype.kind == "U" and column.ndim == 1:
        return list(column.tolist())
    if column.ndim != 1:
        raise _core.Error(f"{name}: has the shape {column.shape}: must have one dimension")
    return column


class Table:
    """Columns of one length by name: NumPy arrays, or lists of texts.

    Whoever speaks Arrow's C data interface reads the columns where they are: ``polars.DataFrame(table)``,
    ``pyarrow.table(table)``, ``duckdb.sql("select * from table")``. A number that is missing is NaN, and null
    in Arrow. Its length is the number of its columns, and ``rows`` says how many rows there are.

    >>> table = airlot.Table({"device": np.arange(2), "name": ["a", "b"]})
    >>> table["device"]
    array([0, 1])
    >>> len(table), table.rows
    (2, 2)
    """

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        if not hasattr(columns, "items"):
            refuse("columns", "a dictionary of columns", columns)
        self._columns: Dict[str, ColumnData] = {name: _column(name, column) for name, column in columns.items()}
        lengths = {len(column) for column in self._columns.values()}
        if len(lengths) > 1:
            raise _core.Error(f"columns of different lengths: {sorted(lengths)}")
        self.rows: int = lengths.pop() if lengths else 0
        """How many rows there are."""

    def __getitem__(self, name: str) -> ColumnData:
        if name not in self._columns:
            raise KeyError(f"{name}: the columns are {', '.join(self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def keys(self) -> List[str]:
        """Returns the names of the columns.

        >>> table.keys()
        ['device', 'name']
        """
        return list(self._columns)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.rows} rows: {', '.join(self._columns)})"

    def _repr_html_(self) -> str:
        return _html.table(list(self._columns), [
            [column[row] for column in self._columns.values()] for row in range(min(self.rows, _html.MOST_ROWS))
        ], self.rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _core.arrow_stream(self._columns)

    def __arrow_c_schema__(self) -> object:
        return _core.arrow_schema(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the columns as a pandas.DataFrame.

        >>> table.to_pandas().shape
        (2, 2)
        """
        import pandas

        return pandas.DataFrame(self._columns)
