"""syntax - writes Python values in the syntax of a configuration."""
import math
import numbers
import re

from rdsim.errors import ModelError

INT32 = 2**31
is_name = re.compile(r"[A-Za-z][A-Za-z0-9_]*").fullmatch


def number_text(value, what):
    """Returns a finite number as text."""
    if type(value) is int or isinstance(value, numbers.Integral):
        value = int(value)
        if abs(value) >= 2**63:
            raise ModelError(f"{what}: is {value}; give an integer of at most 63 bits")
        return str(value) if -INT32 <= value < INT32 else f"{value}L"
    value = float(value)
    if not math.isfinite(value):
        raise ModelError(f"{what}: is {value}; give a finite number")
    text = repr(value)
    return text if re.search(r"[.e]", text) else text + ".0"


def quoted(value, what):
    """Returns a text in quotes."""
    if "\0" in value:
        raise ModelError(f"{what}: has a zero character; leave it out")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def plain(value):
    """Returns scalars and arrays of numpy as Python's numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def value_text(value, what):
    """Returns a number, text, list or dictionary in the syntax of a configuration."""
    if type(value) is str:  # most edits have nothing else
        return quoted(value, what)
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Real):
        return number_text(value, what)
    if isinstance(value, str):
        return quoted(value, what)
    if isinstance(value, dict):
        return "{ " + members(value, what) + " }"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(value_text(each, f"{what}[{i}]") for i, each in enumerate(value))
        return f"( {inside} )"
    raise ModelError(f"{what}: is a {type(value).__name__}; give a number, text, list or dictionary")


def members(group, what=""):
    """Returns the members of a dictionary as "name = value; ..."."""
    parts = []
    for name, value in group.items():
        place = f"{what}.{name}" if what else str(name)
        if not isinstance(name, str) or not is_name(name):
            raise ModelError(f"{place}: is not a name; write a letter, then letters, digits or _")
        parts.append(f"{name} = {value_text(value, place)};")
    return " ".join(parts)


def setting_text(value, what):
    """Returns a value as --set takes it: a text without quotes."""
    value = plain(value)
    if isinstance(value, str) and "\0" not in value:
        return value
    return value_text(value, what)
