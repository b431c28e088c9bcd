"""Fleets and plans as columns of NumPy, from the outside: numpy reads what airlot wrote, and airlot what numpy wrote."""
import io
import random
import struct
import unittest
import zipfile

import numpy

from program import PLAN, ProgramTest, airlot

NUMBERS = ("probability", "power_w", "rate_bps", "upload_s", "energy_j")
# Plans with more columns than every plan has.
EXPECTED = ("--set", "round.time_rule=expected")
OTHER_PLANS = (("--bandwidth", "shared", *EXPECTED), ("--set", "radio.mcs=cqi"),
               ("--set", "round.min_probability=0.5"), ("--airtime", *EXPECTED))


def a_fleet(devices):
    """Returns the columns of a fleet, no two devices of which are the same."""
    draw = random.Random(2)
    return {
        "id": [f"device-{i}" for i in range(devices)],
        "distance_m": [draw.uniform(1, 700) for _ in range(devices)],
        "bandwidth_hz": [draw.uniform(1e5, 4e5) for _ in range(devices)],
        "energy_budget_j": [10 ** draw.uniform(-3, 2) for _ in range(devices)],
        "samples": [draw.randint(10, 2000) for _ in range(devices)],
    }


def as_csv(columns):
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]) + "\n"


class Columns(ProgramTest):
    def save(self, name, columns, save=numpy.savez):
        save(self.folder / name, **{key: numpy.asarray(values) for key, values in columns.items()})
        return self.folder / name

    def plan(self, fleet, plan, *arguments):
        path = self.folder / plan
        result = airlot(*PLAN, "--fleet", fleet, "-o", path, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def fails(self, expected, *arguments, **options):
        """Runs a command that fails with one line that begins so, and leaves nothing new in the folder."""
        before = sorted(self.folder.rglob("*"))
        result = airlot(*arguments, **options)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        message = result.stderr.replace(f"{self.folder}/", "")
        self.assertEqual(message[:len(expected) + 7], f"error: {expected}")
        self.assertEqual((message.count("\n"), message[-1]), (1, "\n"))
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def refuses(self, expected, columns, *arguments, save=numpy.savez):
        self.refuses_file(expected, self.save("fleet.npz", columns, save), *arguments)

    def refuses_file(self, expected, fleet, *arguments):
        self.fails(expected, *PLAN, "--fleet", fleet, "-o", self.folder / "plan.npz", *arguments)

    def same_plan(self, text, columns):
        """Tells whether a plan as CSV and one as columns have the same names, numbers and limits."""
        rows = self.rows(text)
        with numpy.load(columns) as arrays:
            self.assertEqual(list(rows[0]), list(arrays))
            self.assertEqual(len(rows), len(arrays["limit"]))
            for name in arrays:
                found = arrays[name]
                if name in ("id", "limit"):
                    self.assertEqual([row[name] for row in rows],
                                     [v.decode() if isinstance(v, bytes) else str(v) for v in found.tolist()])
                else:
                    expected = [float(row[name] or "nan") for row in rows]
                    self.assertTrue(numpy.array_equal(numpy.asarray(expected), found.astype(float), equal_nan=True), name)

    def test_numpy_reads_a_plan_and_airlot_a_fleet_of_numpy(self):
        columns = a_fleet(20_000)
        text = self.write("fleet.csv", as_csv(columns))
        fleet = self.save("fleet.npz", columns)
        plans = [self.plan(text, "plan.csv"), self.plan(text, "from_text.npz"), self.plan(fleet, "plan.npz"),
                 self.plan(fleet, "from_columns.csv")]
        self.assertEqual(plans[0].read_bytes(), plans[3].read_bytes())
        self.assertEqual(plans[1].read_bytes(), plans[2].read_bytes())
        self.same_plan(plans[0], plans[2])
        with numpy.load(plans[2]) as arrays:
            self.assertEqual([arrays[name].dtype.str for name in NUMBERS], ["<f8"] * len(NUMBERS))
            self.assertEqual((arrays["id"].dtype.str, arrays["limit"].dtype.str), ("|S12", "|S6"))

    def test_the_bytes_do_not_depend_on_threads(self):
        columns = a_fleet(50_000)
        for source in (self.write("fleet.csv", as_csv(columns)), self.save("fleet.npz", columns)):
            for ending in ("csv", "npz"):
                written = set()
                for threads in (1, 2, 3):
                    saved = self.folder / f"saved.{ending}"
                    plan = self.plan(source, f"plan.{ending}", "--threads", threads, "--save-fleet", saved)
                    written.add((plan.read_bytes(), saved.read_bytes()))
                self.assertEqual(len(written), 1, ending)

    def test_plans_with_more_columns(self):
        columns = a_fleet(300)
        text = self.write("fleet.csv", as_csv(columns))
        for arguments in OTHER_PLANS:
            plan = self.plan(text, "plan.csv", *arguments)
            array_plan = self.plan(text, "plan.npz", *arguments)
            self.same_plan(plan, array_plan)
            draws = [self.json("draw", one, "--rounds", 50, "--threads", threads) for one, threads in
                     ((plan, 1), (plan, 3), (array_plan, 1), (array_plan, 3))]
            for draw in draws:
                draw.pop("plan")
                self.assertEqual(draw, draws[0])

    def test_a_saved_fleet_has_the_same_plan(self):
        fleet = self.folder / "saved.npz"
        first = airlot(*PLAN, "float32-cell", "--set", "fleet.devices=500", "--save-fleet", fleet, "-o",
                       self.folder / "drawn.npz")
        self.assertEqual(first.returncode, 0, first.stderr)
        again = self.plan(fleet, "again.npz", "float32-cell")
        self.assertEqual((self.folder / "drawn.npz").read_bytes(), again.read_bytes())
        with numpy.load(fleet) as arrays:
            self.assertEqual(arrays["id"].tolist(), list(range(1, 501)))
            self.assertIn("noise_to_gain_w", arrays)

    def test_kinds_of_ids_and_numbers(self):
        distance = [10.0, 20.0, 30.0]
        for ids, names in ((numpy.array([1, 2, 3]), "123"), (numpy.array([7, -5, 0], "<i2"), ("7", "-5", "0")),
                           (numpy.array([2**64 - 1, 1, 2], "<u8"), ("18446744073709551615", "1", "2")),
                           (numpy.array(["Küche", "a", "€😀"]), ("Küche", "a", "€😀")),
                           (numpy.array([b"roof", b"a, b", b"c"]), ("roof", "a, b", "c"))):
            plan = self.plan(self.save("fleet.npz", {"id": ids, "distance_m": distance}), "plan.csv")
            self.assertEqual([row["id"] for row in self.rows(plan)], list(names))
        expected = self.plan(self.write("fleet.csv", "distance_m,samples\n10,5\n20,6\n30,7\n"), "plan.csv").read_bytes()
        for kind in ("<f8", "<f4", "|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"):
            fleet = self.save("fleet.npz", {"distance_m": distance, "samples": numpy.array([5, 6, 7], kind)})
            self.assertEqual(self.plan(fleet, "plan.csv").read_bytes(), expected, kind)
        compressed = self.save("fleet.npz", {"samples": [5, 6, 7], "distance_m": distance}, numpy.savez_compressed)
        self.assertEqual(self.plan(compressed, "plan.csv").read_bytes(), expected)

    def test_wrong_values(self):
        good = [1.0, 2.0, 3.0]
        for values, what in (([1, -2, 3], "[1] = -2: must be >= 0"), ([1, 2, float("nan")], "[2] = nan: must be a finite number"),
                             ([float("inf"), 2, 3], "[0] = inf: must be a finite number"),
                             ([1, 2, 1e300], "[2] = 1e+300: must be <= 1e+40")):
            self.refuses(f"fleet.npz: distance_m{what}", {"distance_m": values, "samples": good})
        self.refuses("fleet.npz: id[2] = \"a\": id[0] has the same; every device needs an id of its own",
                     {"id": ["a", "b", "a"], "distance_m": good})
        self.refuses("fleet.npz: id[2] = \"7\": id[0] has the same", {"id": [7, 9, 7], "distance_m": good})
        self.refuses("fleet.npz: id[1] is empty: every device needs an id", {"id": ["a", "", "b"], "distance_m": good})
        self.refuses("fleet.npz: id[0] = \"a?b\": must not have control characters",
                     {"id": [b"a\x1bb", b"c", b"d"], "distance_m": good})
        self.refuses("fleet.npz: distance_m: has 2 elements, but samples has 3: all need one for each device",
                     {"samples": good, "distance_m": [1.0, 2.0]})
        self.refuses("fleet.npz: unknown column \"distance\": did you mean distance_m?", {"distance": good})
        self.refuses("fleet.npz: columns compute_energy_j and kappa: give either",
                     {"compute_energy_j": good, "kappa": good})
        self.refuses("fleet.npz: has columns but no devices", {"distance_m": []})
        ignored = self.save("fleet.npz", {"distance_m": good, "colour": ["red", "blue", "red"]})
        result = airlot(*PLAN, "--fleet", ignored, "--ignore-unknown")
        self.assertEqual((result.returncode, "ignored a column, which is not known: colour" in result.stderr), (0, True))
        self.refuses("fleet.npz: device 2 (b): noise_to_gain_w = ", {"id": ["a", "b"], "distance_m": [1.0, 1e36]})

    def test_wrong_types_and_shapes(self):
        floats = "must be little-endian floats or integers, such as float64 (\"<f8\")"
        for values, what in ((numpy.array([1, 2], ">f8"), f"has the type \">f8\" (big-endian float): {floats}"),
                             (numpy.array(["1", "2"]), f"has the type \"<U1\" (text): {floats}"),
                             (numpy.array([True, False]), f"has the type \"|b1\" (true or false): {floats}"),
                             (numpy.array([1, 2], "<f2"), f"has the type \"<f2\" (float): {floats}"),
                             (numpy.array([1, 2], "<c16"), f"has the type \"<c16\" (complex): {floats}"),
                             (numpy.array([1, None]), f"has the type \"|O\" (objects of Python): {floats}"),
                             (numpy.ones((2, 3)), "has the shape (2, 3): must have one dimension, such as (10,)"),
                             (numpy.asfortranarray(numpy.ones((2, 3))), "has the shape (2, 3): must have one dimension"),
                             (numpy.float64(3), "has the shape (): must have one dimension, such as (10,)")):
            self.refuses(f"fleet.npz: distance_m: {what}", {"distance_m": values})
        self.refuses("fleet.npz: id: has the type \"<f8\" (float): must be integers or texts", {"id": [1.0, 2.0]})

    def test_damaged_files(self):
        good = self.save("good.npz", {"distance_m": [1.0, 2.0, 3.0]}).read_bytes()
        path = self.folder / "fleet.npz"
        for size in range(0, len(good), 7):
            path.write_bytes(good[:size])
            self.refuses_file("fleet.npz: ", path)
        wrong = bytearray(good)
        wrong[good.index(struct.pack("<d", 2.0))] ^= 1
        path.write_bytes(wrong)
        self.refuses_file("fleet.npz: \"distance_m.npy\": its checksum does not match: the file is damaged", path)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("notes.txt", "no array")
        self.refuses_file("fleet.npz: \"notes.txt\": is not an array: its name must end with .npy", path)
        with zipfile.ZipFile(path, "w") as archive:
            array = io.BytesIO()
            numpy.save(array, numpy.ones(5))
            archive.writestr("distance_m.npy", array.getvalue()[:-8])
        self.refuses_file("fleet.npz: distance_m: has 32 bytes of elements, which the shape (5,) of \"<f8\" does not need", path)
        path.write_text("id,distance_m\na,1\n")
        self.refuses_file("fleet.npz: is not a zip archive", path)
        self.refuses_file("none.npz: cannot open: No such file or directory", self.folder / "none.npz")

    def test_wrong_plans(self):
        fleet = self.save("fleet.npz", a_fleet(5))
        with numpy.load(self.plan(fleet, "plan.npz")) as arrays:
            good = dict(arrays)
        for name, values, what in (("probability", [0.5, 2, 0, 0, 0], "probability[1] = 2: must be <= 1"),
                                   ("power_w", [0, 0, -1, 0, 0], "power_w[2] = -1: must be >= 0"),
                                   ("energy_j", [numpy.nan] * 5, "energy_j[0] = nan: must be >= 0"),
                                   ("limit", [b"energy"] * 4 + [b"love"], "limit[4] = \"love\": must be the name of a limit"),
                                   ("limit", ["energy"] * 5, "limit: has the type \"<U6\" (text): must be the names of limits"),
                                   ("upload_s", [b"1"] * 5, "upload_s: has the type \"|S1\" (text): must be"),
                                   ("rate_bps", [1.0], "rate_bps: has 1 elements, but id has 5"),
                                   ("id", ["a", "b", "a", "c", "d"], "id[2] = \"a\": id[0] has the same")):
            self.fails(f"wrong.npz: {what}", "draw", self.save("wrong.npz", {**good, name: numpy.array(values)}),
                       "--rounds", 2)
        impossible = {**good, "probability": numpy.zeros(5), "power_w": numpy.array([0, 0, 0.5, 0, 0])}
        self.fails("wrong.npz: power_w[2] = 0.5: must be 0 where the probability is 0", "draw",
                   self.save("wrong.npz", impossible), "--rounds", 2)
        del good["limit"]
        self.fails("wrong.npz: columns id,probability,power_w,rate_bps,upload_s,energy_j: a plan has", "draw",
                   self.save("wrong.npz", good), "--rounds", 2)

    def test_an_id_may_be_too_long_for_columns(self):
        fleet = self.write("fleet.csv", f"id,distance_m\na,1\n{'b' * 300},2\n")
        self.refuses_file("plan.npz: id = \"bbb", fleet)
        self.assertEqual(self.rows(self.plan(fleet, "plan.csv"))[1]["id"], "b" * 300)

    def test_nothing_is_left_where_it_cannot_be_written(self):
        fleet = self.write("fleet.csv", "distance_m\n1\n")
        self.fails("none/plan.npz: cannot write: No such file or directory", *PLAN, "--fleet", fleet, "-o",
                   self.folder / "none/plan.npz")
        self.fails("f.npz: is the fleet file", *PLAN, "--fleet", self.save("f.npz", {"distance_m": [1.0]}), "-o", self.folder / "f.npz")


if __name__ == "__main__":
    unittest.main()
