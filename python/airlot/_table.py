"""Columns by name, which pandas, polars, DuckDB and others read."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Union

import numpy as np
import numpy.typing as npt

from . import _core, _html

if TYPE_CHECKING:
    import pandas

ColumnData = Union[npt.NDArray[Any], List[str]]


class Table:
    """Columns of one length by name: NumPy arrays, or lists of texts.

    Whoever speaks Arrow's C data interface reads the columns where they are: ``polars.DataFrame(table)``,
    ``pyarrow.table(table)``, ``duckdb.sql("select * from table")``. A number that is missing is NaN, and null
    in Arrow.

    >>> table = Table({"device": np.arange(2), "name": ["a", "b"]})
    >>> table["device"]
    array([0, 1])
    >>> len(table), table.rows
    (2, 2)
    """

    def __init__(self, columns: Mapping[str, ColumnData]) -> None:
        self._columns: Dict[str, ColumnData] = dict(columns)
        lengths = {len(column) for column in self._columns.values()}
        if len(lengths) > 1:
            raise _core.Error(f"columns of different lengths: {sorted(lengths)}")
        self.rows: int = lengths.pop() if lengths else 0
        """How many rows there are."""

    def __getitem__(self, name: str) -> ColumnData:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def keys(self) -> List[str]:
        """Returns the names of the columns."""
        return list(self._columns)

    def __repr__(self) -> str:
        return f"Table({self.rows} rows: {', '.join(self._columns)})"

    def _repr_html_(self) -> str:
        return _html.table(list(self._columns), [
            [column[row] for column in self._columns.values()] for row in range(min(self.rows, _html.MOST_ROWS))
        ], self.rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _core.arrow_stream(self._columns)

    def __arrow_c_schema__(self) -> object:
        return _core.arrow_schema(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the columns as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns)
