"""say_notebook - executes the cells of docs/tutorial.ipynb in order and compares what they print with
the outputs that it has, and the Python code of docs/python.md and docs/recipes.md.

usage: say_notebook.py [--write]    (--write stores the outputs in the notebook)
"""
import ast
import base64
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

import matplotlib
import python_package  # noqa: F401

matplotlib.use("Agg")
SOURCE = Path(os.environ["RDSIM_SOURCE"])
NOTEBOOK = SOURCE / "docs/tutorial.ipynb"


def run_cell(text, names):
    """Executes a cell. Returns what it prints, and the value of its last expression."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    page = io.StringIO()
    with contextlib.redirect_stdout(page):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return page.getvalue(), value


def outputs_of(page, value):
    """Returns the outputs of a cell in the form of a notebook."""
    import matplotlib.figure
    found = []
    if page:
        found.append({"output_type": "stream", "name": "stdout", "text": page.splitlines(True)})
    if isinstance(value, matplotlib.figure.Figure):
        picture = io.BytesIO()
        value.savefig(picture, format="png", dpi=72)
        data = {"image/png": base64.b64encode(picture.getvalue()).decode(), "text/plain": ["<Figure>"]}
        found.append({"output_type": "display_data", "metadata": {}, "data": data})
    elif value is not None:
        found.append({"output_type": "execute_result", "metadata": {}, "execution_count": None,
                      "data": {"text/plain": repr(value).splitlines(True)}})
    return found


def comparable(outputs):
    """Returns outputs without the bytes of pictures, which depend on the version of matplotlib."""
    return [{**each, "data": {"picture": True}} if "image/png" in each.get("data", {}) else each
            for each in outputs]


def run_notebook(writes):
    book, names = json.loads(NOTEBOOK.read_text()), {}
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        text = "".join(cell["source"])
        found = outputs_of(*run_cell(text, names))
        if writes:
            cell["outputs"] = found
        assert comparable(cell["outputs"]) == comparable(found), f"{text}\ngave {found}"
    if writes:
        NOTEBOOK.write_text(json.dumps(book, indent=1) + "\n")
    print(f"{NOTEBOOK.name}: {len(cells)} cells")
    return len(cells)


def run_recipe():
    """Runs the code of the recipe that fits a parameter; it prints the numbers of the page."""
    text = (SOURCE / "docs/recipes.md").read_text().split("## Fit a parameter")[1].split("\n## ")[0]
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    (name, model), = re.findall(r"^`(\w+\.cfg)`:\n\n```\n(.*?)```$", text, re.M | re.S)
    Path(name).write_text(model)
    page, _ = run_cell(code, {})
    assert page.strip() and all(f"`{line}`" in text for line in page.splitlines()), page


def main():
    assert run_notebook("--write" in sys.argv) > 8
    run_recipe()


if __name__ == "__main__":
    main()
