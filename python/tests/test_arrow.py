"""Tables in the hands of those who read Arrow. It needs packages from PyPI, so that ./test --all runs it."""
import unittest

import numpy as np

import airlot

CELL = dict(energy_budget_j=0.01, max_power_w=0.2, time_limit_s=0.5, update_bits=1e6, bandwidth_hz=1e5)


def address(array):
    return array.__array_interface__["data"][0]


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = airlot.plan(noise_to_gain_w=np.geomspace(1e-8, 1e-4, 1000), **CELL)
        cls.table = airlot.Table({
            "number": np.arange(5.0), "missing": np.array([0.5, np.nan, 2.5, np.nan, 4.5]),
            "whole": np.arange(5, dtype=np.uint32), "small": np.arange(5, dtype=np.int16),
            "single": np.array([1, np.nan, 3, 4, 5], dtype=np.float32), "name": ["a", "", "ä", "日本", "e"],
            "same": np.broadcast_to(3.5, 5), "spread": np.arange(10.0)[::2], "big": np.arange(5.0).astype(">f8")})

    def check(self, columns):
        """Columns as lists, with None where a number is missing."""
        self.assertEqual(columns, {
            "number": [0.0, 1.0, 2.0, 3.0, 4.0], "missing": [0.5, None, 2.5, None, 4.5], "whole": [0, 1, 2, 3, 4],
            "small": [0, 1, 2, 3, 4], "single": [1.0, None, 3.0, 4.0, 5.0], "name": ["a", "", "ä", "日本", "e"],
            "same": [3.5] * 5, "spread": [0.0, 2.0, 4.0, 6.0, 8.0], "big": [0.0, 1.0, 2.0, 3.0, 4.0]})

    def test_pyarrow(self):
        import pyarrow

        read = pyarrow.table(self.table)
        read.validate(full=True)
        self.check(read.to_pydict())
        self.assertEqual(pyarrow.schema(self.table), read.schema)
        column = pyarrow.table(self.plan)["probability"].chunk(0)
        self.assertEqual(column.buffers()[1].address, address(self.plan.probability))

    def test_polars(self):
        import polars

        self.check(polars.DataFrame(self.table).to_dict(as_series=False))
        column = polars.DataFrame(self.plan)["probability"].to_numpy(allow_copy=False)
        self.assertEqual(address(column), address(self.plan.probability))

    def test_duckdb(self):
        import duckdb

        table, plan = self.table, self.plan  # DuckDB finds them by these names.
        read = duckdb.sql('select * from "table"').fetchall()
        self.check({name: [row[index] for row in read] for index, name in enumerate(table.keys())})
        count, total = duckdb.sql("select count(*), sum(probability) from plan").fetchall()[0]
        self.assertEqual(count, plan.devices)
        self.assertAlmostEqual(total, plan.probability.sum(), places=9)

    def test_pandas(self):
        import pandas

        frame = self.plan.to_pandas()
        self.assertEqual(frame.shape, (1000, 7))
        self.assertEqual(frame["probability"].tolist(), self.plan.probability.tolist())
        if hasattr(pandas.DataFrame, "from_arrow"):  # since pandas 3
            frame = pandas.DataFrame.from_arrow(self.table)
            self.assertEqual(frame["name"].tolist(), self.table["name"])
            self.assertEqual(frame["missing"].isna().tolist(), [False, True, False, True, False])

    def test_what_is_read_outlives_the_plan(self):
        import pyarrow

        plan = airlot.plan(noise_to_gain_w=np.full(100000, 1e-6), **CELL)
        expected = plan.probability.copy()
        read = pyarrow.table(plan)
        del plan
        others = [np.full(100000, 7.0) for _ in range(20)]
        np.testing.assert_array_equal(read["probability"].to_numpy(), expected)
        self.assertEqual(len(others), 20)

    def test_results_of_runs(self):
        import polars
        import pyarrow

        scenario = airlot.Scenario(rounds=4, evaluate_every=2, **{"data.dataset": "digits", "model.name": "logistic"})
        results = airlot.compare(scenario, ["random", "uniform"], seeds=1, progress=False)
        frame = polars.DataFrame(results)
        self.assertEqual(frame.height, 10)
        self.assertEqual(frame["accuracy"].null_count(), int(np.isnan(results.rounds["accuracy"]).sum()))
        column = pyarrow.table(results)["time_s"].chunk(0)
        self.assertEqual(column.buffers()[1].address, address(results.rounds["time_s"]))
        self.assertEqual(pyarrow.table(results.devices).num_rows, 200)
        self.assertEqual(polars.DataFrame(results.runs).height, 2)

    def test_tables_without_rows(self):
        import pyarrow

        empty = airlot.Table({"device": np.zeros(0, dtype=np.uint32), "name": [], "power_w": np.zeros(0)})
        read = pyarrow.table(empty)
        read.validate(full=True)
        self.assertEqual((read.num_rows, read.column_names), (0, ["device", "name", "power_w"]))
        self.assertEqual(pyarrow.table(self.plan.floor(0.0)).num_rows, 0)


if __name__ == "__main__":
    unittest.main()
