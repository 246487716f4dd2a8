"""say_sbml - what `rdsim import` and `rdsim MODEL.xml` say of SBML models that cannot be converted:
status 2, the file, the line, what is wrong and what to do."""
import pathlib

from say_main import assert_message, rdsim, run_cases
from sbml_models import MODELS, skip_without_sbml

GOOD = MODELS / "birth-death.xml"


def refuse(text, *words, name="m.xml"):
    """Fails unless import refuses the model with these words in one message."""
    pathlib.Path(name).write_text(text)
    done = rdsim("import", name, status=2)
    assert not done.stdout, done.stdout
    assert_message(done, *words)


def changed(old, new, model="birth-death"):
    """Returns the text of a model with one part changed."""
    text = (MODELS / f"{model}.xml").read_text()
    assert old in text, old
    return text.replace(old, new, 1)


def a_run_needs_an_end():
    done = rdsim(str(GOOD), status=2)
    assert_message(done, "birth-death.xml: has no end of the simulation", "--set time.end=50")


def a_converted_text_is_a_configuration():
    text = rdsim("import", str(GOOD), status=0).stdout
    assert text.startswith("# Converted by rdsim from birth-death.xml (SBML, "), text
    pathlib.Path("m.cfg").write_text(text)
    assert_message(rdsim("m.cfg", status=2), "m.cfg: has no end of the simulation")
    rdsim("m.cfg", "--set", "time.end=1", status=0)
    rdsim("again", "m.h5", status=0)


def a_result_of_a_model_repeats_without_it():
    pathlib.Path("own.xml").write_text(GOOD.read_text())
    rdsim("own.xml", "--set", "time.end=1", status=0)
    pathlib.Path("own.xml").unlink()
    rdsim("again", "own.h5", status=0)


def other_files():
    refuse("hello\n", "m.xml: is not a model of another program")
    refuse("<html></html>\n", "m.xml: is not a model", "a web page")
    pathlib.Path("m.zip").write_bytes(b"PK\3\4" + bytes(100))
    assert_message(rdsim("import", "m.zip", status=2), "m.zip: ", "zip archive; unpack it first")
    assert_message(rdsim("import", "none.xml", status=2), "none.xml: cannot be opened")
    pathlib.Path("wide.xml").write_text(GOOD.read_text(), encoding="utf-16")
    assert_message(rdsim("import", "wide.xml", status=2), "wide.xml: ", "save it as UTF-8")


def invalid_sbml():
    text = GOOD.read_text()
    refuse(text[:len(text) // 2], "m.xml:", "not valid SBML")
    refuse(changed("<ci>mu</ci>", "<ci>nu</ci>"), "m.xml:30: is not valid SBML", "'nu'")
    refuse(changed("</listOfSpecies>", "</listOfSpeciez>"), "m.xml:9: is not valid SBML")


CASES = [a_run_needs_an_end, a_converted_text_is_a_configuration,
         a_result_of_a_model_repeats_without_it, other_files, invalid_sbml]

if __name__ == "__main__":
    skip_without_sbml()
    run_cases(CASES)
