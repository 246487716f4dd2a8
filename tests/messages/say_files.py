"""say_files - tests the message about a file that is no configuration, detected by content and not
by name; and which earlier result a run may replace."""
import gzip
import io
import json
import pathlib
import shutil
import zipfile

import h5py

from sbml_models import lacks_sbml
from say_main import GOOD, MODEL, assert_message, config, cpu, group, rdsim, run_cases, state

SBML = ('<?xml version="1.0" encoding="ENCODING"?>\n<sbml xmlns="http://www.sbml.org/sbml/level3/'
        'version1/core" level="3" version="1"><model id="m"/></sbml>\n')


def zipped(text):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("m.cfg", text)
    return whole.getvalue()


def each_kind_is_named():
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    yaml = "# a model\ngrid:\n  voxels: [3, 3]\nspecies:\n  - name: A\n"
    empty = SBML.replace("ENCODING", "UTF-8")
    of_sbml = ["is an SBML model, and"] if lacks_sbml() else ["has no species"]
    for content, words in [
        (empty.encode(), of_sbml), (("\ufeff \n" + empty).encode(), of_sbml),
        (SBML.encode("utf-16"), ["an SBML model"]), (SBML.encode("utf-16-le"), ["an SBML model"]),
        (SBML.encode("utf-16-be"), ["an SBML model"]), (SBML.encode("utf-32"), ["an SBML model"]),
        (empty.replace("<sbml ", "<s:sbml ").encode(), ["SBML"]),
        (b"<?xml version='1.0'?><note/>", ["an XML file"]), (b"<!DOCTYPE html><html>", ["HTML"]),
        (GOOD.encode("utf-16"), ["UTF-16", "save it as UTF-8"]), (png, ["a PNG image"]),
        (gzip.compress(GOOD.encode()), ["gzip", "unpack it"]), (zipped(GOOD), ["zip", "unpack it"]),
        (json.dumps({"grid": 1}).encode(), ["a JSON file"]), (b"\n [1, 2]", ["a JSON file"]),
        (yaml.encode(), ["a YAML file"]), (b"---\ngrid: 1\n", ["a YAML file"]),
        (b"species:\n- name: A\n", ["m.xml:2: "]), (b"", ["is empty"]),
        (b'\xef\xbb\xbf{"a": 1}', ["a JSON file"]), (b"\xef\xbb\xbf<note/>", ["an XML file"]),
        (b"\xff\xd8\xff\xe0", ["a JPEG image"]), (b"BZh9", ["bzip2"]), (b"\xfd7zXZ\0", ["xz"]),
        (b"\x28\xb5\x2f\xfd", ["zstd"]), (b"CDF\1", ["netCDF"]), (b"CDF\2", ["netCDF"]),
        (b"MATLAB 5.0 MAT-file", ["a MATLAB file"]), (b"%PDF-1.7", ["a PDF document"]),
        (b"\x7fELF\2", ["a program"]), (b"%YAML 1.2\n", ["a YAML file"]),
        (b"---\r\ngrid: 1\r\n", ["a YAML file"]), (b"a:\n  b: 1\n", ["a YAML file"]),
        (b"# external: C\nR1 : A => 2 B\n", ["a list of reactions without rates; analyse it with "
                                             "'rdsim modes FILE'"]),
        (b": A <=> B", ["a list of reactions"]),
        (b'title = "A => B";\n', ["m.xml: "]), (b"a = 1;\nA => B\n", ["m.xml:2: "]),
        (b"\xef\xbb\xbf", ["is empty"]), (b"a\0b", ["has a zero byte at 1"]),
        (b"\0" * 512 + b"\x89HDF\r\n\x1a\n", ["an HDF5 file"]),
    ]:
        pathlib.Path("m.xml").write_bytes(content)
        assert_message(rdsim("m.xml", status=2), "m.xml:", *words)
    pathlib.Path("m").write_bytes(b"\x1f\x8b" + bytes(65 << 20))
    assert_message(rdsim("check", "m", status=2),
                   "m: is not a configuration, but a file packed by gzip")
    pathlib.Path("folder.cfg").mkdir()
    assert_message(rdsim("folder.cfg", status=2), "folder.cfg: is a folder, not a configuration")
    assert_message(rdsim("sweep", "folder.cfg", status=2), "folder.cfg: is a folder, not a sweep")
    pathlib.Path("s.cfg").write_bytes(gzip.compress(b"base"))
    assert_message(rdsim("sweep", "s.cfg", status=2),
                   "s.cfg: is not a sweep, but a file packed by gzip")


def configurations_are_read():
    """Tests a byte order mark, colons instead of equals signs, and a group on the next line."""
    colons = GOOD.replace(" = ", " : ").replace("grid : {", "grid:\n  {")
    for content in (b"\xef\xbb\xbf" + GOOD.encode(), colons.encode(), b"# {\n" + GOOD.encode()):
        pathlib.Path("m.cfg").write_bytes(content)
        rdsim("check", "m.cfg", status=0)


def hdf5_files_are_distinguished():
    cpu(config("m.cfg", GOOD), "-o", "a.cfg", status=0)
    with h5py.File("other.cfg", "w") as file:
        file["x"] = [1]
    for command, noun in ((["run"], "configuration"), (["check"], "configuration"),
                          (["sweep"], "sweep")):
        assert_message(rdsim(*command, "a.cfg", status=2),
                       f"a.cfg: is a result of rdsim, not a {noun}", "rdsim info a.cfg",
                       "rdsim again a.cfg", "rdsim diff a.cfg OTHER")
        assert_message(rdsim(*command, "other.cfg", status=2),
                       f"other.cfg: is an HDF5 file, neither a result nor a {noun}")


def a_failure_at_the_start_is_replaced():
    """Tests that the corrected run replaces the failed one; a result with more than the start
    stays."""
    for name, wrong, right in [("propensity", MODEL.replace("PROPENSITY", "t - 1"), GOOD),
                               ("soon", group(start='"16 + 3 * (y < 1)"'), group())]:
        cpu(config(f"{name}.cfg", wrong), status=1)
        assert state(f"{name}.h5") == "failed", name
        shutil.copy(f"{name}.h5", f"{name}-kept.h5")
        rdsim("check", config(f"{name}.cfg", right), status=0)
        cpu(f"{name}.cfg", status=0)
        assert state(f"{name}.h5") == "complete", name
        assert_message(cpu(f"{name}.cfg", status=2), f"{name}.h5: exists")
    with h5py.File("soon-kept.h5", "r+") as file:
        file["lineage/W/births/time"][-1] = 0.125
    assert_message(cpu("soon.cfg", "-o", "soon-kept.h5", status=2), "soon-kept.h5: exists")
    cpu(config("births.cfg", group(start="16")), status=1)  # after some steps
    assert_message(cpu("births.cfg", status=2), "births.h5: exists")
    config("late.cfg", MODEL.replace("PROPENSITY", "1.25 - t"))
    cpu("late.cfg", status=1)
    before = pathlib.Path("late.h5").read_bytes()
    config("late.cfg", GOOD)
    assert_message(cpu("late.cfg", status=2), "late.h5: exists")
    assert pathlib.Path("late.h5").read_bytes() == before, "it is changed"


CASES = [
    each_kind_is_named,
    configurations_are_read,
    hdf5_files_are_distinguished,
    a_failure_at_the_start_is_replaced,
]

if __name__ == "__main__":
    run_cases(CASES)
