"""Tests data sets that users bring: files that NumPy writes, tables, colour images, partition files."""
import io
import json
import os
import random
import re
import resource
import tarfile
import unittest
import zipfile

import numpy

from program import ProgramTest, airlot, idx


def arrays(x, y, x_test=None, y_test=None):
    return {"x_train": x, "y_train": y, "x_test": x if x_test is None else x_test,
            "y_test": y if y_test is None else y_test}


DRAW = numpy.random.default_rng(1)
PIXELS = DRAW.integers(0, 256, (20, 5, 4), dtype=numpy.uint8)
LABELS = numpy.arange(20) % 3
VALUES = DRAW.normal(size=(20, 6))
TARGETS = DRAW.normal(size=20)


class OwnDataTest(ProgramTest):
    def save(self, contents, name="set.npz", save=numpy.savez):
        save(self.folder / name, **contents)
        return self.folder / name

    def save_folder(self, contents, name="set"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for array, values in contents.items():
            numpy.save(folder / f"{array}.npy", values)
        return folder

    def info(self, path):
        return self.json("data", "info", path)

    def partition(self, path, *sets):
        options = [part for key in (f"data.dataset={path}", "fleet.devices=2", *sets)
                   for part in ("--set", key)]
        return self.json("data", "partition", *options)


class NumpyFiles(OwnDataTest):
    def test_every_way_to_save(self):
        contents = arrays(PIXELS, LABELS)
        wanted = [7, 7, 6]
        for path in (self.save(contents), self.save(contents, "small.npz", numpy.savez_compressed),
                     self.save_folder(contents)):
            info = self.info(path)
            self.assertEqual([info[key] for key in ("channels", "height", "width", "classes",
                                                    "numbers", "folder", "verified")],
                             [1, 5, 4, 3, "pixels", str(path), False])
            self.assertEqual(info["train"]["samples_per_class"], wanted)
            self.assertEqual(info["train"]["range"], [PIXELS.min(), PIXELS.max()])
            self.assertEqual(self.partition(path, "data.partition=iid")["samples"], 20)
            self.assertIn("5 x 4 pixels", self.done("data", "info", path))

    @unittest.skipIf("AIRLOT_SANITIZED" in os.environ, "sanitizers take address space of their own")
    def test_labels_of_a_large_file_take_little_memory(self):
        """The pixels are a hole of 1.5 GB in the file."""
        path, pixels = self.folder / "large.npz", (1_500_000, 1000)
        header = io.BytesIO()
        numpy.lib.format.write_array_header_1_0(
            header, {"descr": "|u1", "fortran_order": False, "shape": pixels})
        with zipfile.ZipFile(path, "w") as archive:
            for name, values in arrays(None, LABELS, numpy.zeros((20, 1000), "u1"), LABELS).items():
                if name == "y_train":
                    values = numpy.zeros(pixels[0], "u1")
                if name != "x_train":
                    with archive.open(f"{name}.npy", "w") as file:
                        numpy.save(file, values)
        with zipfile.ZipFile(path, "a") as archive:
            # What zipfile would write of the pixels, but for their bytes and their checksum.
            entry = zipfile.ZipInfo("x_train.npy")
            entry.header_offset, entry.CRC = archive.start_dir, 0
            entry.file_size = entry.compress_size = len(header.getvalue()) + pixels[0] * pixels[1]
            archive.fp.seek(entry.header_offset)
            archive.fp.write(entry.FileHeader() + header.getvalue())
            archive.fp.seek(pixels[0] * pixels[1], 1)
            archive.start_dir = archive.fp.tell()
            archive.filelist.append(entry)
            archive._didModify = True
        self.assertGreater(path.stat().st_size, 1_500_000_000)

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

        options = [part for key in (f"data.dataset={path}", "fleet.devices=2", "data.partition=iid")
                   for part in ("--set", key)]
        summary = json.loads(self.done("data", "partition", *options, "--json", preexec_fn=little_memory))
        self.assertEqual(summary["samples"], pixels[0])
        self.fails("out of memory", "data", "info", path, code=1, preexec_fn=little_memory)

    def test_every_shape_of_images(self):
        for shape, wanted in (((20, 3, 8, 9), (3, 8, 9)), ((20, 8, 9, 3), (3, 8, 9)),
                              ((20, 1, 8, 9), (1, 8, 9)), ((20, 8, 9, 1), (1, 8, 9)),
                              ((20, 8, 9), (1, 8, 9)), ((20, 9), (1, 1, 9))):
            for kind in (numpy.uint8, numpy.float32, numpy.float64):
                x = DRAW.integers(0, 256, shape).astype(kind)
                info = self.info(self.save(arrays(x, LABELS)))
                self.assertEqual((info["channels"], info["height"], info["width"]), wanted)
                self.assertEqual(info["train"]["range"], [x.min(), x.max()])

    def test_every_width_of_labels(self):
        for kind in ("u1", "i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8"):
            info = self.info(self.save(arrays(PIXELS, LABELS.astype(kind).reshape(20, 1))))
            self.assertEqual(info["train"]["samples_per_class"], [7, 7, 6])

    def test_regression(self):
        path = self.save(arrays(VALUES, TARGETS))
        info = self.info(path)
        self.assertEqual((info["classes"], info["numbers"], info["width"]), (0, "values", 6))
        low, high = info["train"]["target_range"]
        self.assertAlmostEqual(low, TARGETS.min(), places=6)
        self.assertAlmostEqual(high, TARGETS.max(), places=6)
        text = self.done("data", "info", path)
        for part in ("rows     20 to train, 20 to test", "6 features", "targets  "):
            self.assertIn(part, text)
        self.fails('data.partition = "dirichlet": splits by label, but this data set has numbers to '
                   'predict: use "iid", or "file" with data.partition_file', "data", "partition",
                   "--set", f"data.dataset={path}")
        summary = self.partition(path, "data.partition=iid")
        self.assertEqual((summary["labels"], summary["largest"]), (0, 10))
        counts = self.folder / "counts.csv"
        text = self.done("data", "partition", "--set", f"data.dataset={path}", "--set",
                         "data.partition=iid", "--set", "fleet.devices=3", "-o", counts)
        self.assertNotIn("abels", text)
        self.assertEqual([list(row) for row in self.rows(counts)], [["id", "samples"]] * 3)

    def test_bad_arrays(self):
        bad_y = LABELS.copy()
        bad_y[7] = 300
        bad_x = VALUES.copy()
        bad_x[3, 2] = numpy.nan
        want_x = "must be uint8 (pixels), float32 or float64"
        for contents, expected in (
                (arrays(PIXELS.astype(">f4"), LABELS),
                 f'x_train: has the type ">f4" (big-endian float): {want_x}'),
                (arrays(PIXELS.astype("i8"), LABELS), f'x_train: has the type "<i8": {want_x}'),
                (arrays(PIXELS > 9, LABELS),
                 f'x_train: has the type "|b1" (true or false): {want_x}'),
                (arrays(PIXELS.astype(object), LABELS),
                 f'x_train: has the type "|O" (objects of Python): {want_x}'),
                (arrays(PIXELS, numpy.array(["a"] * 20)),
                 'y_train: has the type "<U1" (text): must be whole numbers (labels), float32 or '
                 "float64 (targets)"),
                (arrays(numpy.asfortranarray(PIXELS), LABELS),
                 "x_train: is in Fortran order: must be in C order (numpy.ascontiguousarray makes "
                 "it)"),
                (arrays(PIXELS, bad_y), "y_train[7] = 300: labels must be from 0 to 255"),
                (arrays(bad_x, LABELS), "x_train[3, 2] = nan: must be finite, and at most 3.4e38"),
                (arrays(numpy.zeros(20, [("a", "f4")]), LABELS),
                 "x_train: has records of several fields: must have plain numbers"),
                (arrays(PIXELS, LABELS[:-1]), "x_train: has 20 samples, expected 19, as many as "
                 "set.npz: y_train has")):
            path = self.save(contents)
            self.fails(f"set.npz: {expected}", "data", "info", path)
        self.fails('set.npz: has no array x_train: it has "x.npy"', "data", "info",
                   self.save({"x": PIXELS}))
        self.write("set.npz", b"\x80\x04\x95pickle")
        self.fails("set.npz: is not a zip archive", "data", "info", path)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("x_train.npy", b"x" * 100)
        self.fails('set.npz: "x_train.npy": is compressed by method 12: must be 0 (stored) or 8 '
                   "(deflated)", "data", "info", path)

    def test_a_zip_bomb(self):
        """64 megabytes of zeros in 64 kilobytes stand behind a header that does not need them."""
        header = io.BytesIO()
        numpy.lib.format.write_array_header_1_0(
            header, {"descr": "|u1", "fortran_order": False, "shape": (20, 5, 4)})
        path = self.folder / "set.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x_train.npy", header.getvalue() + bytes(1 << 26))
            for name, values in (("y_train", LABELS), ("x_test", PIXELS), ("y_test", LABELS)):
                array = io.BytesIO()
                numpy.save(array, values)
                archive.writestr(f"{name}.npy", array.getvalue())
        self.fails('set.npz: x_train: has 67108864 bytes of numbers, expected 400 for the shape (20, 5, '
                   '4) of "|u1"', "data", "info", path)


class Inputs(OwnDataTest):
    """Whatever a scenario names is an input, which no output may overwrite."""

    def refuses_to_overwrite(self, path, what, *arguments):
        path = self.folder / path
        before = path.read_bytes()
        result = airlot(*arguments, path)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(f"{path}: is {what} and would be overwritten", result.stderr)
        self.assertEqual(path.read_bytes(), before)

    def test_a_table_of_rates(self):
        self.write("mcs.csv", "snr_db,bit_per_s_per_hz\n-5,0.3\n5,1.5\n")
        scenario = self.write("mine.toml", "[radio]\nmcs = 'mcs.csv'\n")
        for option in ("-o", "--report", "--save-fleet"):
            self.refuses_to_overwrite("mcs.csv", "the file of radio.mcs", "plan", scenario, option)
        self.refuses_to_overwrite("mcs.csv", "the file of radio.mcs", "plan", scenario, "--vary",
                                  "radio.bandwidth_hz=1e6,1e7", "-o")
        self.refuses_to_overwrite("mcs.csv", "the file of radio.mcs", "plan", "fleet", "--set",
                                  f"radio.mcs={self.folder}/mcs.csv", "-o")

    def test_data_and_partitions(self):
        self.save(arrays(PIXELS, LABELS))
        self.write("who.csv", "sample,device\n3,1\n4,2\n")
        scenario = self.write("mine.toml", "[data]\ndataset = 'set.npz'\npartition = 'file'\n"
                              "partition_file = 'who.csv'\n[fleet]\ndevices = 2\n")
        for command in (("plan",), ("data", "partition")):
            self.refuses_to_overwrite("set.npz", "a file of data.dataset", *command, scenario, "-o")
            self.refuses_to_overwrite("who.csv", "the file of data.partition_file", *command, scenario, "-o")
        folder = self.save_folder(arrays(PIXELS, LABELS), "arrays")
        tables = self.folder / "tables"
        tables.mkdir()
        for name in ("train.csv", "test.csv"):
            (tables / name).write_text("a,label\n1,0\n2,1\n")
        for chosen, names in ((folder, ("x_train.npy", "y_test.npy")), (tables, ("train.csv", "test.csv"))):
            for name in names:
                self.refuses_to_overwrite(chosen / name, "a file of data.dataset", "plan", "--set",
                                          f"data.dataset={chosen}", "--set", "fleet.devices=2", "-o")
        self.done("plan", "--set", f"data.dataset={tables}", "--set", "data.partition=iid", "--set",
                  "model.name=mlp", "--set", "fleet.devices=2", "-o", tables / "plan.csv")  # It is no file of the data set.


class Regression(OwnDataTest):
    def test_the_score_is_called_by_its_name(self):
        """R² may be below 0, and there are no classes, labels or images."""
        weights = DRAW.normal(size=6)
        x = DRAW.normal(size=(300, 6)).astype("float32")
        path = self.save(arrays(x, (x @ weights).astype("float32")))
        runs = self.folder / "runs"
        printed = self.done("compare", "--set", f"data.dataset={path}", "--set", "model.name=mlp", "--set", "data.partition=iid",
                            "--set", "fleet.devices=10", "--set", "rounds=12", "--set", "evaluate_every=2", "--set",
                            "learning.rate=0.05", "--set", "targets=[0.3]", "--set", "round.time_limit_s=2", "--strategies",
                            "probabilistic,random", "--seeds", 2, "-o", runs)
        self.assertNotIn("accurac", printed)
        self.assertRegex(printed, r"R\^2 0\.3")
        summary = json.loads((runs / "summary.json").read_text())
        self.assertEqual(summary["score"], "r2")
        self.assertRegex(summary["verdict"], "R² ")
        self.assertNotIn("%", summary["verdict"])
        self.assertEqual(json.loads((runs / "manifest.json").read_text())["score"], "r2")
        page = (runs / "report.html").read_text()
        self.assertNotIn("earlier version", page)
        for wrong in ("test accuracy", "final accuracy", "Accuracy against", "accuracy at the end"):
            self.assertNotIn(wrong, page)
        self.assertIn("R² against time", page)
        evaluated = self.done("evaluate", runs / "probabilistic/seed-1")
        self.assertIn(": 300 test rows, model mlp", evaluated)
        self.assertIn("  R^2 ", evaluated)
        self.assertNotIn("class", evaluated)

    def test_a_curve_below_zero_is_not_cut(self):
        """Targets far from 0 have an R² far below 0 at the start."""
        x = DRAW.normal(size=(60, 2)).astype("float32")
        path = self.save(arrays(x, (100 + x[:, 0]).astype("float32")))
        figures = self.folder / "figures"
        runs = self.folder / "runs"
        self.done("train", "--set", f"data.dataset={path}", "--set", "model.name=mlp", "--set", "data.partition=iid", "--set",
                  "fleet.devices=4", "--set", "rounds=2", "--set", "evaluate_every=1", "--set", "learning.rate=1e-9", "-o", runs)
        self.done("report", runs, "--figures", figures, "--formats", "svg")
        drawn, = figures.rglob("*accuracy-rounds*.svg")
        heights = [float(y) for y in re.findall(r"[ML][0-9.]+ (-?[0-9.]+)", drawn.read_text())]
        height = float(re.search(r'viewBox="0 0 [0-9.]+ ([0-9.]+)"', drawn.read_text())[1])
        self.assertTrue(heights)
        self.assertLess(max(heights), height)


class Tables(OwnDataTest):
    def test_two_features_need_two_names(self):
        folder = self.folder / "tables"
        folder.mkdir()
        for name in ("train.csv", "test.csv"):
            (folder / name).write_text("a,a,label\n1,2,0\n2,1,1\n")
        self.fails('tables/train.csv: has 2 columns "a": name each another way', "data", "info", folder)

    def test_classes_and_targets(self):
        (self.folder / "set").mkdir()
        for name, wanted in (("label", (3, None)), ("target", (0, [0, 2]))):
            for part in ("train", "test"):
                self.write(f"set/{part}.csv", f"age,{name},income\n" + "".join(
                    f"{i},{i % 3},{i / 4}\n" for i in range(20)))
            info = self.info(self.folder / "set")
            self.assertEqual((info["classes"], info["train"].get("target_range")), wanted)
            self.assertEqual((info["width"], info["train"]["range"]), (2, [0, 19]))
        self.write("set/train.csv", "age,target,income\n1,2,3\n4,5,\n")
        self.fails('set/train.csv:3: "income" = "": must be a finite number, at most 3.4e38', "data",
                   "info", self.folder / "set")


class Colour(OwnDataTest):
    def test_built_in(self):
        info = self.info("digits-colour")
        self.assertEqual([info[key] for key in ("channels", "height", "width", "classes", "folder")],
                         [3, 28, 28, 10, None])
        self.assertEqual(info["train"]["samples_per_class"],
                         self.info("digits")["train"]["samples_per_class"])
        text = self.done("data", "info", "digits-colour")
        self.assertIn("28 x 28 pixels, 3 channels", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_idx_files_with_channels(self):
        folder = self.folder / "set"
        folder.mkdir()
        draw = random.Random(1)
        pixels = bytes(draw.choices(range(256), k=4 * 3 * 6 * 5))
        for part in ("train", "t10k"):
            (folder / f"{part}-images-idx4-ubyte").write_bytes(idx((4, 3, 6, 5), pixels))
            (folder / f"{part}-labels-idx1-ubyte").write_bytes(idx((4,), (0, 1, 1, 0)))
        info = self.info(folder)
        self.assertEqual((info["channels"], info["height"], info["width"]), (3, 6, 5))

    def test_cifar_is_taken_from_its_archive_alone(self):
        cache = {"AIRLOT_DATA_DIR": str(self.folder / "cache")}
        archive = self.folder / "cifar-10-binary.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            record = tarfile.TarInfo("cifar-10-batches-bin/data_batch_1.bin")
            tar.addfile(record)
        (self.folder / "cache").mkdir()
        (self.folder / "cache" / ".lock").touch()
        for arguments, expected in (
                (("cifar10", "--from", archive),
                 f"cifar-10-binary.tar.gz: has {archive.stat().st_size} bytes, expected 170052171: is "
                 "not cifar-10-binary.tar.gz"),
                (("cifar100",), "cifar100 cannot be downloaded by airlot: get the file "
                 "cifar-100-binary.tar.gz from the page of its author (Alex Krizhevsky, University of "
                 "Toronto; the binary version), then name it with --from")):
            result = airlot("data", "fetch", *arguments, env=cache)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr.replace(f"{self.folder}/", ""), f"error: {expected}\n")


class PartitionFiles(OwnDataTest):
    def test_ids_and_row_numbers(self):
        path = self.save(arrays(PIXELS, LABELS))
        fleet = self.write("fleet.csv", "id,distance_m\nroof,10\ngate,20\n")
        who = self.write("who.csv", "sample,device\n3,gate\n5,roof\n4,roof\n")
        counts = self.folder / "counts.csv"
        sets = [part for key in (f"data.dataset={path}", "data.partition=file",
                                 f"data.partition_file={who}") for part in ("--set", key)]
        summary = json.loads(self.done("data", "partition", *sets, "--set", f"fleet.file={fleet}", "-o",
                                       counts, "--json"))
        self.assertEqual((summary["samples"], summary["unused_samples"]), (3, 17))
        self.assertEqual([(row["id"], row["samples"], row["label_0"]) for row in self.rows(counts)],
                         [("roof", "2", "0"), ("gate", "1", "1")])
        self.assertIn("Nobody holds 17 of the 20 samples.",
                      self.done("data", "partition", *sets, "--set", f"fleet.file={fleet}"))
        self.fails('who.csv:2: device = "gate": must be the row number of a device, from 1 to 2',
                   "data", "partition", *sets, "--set", "fleet.devices=2")
        self.write("who.csv", "sample,device\n3,1\n3,2\n")
        self.fails("who.csv:3: sample = 3: is there for the second time", "data", "partition", *sets,
                   "--set", "fleet.devices=2")

    def test_paths_are_relative_to_the_scenario(self):
        self.save(arrays(PIXELS, LABELS))
        self.write("who.csv", "sample,device\n3,1\n4,2\n")
        scenario = self.write("mine.toml", "[data]\ndataset = 'set.npz'\npartition = 'file'\n"
                              "partition_file = 'who.csv'\n[fleet]\ndevices = 2\n")
        self.assertEqual(self.json("data", "partition", scenario)["samples"], 2)
        self.fails('data.partition = "file": needs data.partition_file', "data", "partition",
                   "--set", "data.dataset=digits", "--set", "data.partition=file")


if __name__ == "__main__":
    unittest.main()
