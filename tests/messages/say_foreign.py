"""say_foreign - tests files that a configuration or a result names and that are no regular files,
or that make HDF5 open other files or use all memory. The program refuses each of them immediately
with a message and status 2."""
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import zlib

import h5py
import numpy as np

from say_main import GOOD, PROGRAM, assert_message, config, rdsim, run_cases

SMALL = GOOD.replace("60, 50", "6, 5")
REGION = 'regions = ( { name = "r"; labels = { file = "FILE"; dataset = "d"; equals = 1; }; } );\n'
PICTURE = 'regions = ( { name = "r"; labels = { file = "FILE"; equals = 1; }; } );\n'
FIELD = 'fields = ( { name = "f"; file = "FILE"; dataset = "d"; } );\n'
START = ('{ species = "A"; density = 10; }', '{ from = "FILE"; }')
LABELS = np.ones((5, 6), dtype=int)
ONE = ("--backend", "cpu", "--threads", "1", "--progress", "none")


def config_naming(words, file):
    """Returns a configuration that names a file in this way."""
    written = file.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if words == START:
        return SMALL.replace(*START).replace("FILE", written)
    return words.replace("FILE", written) + SMALL


def limited(*words, status, bytes_most=1 << 30, seconds=30):
    """Runs rdsim() with limits on memory and time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (bytes_most, bytes_most))
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=seconds,
                          check=False, preexec_fn=limit, env=dict(os.environ, OMP_NUM_THREADS="1"))
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def result(path="good.h5", text=SMALL):
    rdsim(config(path.replace(".h5", ".cfg"), text), *ONE, status=0)
    return path


def irregular_files_are_refused():
    os.mkfifo("fifo")
    os.mkfifo("fifo.h5")
    os.mkdir("folder")
    os.symlink("fifo", "link")
    os.symlink("circle", "circle")
    clauses = {"fifo": "it is a FIFO, not a regular file", "link": "it is a FIFO, not a regular file",
               "fifo.h5": "it is a FIFO, not a regular file",
               "/dev/zero": "it is a device, not a regular file",
               "/dev/tty": "it is a device, not a regular file",
               "folder": "is a folder, not a",
               "circle": "Too many levels of symbolic links", "absent": "No such file or directory"}
    for file, clause in clauses.items():
        for words in (REGION, PICTURE, FIELD, START):
            name = config("m.cfg", config_naming(words, file))
            assert_message(limited("check", name, status=2), file, clause)
            assert_message(limited(name, *ONE, status=2), file, clause)
        for words in (["check", file], [file, *ONE], ["info", file], ["diff", file, file],
                      ["again", file], ["sweep", file, "--list"], ["modes", file]):
            assert_message(limited(*words, status=2), file, clause)
        config("s.cfg", f'base = "{file}"; vary = ( {{ path = "a.b"; values = (1.0); }} );')
        assert_message(limited("sweep", "s.cfg", "--list", status=2), file, clause)
    assert not os.path.exists("m.h5"), os.listdir()


def a_pipe_of_the_shell_is_read():
    config("good.cfg", SMALL)
    for words in ('"$0" check <(cat good.cfg)', 'cat good.cfg | "$0" check /dev/stdin',
                  '"$0" check /dev/stdin < good.cfg'):
        done = subprocess.run(["bash", "-c", words, PROGRAM], capture_output=True, timeout=600,
                              check=False)
        assert done.returncode == 0, f"{words}: {done.stderr}"


def again_opens_only_the_inputs():
    with h5py.File("labels.h5", "w") as file:
        file["d"] = LABELS
    result("good.h5", config_naming(REGION, "labels.h5"))
    rdsim("again", "good.h5", *ONE, status=0)
    bytes_read = os.path.getsize("labels.h5")
    shutil.copy("labels.h5", "kept")
    os.mkfifo("fifo")
    with open("huge", "wb") as file:
        file.truncate(1 << 40)
    refused = {"fifo": "it is a FIFO", "/dev/zero": "it is a device", "huge": f"{1 << 40}",
               ".": "it is a folder", "/proc/kmsg": None}
    for target, message in refused.items():
        os.unlink("labels.h5")
        os.symlink(target, "labels.h5")
        done = limited("again", "good.h5", status=2)
        assert_message(done, "labels.h5: ", *([message] if message else []))
    os.unlink("labels.h5")
    for name, number in (("/dev/zero", 1 << 62), ("/dev/zero", bytes_read), ("fifo", 0),
                         ("huge", bytes_read), ("/proc/self/mem", 0), ("/dev/stdin", 5)):
        with h5py.File("good.h5", "r+") as file:
            del file["model/inputs"]
            file["model"].create_dataset("inputs", data=f"{number} {0:016x} {name}\n",
                                         dtype=h5py.string_dtype())
        done = limited("again", "good.h5", status=2)
        assert_message(done, f"{name}: ")
    assert not [name for name in os.listdir() if "again" in name], os.listdir()


def results_with_unusual_names_are_repeated():
    names = [" blank.h5", "  two blanks.h5", "blank behind .h5 ", "new\nline.h5", "\nfirst.h5",
             "last\n", "back\\slash.h5", "back\\nslash.h5", "\\", "tab\t.h5", "quote'\".h5",
             "%s%n.h5", "größe.h5", "12 0000000000000000 x", "a\n12 0000000000000000 b", "-x", "#x",
             "a  b", "\r\n", "\\\n\\n"]
    for name in names:
        with h5py.File(name, "w") as file:
            file["d"] = LABELS
        for words in (REGION, FIELD):
            result("good.h5", config_naming(words, name))
            done = rdsim("again", "good.h5", *ONE, status=0)
            assert done.stdout.startswith("identical: "), f"{name!r}: {done.stdout}"
            os.unlink("good.h5")
        with h5py.File(name, "r+") as file:
            file["d"][0, 0] = 7
        os.unlink(name)


def label_file(path, how):
    """Writes a file that makes HDF5 open another file, use a filter, or take much memory."""
    with h5py.File("other.h5", "w") as file:
        file["d"] = LABELS
    with h5py.File(path, "w") as file:
        if how == "external link":
            file["d"] = h5py.ExternalLink("other.h5", "d")
        elif how == "link behind a link":
            file["e"] = h5py.ExternalLink("other.h5", "d")
            file["d"] = h5py.SoftLink("/e")
        elif how == "link to a FIFO":
            file["d"] = h5py.ExternalLink("fifo", "d")
        elif how == "virtual" or how == "virtual FIFO" or how == "virtual here":
            layout = h5py.VirtualLayout(shape=LABELS.shape, dtype="i8")
            file["own"] = LABELS
            source = {"virtual": "other.h5", "virtual FIFO": "fifo", "virtual here": "."}[how]
            layout[:] = h5py.VirtualSource(source, "own", shape=LABELS.shape)
            file.create_virtual_dataset("d", layout)
        elif how in ("external storage", "external FIFO"):
            place = "fifo" if how.endswith("FIFO") else "/etc/passwd"
            file.create_dataset("d", shape=LABELS.shape, dtype="i8", external=[(place, 0, 240)])
        elif how == "huge chunk":  # no value is written, since that would take as much memory here
            file.create_dataset("d", shape=LABELS.shape, dtype="i4", chunks=(30000, 30000),
                                maxshape=(None, None), compression="gzip")
        elif how == "long chunk":
            file.create_dataset("d", shape=LABELS.shape, dtype="i8", chunks=(5, 1 << 26),
                                maxshape=(None, None))
        elif how == "huge extent":
            file.create_dataset("d", shape=(1 << 20, 1 << 20), dtype="i8")
        elif how == "huge extent in chunks":
            file.create_dataset("d", shape=(1 << 31, 1 << 31), dtype="i8", chunks=(100, 100))


def links_and_huge_chunks_are_refused():
    os.mkfifo("fifo")
    messages = {"external link": "'d' is an external link, and such links are not followed",
                "link behind a link": "has no data set 'd'",
                "link to a FIFO": "'d' is an external link, and such links are not followed",
                "virtual": "has its values in other files (it is virtual)",
                "virtual FIFO": "has its values in other files (it is virtual)",
                "virtual here": "has its values in other files (it is virtual)",
                "external storage": "has its values in another file, '/etc/passwd'",
                "external FIFO": "has its values in another file, 'fifo'",
                "huge chunk": "chunks of 3433 MiB, and one read may take 64 MiB",
                "long chunk": "chunks of 2560 MiB, and one read may take 64 MiB",
                "huge extent": "has the shape (1048576, 1048576)",
                "huge extent in chunks": "has the shape (2147483648, 2147483648)"}
    if not hasattr(h5py.h5p.PropDCID, "set_external"):
        del messages["external storage"], messages["external FIFO"]
    for how, message in messages.items():
        label_file("labels.h5", how)
        for words in (REGION, FIELD):
            name = config("m.cfg", config_naming(words, "labels.h5"))
            assert_message(limited("check", name, status=2), "labels.h5", message)
        os.unlink("labels.h5")


def a_group_that_is_an_external_link_is_refused():
    with h5py.File("other.h5", "w") as file:
        file["d"] = LABELS
    with h5py.File("labels.h5", "w") as file:
        file["g"] = h5py.ExternalLink("other.h5", "/")
    text = config_naming(REGION, "labels.h5").replace('dataset = "d"', 'dataset = "g/d"')
    name = config("m.cfg", text)
    assert_message(limited("check", name, status=2),
                   "'g' is an external link, and such links are not followed")


def filters_are_not_loaded():
    """Tests a data set with a filter that is not part of HDF5; the plug-in on the search path is
    not run."""
    with h5py.File("labels.h5", "w") as file:
        space = h5py.h5s.create_simple((5, 6))
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((5, 6))
        plan.set_deflate(1)
        h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_INT64, space, plan).write_direct_chunk(
            (0, 0), zlib.compress(LABELS.tobytes()))
    text = pathlib.Path("labels.h5").read_bytes()
    at = text.index(b"deflate") - 8  # id, length of the name, flags, number of values
    assert text[at:at + 2] == b"\1\0", text[at:at + 8]
    pathlib.Path("labels.h5").write_bytes(text[:at] + struct.pack("<H", 32999) + text[at + 2:])
    os.mkdir("plugins")
    source = "plugin.c"
    pathlib.Path(source).write_text(
        '#include <stdio.h>\n__attribute__((constructor)) static void run(void)'
        '{ fclose(fopen("LOADED", "w")); }\n')
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler:
        subprocess.run([compiler, "-shared", "-fPIC", source, "-o", "plugins/libfilter.so"],
                       check=True)
    os.environ["HDF5_PLUGIN_PATH"] = os.path.abspath("plugins")
    name = config("m.cfg", config_naming(REGION, "labels.h5"))
    assert_message(limited("check", name, status=2), "d in labels.h5: cannot be read", "filter")
    del os.environ["HDF5_PLUGIN_PATH"]
    assert not os.path.exists("LOADED"), "a plug-in was loaded"


def damage(path, how):
    with h5py.File(path, "r+") as file:
        totals = file["totals"][()]
        if how == "external link":
            file["extra"] = h5py.ExternalLink("fifo", "d")
        elif how == "deep link":
            file["model/deep/er"] = h5py.ExternalLink("fifo", "d")
        elif how in ("virtual", "virtual here", "virtual parts", "virtual number"):
            source = {"virtual": "fifo", "virtual here": ".",
                      "virtual number": path + ".parts/000000.h5/../../fifo",
                      "virtual parts": "other.h5.parts/000000.h5"}[how]
            layout = h5py.VirtualLayout(shape=totals.shape, dtype=totals.dtype)
            layout[:] = h5py.VirtualSource(source, "totals", shape=totals.shape)
            del file["totals"]
            file.create_virtual_dataset("totals", layout)
        elif how == "external storage":
            del file["totals"]
            file.create_dataset("totals", shape=totals.shape, dtype=totals.dtype,
                                external=[("fifo", 0, totals.nbytes)])
        elif how == "huge chunk":
            del file["counts"]
            file.create_dataset("counts", shape=(1, 5, 2, 1, 5, 6), dtype="i4",
                                maxshape=(None,) * 6, chunks=(1, 5, 2, 1, 900, 30000))
        elif how in ("own parts as FIFO", "own parts as link", "own parts that lead on"):
            os.mkdir(path + ".parts")
            part = path + ".parts/000000.h5"
            if how == "own parts as FIFO":
                os.mkfifo(part)
            elif how == "own parts as link":
                os.symlink("../fifo", part)
            else:
                with h5py.File(part, "w") as segment:
                    layout = h5py.VirtualLayout(shape=totals.shape, dtype=totals.dtype)
                    layout[:] = h5py.VirtualSource("fifo", "d", shape=totals.shape)
                    segment.create_virtual_dataset("totals", layout)
            layout = h5py.VirtualLayout(shape=totals.shape, dtype=totals.dtype)
            layout[:] = h5py.VirtualSource(part, "totals", shape=totals.shape)
            del file["totals"]
            file.create_virtual_dataset("totals", layout)


def results_with_links_are_refused():
    os.mkfifo("fifo")
    messages = {"external link": "'extra' is an external link, and such links are not followed",
                "deep link": "'model/deep/er' is an external link, and such links are not followed",
                "virtual": "totals has its values in 'fifo', and only segments in",
                "virtual here": "totals has its values in '.', and only segments in",
                "virtual parts": "totals has its values in 'other.h5.parts/000000.h5'",
                "virtual number": "totals has its values in 'bad.h5.parts/000000.h5/../../fifo'",
                "external storage": "totals has its values in another file, 'fifo'",
                "huge chunk": "counts has chunks of 1030 MiB, and one read may take 64 MiB",
                "own parts as FIFO": "bad.h5.parts/000000.h5: cannot be read: it is a FIFO",
                "own parts as link": "bad.h5.parts/000000.h5: cannot be read: it is a FIFO",
                "own parts that lead on": "bad.h5.parts/000000.h5: totals has its values in other"}
    result("good.h5")
    os.mkdir("below")
    for how, message in messages.items():
        shutil.copy("good.h5", "bad.h5")
        damage("bad.h5", how)
        config("from.cfg", config_naming(START, "bad.h5"))
        for words in (["info", "bad.h5"], ["diff", "good.h5", "bad.h5"], ["again", "bad.h5"],
                      ["diff", "bad.h5", "good.h5"], ["check", "from.cfg"]):
            assert_message(limited(*words, status=2), message)
        os.symlink("../bad.h5", "below/link.h5")
        assert_message(limited("info", "below/link.h5", status=2),
                       message.replace("bad.h5.parts/000000.h5: ", ""))
        os.unlink("below/link.h5")
        shutil.rmtree("bad.h5.parts", ignore_errors=True)
    shutil.copy("good.h5", "bad.h5")
    damage("bad.h5", "own parts as FIFO")
    os.rename("bad.h5.parts", "below/bad.h5.parts")  # where HDF5 looks first
    os.symlink("../bad.h5", "below/link.h5")
    assert_message(limited("info", "below/link.h5", status=2),
                   "below/bad.h5.parts/000000.h5: cannot be read: it is a FIFO")


def write_png(path, width, height, chunks=()):
    def chunk(kind, text):
        return struct.pack(">I", len(text)) + kind + text + struct.pack(">I", zlib.crc32(kind + text))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\1" * min(width, 1000)) * min(height, 1000))
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
                                   b"".join(chunk(*each) for each in chunks) + chunk(b"IDAT", rows) +
                                   chunk(b"IEND", b""))


def pictures_take_little_memory():
    name = config("m.cfg", config_naming(PICTURE, "p.png"))
    for width, height in ((30000, 30000), (2147483647, 2147483647), (6, 2147483647), (7, 5)):
        write_png("p.png", width, height)
        assert_message(limited("check", name, status=2),
                       f"p.png is {width} pixels wide and {height} high")
    bomb = zlib.compress(bytes(7 << 20), 9)
    texts = [(b"zTXt", b"key%d\0\0" % i + bomb) for i in range(900)]
    write_png("p.png", 6, 5, texts)
    limited("check", name, status=0, bytes_most=400 << 20)
    write_png("p.png", 6, 5, [(b"iCCP", b"profile\0\0" + bomb)] * 3)
    limited("check", name, status=0, bytes_most=400 << 20)


def large_chunks_are_read():
    """Tests chunks that are larger than the data but below the bound of 64 MiB for one read."""
    with h5py.File("labels.h5", "w") as file:
        file.create_dataset("d", data=LABELS, chunks=(1000, 1000), maxshape=(None, None),
                            compression="gzip", shuffle=True, fletcher32=True)
    limited("check", config("m.cfg", config_naming(REGION, "labels.h5")), status=0)
    result("good.h5", config_naming(REGION, "labels.h5"))
    info = json.loads(rdsim("info", "good.h5", "--json", "-", status=0).stdout)
    assert info["state"] == "complete", info


def streams_that_do_not_fill_a_chunk_are_refused():
    """Tests chunks that expand to more or less than their size; HDF5 itself takes the first ones."""
    right = LABELS.tobytes()
    refused = "is damaged: a chunk expands to "
    streams = {"good": (zlib.compress(right), 0, None),
               "long": (zlib.compress(right + b"\0"), 2, refused + "more than 240 bytes, and has 240"),
               "bomb": (zlib.compress(bytes(1 << 29), 9), 2, refused + "more than 240"),
               "short": (zlib.compress(right[:-8]), 2, refused + "232 bytes, and has 240"),
               "plain": (right, 0, None),
               "cut": (zlib.compress(right)[:-9], 2, "cannot be read")}
    for how, (stream, status, message) in streams.items():
        with h5py.File("labels.h5", "w") as file:
            data = file.create_dataset("d", shape=(1, *LABELS.shape), dtype="i8",
                                       chunks=(1, *LABELS.shape), compression="gzip")
            data.id.write_direct_chunk((0, 0, 0), stream, 1 if how == "plain" else 0)
        for words in (REGION, FIELD):
            name = config("m.cfg", config_naming(words, "labels.h5"))
            done = limited("check", name, status=status, bytes_most=400 << 20)
            if message:
                assert_message(done, "d in labels.h5", message)


def filters_after_deflate_are_refused():
    with h5py.File("labels.h5", "w") as file:
        space = h5py.h5s.create_simple((5, 6))
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((5, 6))
        plan.set_deflate(1)
        plan.set_deflate(1)
        h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_INT64, space, plan).write_direct_chunk(
            (0, 0), zlib.compress(zlib.compress(LABELS.tobytes())))
    name = config("m.cfg", config_naming(REGION, "labels.h5"))
    assert_message(limited("check", name, status=2), "has further filters after deflate")


def added_data_sets_are_compared_by_name():
    """HDF5 visits q/z before q-y; the program compares both names in the order of their bytes."""
    result("good.h5")
    shutil.copy("good.h5", "more.h5")
    for file, names in (("good.h5", ("q-y",)), ("more.h5", ("q-y", "q/z"))):
        with h5py.File(file, "r+") as to:
            for name in names:
                to[name] = np.arange(3)
    said = rdsim("diff", "good.h5", "more.h5", status=1).stdout
    assert "/q/z: only in more.h5" in said and said.count("only in") == 1, said


CASES = [
    added_data_sets_are_compared_by_name,
    streams_that_do_not_fill_a_chunk_are_refused,
    filters_after_deflate_are_refused,
    irregular_files_are_refused,
    a_pipe_of_the_shell_is_read,
    again_opens_only_the_inputs,
    results_with_unusual_names_are_repeated,
    links_and_huge_chunks_are_refused,
    a_group_that_is_an_external_link_is_refused,
    filters_are_not_loaded,
    results_with_links_are_refused,
    pictures_take_little_memory,
    large_chunks_are_read,
]

if __name__ == "__main__":
    run_cases(CASES)
