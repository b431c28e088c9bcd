"""Tests airlot data partition from the outside."""
import csv
import io
import json
import unittest

from program import ProgramTest, airlot


class DataPartition(ProgramTest):
    PARTITION = ("data", "partition", "--set", "data.dataset=digits")

    def test_file_and_summary_agree(self):
        path = self.folder / "partition.csv"
        summary = self.json(*self.PARTITION, "-o", path)
        rows = self.rows(path)
        self.assertEqual(list(rows[0]), ["id", "samples", "missing_labels",
                                         *(f"label_{k}" for k in range(10))])
        samples = [int(row["samples"]) for row in rows]
        missing = [int(row["missing_labels"]) for row in rows]
        for row in rows:
            counts = [int(row[f"label_{k}"]) for k in range(10)]
            self.assertEqual(sum(counts), int(row["samples"]))
            self.assertEqual(counts.count(0), int(row["missing_labels"]))
        self.assertEqual(sum(samples), 60000)
        self.assertEqual((summary["devices"], summary["samples"]), (100, 60000))
        self.assertEqual((summary["smallest"], summary["largest"]), (min(samples), max(samples)))
        self.assertAlmostEqual(summary["mean_missing_labels"], sum(missing) / 100)
        self.assertEqual(summary["devices_by_missing_labels"],
                         [missing.count(k) for k in range(11)])

    def test_prints_a_narrow_summary(self):
        for sets in ((), ("--set", "data.partition=shards"), ("--set", "fleet.devices=1")):
            text = self.done(*self.PARTITION, *sets)
            self.assertIn("Partition of digits over", text)
            self.assertIn("Samples of a device", text)
            self.assertIn("Labels that a device misses", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80)

    def test_standard_output(self):
        result = airlot(*self.PARTITION, "--json", "-o", "-")
        self.assertEqual(len(list(csv.DictReader(io.StringIO(result.stdout)))), 100)
        self.assertEqual(json.loads(result.stderr)["devices"], 100)

    def test_names_devices_as_the_fleet_file_does(self):
        fleet = self.write("fleet.csv", "id,distance_m\nroof,10\ngate,20\n")
        path = self.folder / "partition.csv"
        self.done(*self.PARTITION, "--set", f"fleet.file={fleet}", "-o", path)
        self.assertEqual([row["id"] for row in self.rows(path)], ["roof", "gate"])

    def test_a_plan_computes_on_the_samples_of_the_partition(self):
        """The computation energy that a plan saves is (6) of the samples that are printed."""
        path, fleet = self.folder / "partition.csv", self.folder / "fleet.csv"
        same = ("--set", "fleet.cycles_per_sample=1e6", "--set", "fleet.cpu_hz=1e9", "--seed", 3)
        self.done(*self.PARTITION, *same, "-o", path)
        self.done("plan", "--set", "data.dataset=digits", *same, "--save-fleet", fleet)
        for device, part in zip(self.rows(fleet), self.rows(path), strict=True):
            self.assertAlmostEqual(float(device["compute_time_s"]), int(part["samples"]) / 1000,
                                   places=12)
            self.assertAlmostEqual(float(device["compute_energy_j"]),
                                   1e-28 * 1e6 * 1e18 * int(part["samples"]), places=12)

    def test_large_fleets_share_samples(self):
        sets = ("data.partition=client-dirichlet", "data.overlap=true",
                "data.samples_per_device=10", "fleet.devices=100000")
        summary = self.json(*self.PARTITION, *(part for key in sets for part in ("--set", key)))
        self.assertEqual((summary["devices"], summary["samples"]), (100000, 1000000))

    def test_errors(self):
        self.fails("data.dataset is not set: choose one, such as digits",
                   "data", "partition", "--set", "data.dataset=")
        for command in (self.PARTITION, ("plan", "--set", "data.dataset=digits")):
            self.fails("data.minimum_samples = 700: must be <= 600 (60000 samples / 100 devices)",
                       *command, "--set", "data.minimum_samples=700")
            self.fails("data.minimum_samples = 100: none of 1000 draws gave every device that many "
                       "(data.beta = 0.001, 100 devices): lower it or take fewer devices, or "
                       "raise data.beta", *command, "--set", "data.beta=1e-3", "--set",
                       "data.minimum_samples=100")
        self.fails("--set data.partition=idd: must be one of dirichlet, client-dirichlet, shards, "
                   "iid, file", *self.PARTITION, "--set", "data.partition=idd")
        self.fails("missing/x.csv: cannot write: No such file or directory", *self.PARTITION, "-o",
                   self.folder / "missing" / "x.csv")


if __name__ == "__main__":
    unittest.main()
