"""test_units - tests that /time is plain numbers for xarray, whatever the name of the time unit."""
import sys
import warnings

import h5py

from say_main import GOOD, config, cpu, run_cases

try:
    import xarray
except ImportError:
    print("xarray is missing: skipped")
    sys.exit(77)

SYMBOLS = {"hours": "h", "hour": "h", "Hours": "h", "hr": "h", "hrs": "h", "h": "h", "days": "d",
           "day": "d", "d": "d", "minutes": "min", "minute": "min", "min": "min", "mins": "min",
           "seconds": "s", "second": "s", "secs": "s", "sec": "s", "s": "s", "milliseconds": "ms",
           "microseconds": "us", "nanoseconds": "ns", "ms": "ms",
           "weeks": "weeks", "generations": "generations", "MCS": "MCS", "years": "years",
           "hourly": "hourly", "h/2": "h/2", "moons": "moons"}


def times_are_numbers():
    for word, symbol in SYMBOLS.items():
        config("m.cfg", GOOD + f'units = {{ time = "{word}"; length = "um"; }};')
        cpu("m.cfg", "--force", "--quiet", status=0)
        with h5py.File("m.h5", "r") as file:
            unit = file["time"].attrs["units"]
            assert unit == symbol, f"{word}: {unit}"
        for options in ({}, {"decode_timedelta": True}):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with xarray.open_dataset("m.h5", engine="h5netcdf", **options) as result:
                    assert result.time.dtype.kind == "f", f"{word}: {result.time.dtype}"
                    assert list(result.time.values) == [0.0, 0.5, 1.0, 1.5, 2.0], word


CASES = [times_are_numbers]

if __name__ == "__main__":
    run_cases(CASES)
