"""Notebooks, run by a real kernel."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted(Path(__file__).parents[1].joinpath("notebooks").glob("*.ipynb"))


def run(*cells):
    """What cells show, as HTML or as text."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in ("%load_ext ein", *cells)])
    NotebookClient(nb, kernel_name="python3", allow_errors=True, timeout=120).execute()
    return [[shown(o) for o in c.outputs] for c in nb.cells[1:]]


def shown(output):
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return output.text if output.output_type == "stream" else output.data.get("text/html", output.data["text/plain"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_notebooks(path):
    """A notebook shows what is in its file. What changes is written back for review."""
    nb = nbformat.read(path, as_version=4)
    had = [[shown(o) for o in c.get("outputs", ())] for c in nb.cells]
    NotebookClient(nb, kernel_name="python3", timeout=120).execute()
    for cell in nb.cells:
        cell.metadata.pop("execution", None)
    nb.metadata = {"kernelspec": nb.metadata.kernelspec, "language_info": {"name": "python"}}
    if had != [[shown(o) for o in c.get("outputs", ())] for c in nb.cells]:
        nbformat.write(nb, path)
        pytest.fail(f"{path} showed something else; it has been written again")


def test_values():
    (out,) = run(
        '%%ein\nA = edges([["a","b"],["b","<c>"]])\nS = desc(A, "a")\nP = path(A, "a", "<c>")\n'
        'D = dist(A, "a")\nn = sum(A)\nw[i] = 2.5 * A[i,j]\n:print A, S, P, D, n, w'
    )
    html = out[0]
    assert "<b>S</b> = b, &lt;c&gt;" in html and "<b>P</b> = a → b → &lt;c&gt;" in html and "<b>n</b> = 2<" in html
    assert "<svg" in html and "<th>a</th><td>2.5</td>" in html and "operations of at most" in html and "<c>" not in html


def test_relations():
    (out,) = run('%%ein\nPay("ann", "<b>", 2.5).\nPay(x, y, a)?')
    assert "<tr><th>x</th><th>y</th><th>a</th></tr><tr><th>ann</th><td>&lt;b&gt;</td><td>2.5</td></tr>" in out[0]


def test_whole_numbers_are_shown_whole():
    (out,) = run("%%ein\nv = vec([12345678, 3])\nr = 1.5 * v\n:print v, r")
    assert "<td>12345678</td>" in out[0] and "<td>1.85185e+07</td>" in out[0]


def test_mistakes_in_data_are_not_underlined():
    data, expression, place = run('%%ein -i \'A=[("a","b"),("","c")]\'\ninput A: graph\n:print A', "%%ein\nlonger = 1\n:why y", "%%ein -i A=3\nx = 1")
    assert "A:1:22: error[E0701]: the node is empty" in data[0] and "<u" not in data[0]
    assert "expression:1:1: error[E0201]: there is no tensor `y`" in expression[0] and "<u" not in expression[0]
    assert "the program has no input `A`\n  The" in place[0]


def test_large_values_say_what_is_left_out():
    first, second = run("%%ein\n:print range(100)", "%%ein\nA = edges([[0,99]], 100)\n:print reach(A, 0), anc(A, 0)")
    assert "… 70 more" in first[0]
    assert "<svg" not in second[0]


def test_inputs_are_expressions():
    import_, out = run("import numpy as np; M = np.eye(3)", "%%ein -i M -i 's=M.sum() - 1' -o r\ninput M: matrix\ninput s: scalar\nN = s * M")
    assert import_ == [] and "<td>2</td><td>0</td>" in out[0]


@pytest.mark.parametrize(
    "line",
    ["-i A=[('a', 'b'), ('b', 'c d')] -o r", '-i A = D["my -o edges"] -o r', "-o r -i A=[x for x in D['my -o edges'] if x]", "-i \"A=D['my -o edges']\" -o 'r'"],
)
def test_expressions_with_quotes_and_blanks(line):
    *_, out, r = run('D = {"my -o edges": [("a", "b"), ("b", "c d")]}', f"%%ein {line}\ninput A: graph\nR = desc(A, \"a\")", 'r.nodes("R")')
    assert "b, c d" in out[0] and r == ["['b', 'c d']"]


def test_an_iterator_is_read_once():
    (out,) = run("%%ein -i A=zip([0,1],[1,2])\ninput A: graph\n:print sum(A)\n:why has_path(A, 0, 2)")
    assert "= 2<" in out[0] and "0 -&gt; 1 -&gt; 2" in out[0]


def test_why():
    (out,) = run('%%ein\nA = edges([["a","b"],["b","c"]])\n:why has_path(A, "a", "c")\n:print sum(A)')
    assert "= 2<" in out[0] and "yes: a -&gt; b -&gt; c (2 edges)" in out[0]


def test_why_alone():
    """A cell may explain and print nothing, rows of relations too."""
    for cell in run(*('%%ein\nF("a", "b").\nR(x, y) <- F(x, y).\n' + why + 'R("a", "b")' for why in (":why ", " :why\t"))):
        assert "yes, in 2 steps" in cell[0] and "= 0<" not in cell[0]


@pytest.mark.parametrize(
    "cell, html, error",
    [
        ("%%ein\nx = 1\n:why y", "E0201", "CellError: expression:1:1: error[E0201]"),
        ("%%ein\nä = rech(edges([[0,1]]), 0)", "E0", "CellError: "),
        ('%%ein\nX = rech(edges([["ä","b"]]), "ä")', "X = <u style=\"text-decoration:underline wavy #b3261e\">rech</u>(edges", "CellError: cell:1:5: error[E0202]"),
        ("%%ein --max-ops 1\nA = edges([[0,1]])\n:print tc(A)", "E0531", "CellError: "),
        ("%%ein -i A=nothing\ninput A: graph\n:print A", "", "NameError: "),
        ("%%ein -i A=[(0,1)] -i A=[(1,2)]\ninput A: graph\n:print A", "", "CellError: %%ein: the input A is there twice"),
        ("%%ein -o 1x\nx = 1", "", "CellError: %%ein: -o 1x: expected the name of a variable"),
        ("%%ein --max-ops 1e400\nx = 1", "", "ValueError: the limit ops is inf, expected a whole number"),
        ("%%ein --max-ops 1.5\nx = 1", "", "ValueError: the limit ops is 1.5, expected a whole number"),
        ("%%ein -i \"A\nx = 1", "", "CellError: %%ein: No closing quotation"),
        ("%%ein --fast\nx = 1", "", "CellError: %%ein: unrecognized arguments: --fast"),
    ],
)
def test_mistakes(cell, html, error):
    (out,) = run(cell)
    assert html in out[0] and out[-1].startswith(error), out
