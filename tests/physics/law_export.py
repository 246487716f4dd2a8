"""law_export - models that are written as SBML and read again have the same means and variances as
the configurations themselves, by `rdsim compare`. Both run with the exact solver."""
import pathlib
import re
import zlib

from sbml_models import MODELS, rdsim, skip_without_sbml

RUNS = 5000
CONFIGURATIONS = MODELS.parent / "export"


def succeed(*words):
    done = rdsim(*words)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def round_trip(path):
    """Compares a configuration with what its SBML document is read as."""
    name = path.stem
    end = float(re.search(r"end = ([0-9.]+)", path.read_text())[1])
    seed = zlib.crc32(name.encode())
    common = ("--runs", RUNS, "--backend", "cpu", "--quiet", "--force", "--set", "output.every=1",
              "--set", 'output.keep="statistics"')
    pathlib.Path(f"{name}.xml").unlink(missing_ok=True)
    succeed("export", path, "--quiet", "--output", f"{name}.xml")
    succeed(path, "--set", "solver=exact", "--seed", seed, "--output", f"{name}_a.h5", *common)
    succeed(f"{name}.xml", "--set", f"time.end={end}", "--seed", seed + 1, "--output",
            f"{name}_b.h5", *common)
    print(name, succeed("compare", f"{name}_a.h5", f"{name}_b.h5").partition("verdict")[2].strip())


if __name__ == "__main__":
    skip_without_sbml()
    for configuration in sorted(CONFIGURATIONS.glob("*.cfg")):
        round_trip(configuration)
