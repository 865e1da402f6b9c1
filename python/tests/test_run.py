"""Programs and data: what Python has goes in, arrays and labels come out."""

import array
import pathlib
import sqlite3
from collections import ChainMap, namedtuple
from decimal import Decimal

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ein
from ein import _html

OWNS = [("holding", "north"), ("north", "harbor"), ("south", "harbor")]
CONTROLS = 'input Owns: graph\nControls = desc(Owns, "holding")'


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ein.run(CONTROLS, OWNS), "as A=data"),  # pyright: ignore[reportArgumentType]
        (lambda: ein.run("n = 1", limits={"ops": 3}), r"limits are ein.Limits\(ops=.*found dict"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_how_it_is_called(call, said):
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize(
    "owns",
    [
        OWNS,
        set(OWNS),
        (e for e in OWNS),
        {"holding": ["north"], "north": ["harbor"], "south": ["harbor"]},
        {"holding": {"north": 1}, "north": {"harbor": 1}, "south": {"harbor": 1}},
        nx.DiGraph(OWNS),
        nx.MultiDiGraph([*OWNS, OWNS[0]]),
        pd.DataFrame(OWNS),
        pd.DataFrame(OWNS, columns=["source", "target"]),
        pd.DataFrame([(1, v, u) for u, v in OWNS], columns=["share", "to", "from"]),
        ein.Graph(np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]]), nodes=["holding", "north", "harbor", "south"]),
        ein.Graph(sp.coo_array(([1, 1, 1], ([0, 1, 3], [1, 2, 2])), shape=(4, 4)), nodes=["holding", "north", "harbor", "south"]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_graphs(owns):
    assert sorted(ein.run(CONTROLS, Owns=owns).nodes("Controls")) == ["harbor", "north"]


def test_equal():
    """Results are equal as mappings of values are, whichever way each is stored."""

    def run(text: str) -> ein.Result:
        return ein.run("input A: graph\n" + text, A=ein.Graph([(0, 1), (1, 2)], options="nodes=200"))

    text = "P(x, 1.5) <- A(x, _).\n:print A, tc(A), out_degree(A), count(A), P"
    assert run(text) == run(text) != run(text.replace("1.5", "2"))
    assert run("B = A") == run("B = 1 * A") != run("B = 2 * A")
    assert run("n = count(A)") == {"n": 2}


def test_undirected():
    r = ein.run("input A: graph\n:print A", A=nx.path_graph(3))
    assert r.A.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert r.labels == []


def test_nodes_that_are_other_numbers_are_labels():
    assert ein.run("input A: graph\nR = desc(A, 0)", A=nx.DiGraph([(10, 20), (20, 30)])).nodes("R") == ["20", "30"]


SINGLE = [tuple(row) for row in np.array([(24, 8), (8, 3.5)], np.float32)]


@pytest.mark.parametrize("edges", [SINGLE, {u: [v] for u, v in SINGLE}, dict.fromkeys(SINGLE, 1), nx.DiGraph(SINGLE), [(24.0, 8.0), (8.0, 3.5)], {24.0: [8.0], 8.0: [3.5]}, {(24.0, 8.0): 1, (8.0, 3.5): 1}, nx.DiGraph([(24.0, 8.0), (8.0, 3.5)])])
def test_whole_numbers_as_floats(edges):
    assert ein.run('input A: graph\nR = reach(A, "24")', A=edges if hasattr(edges, "adj") or 24.0 in edges else ein.Graph(edges, options="ids=label")).labels == ["24", "8", "3.5"]


def test_numbers_that_are_labels():
    accounts = [(5000028, 5000001), (5000001, 42)]
    with pytest.raises(ein.InputError, match="node numbers or labels"):
        ein.run('input A: graph\nR = reach(A, 0)', A=accounts)
    r = ein.run('input A: graph\nR = reach(A, "5000001")', A=ein.Graph(accounts, options="ids=label"))
    assert r.nodes("R") == ["5000001", "42"]
    with pytest.raises(ein.InputError, match="options= is for edges"):
        ein.run('input A: graph\nR = reach(A, 0)', A=ein.Graph(np.eye(3), options="ids=label"))


@pytest.mark.parametrize(
    "a",
    [
        nx.DiGraph([(2, 1), (1, 0)]),
        nx.to_pandas_adjacency(nx.DiGraph([(2, 1), (1, 0)])),
        nx.to_pandas_adjacency(nx.DiGraph([(2, 1), (1, 0)]), nodelist=[0, 1, 2]),
        {2: [1], 1: [0]},
        {2: {1: 1}, 1: {0: 1}},
    ],
)
def test_ids_are_those_of_the_data(a):
    """An option read the places of nodes for their labels, and turned edges around."""
    r = ein.run('input A: graph\nR = path(A, "2", "0")', A=ein.Graph(a, options="ids=label"))
    assert r.nodes("R") == ["2", "1", "0"]
    r = ein.run("input A: graph\nR = path(A, 2, 0)", A=ein.Graph(a, options="ids=number"))
    assert r.nodes("R") == [2, 1, 0]


def test_ids_of_labels():
    a = ein.Graph({"a": ["b"], "b": ["c"]}, options="ids=label")
    b = ein.Graph(nx.DiGraph([("b", "c")]), options="ids=label")
    assert ein.run("input A: graph\ninput B: graph\nC[i,k] = A[i,j] B[j,k]", A=a, B=b).C.tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert ein.run("input A: graph\nn = sum(A)", A=ein.Graph({5000001: [42]}, options="ids=label")).labels == ["5000001", "42"]
    assert ein.run("input A: graph\n:print A", A=ein.Graph(nx.path_graph(3), options="ids=label")).A.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_nodes_with_one_label():
    with pytest.raises(ein.InputError, match="A: two nodes have the label '1'"):
        ein.run("input A: graph\n:print A", A=nx.DiGraph([("1", 1)]))
    for ends in ([[1, "x"], ["1", "y"]], [[1, "1"]], [[1.5, "1.5"]]):
        with pytest.raises(ein.InputError, match="A: two nodes have the label '1"):
            ein.run("input A: graph\n:print A", A=pd.DataFrame(ends, columns=["u", "v"], dtype=object))
    with pytest.raises(ein.InputError, match="in the columns .* are nodes: unhashable type: 'list'"):
        ein.run("input A: graph\n:print A", A=pd.DataFrame({"u": [["a"]], "v": ["b"]}))
    for v in ({0: 1, 1: 2, "1": 3}, pd.Series([1, 2, 3], index=[0, 1, "1"])):
        with pytest.raises(ein.InputError, match="V: two nodes have the label '1'"):
            ein.run("input A: graph\ninput V: vector\n:print V", A=[(0, 1)], V=v)


@pytest.mark.parametrize(
    "weights",
    [
        ein.Graph(nx.DiGraph([(0, 1, {"km": 2.5}), (1, 2, {"km": 4})]), weight="km"),
        ein.Graph(pd.DataFrame({"u": [0, 1], "v": [1, 2], "km": [2.5, 4]}), weight="km"),
        [(0, 1, 2.5), (1, 2, 4)],
        [(np.int64(0), np.int32(1), np.float32(2.5)), (1, 2, 4)],
        {0: {1: 2.5}, 1: {2: 4}, 2: {}},
        [[0, 2.5, 0], [0, 0, 4], [0, 0, 0]],
        np.array([[0, 2.5, 0], [0, 0, 4], [0, 0, 0]]),
        np.array([[0, 2.5, 0], [0, 0, 4], [0, 0, 0]]).astype(">f4").T.copy().T,
        np.array([[0, 2.5, 0], [0, 0, 4], [0, 0, 0]], dtype=np.float16),
        np.array([[0, 2.5, 0], [0, 0, 4], [0, 0, 0]], dtype=">f2"),
        sp.csr_array(np.array([[0, 2.5, 0], [0, 0, 4], [0, 0, 0]])),
        sp.csc_matrix(np.array([[0, 2.5, 0], [0, 0, 4], [0, 0, 0]])),
        pathlib.Path,
    ],
    ids=lambda x: type(x).__name__,
)
def test_matrices(weights, tmp_path):
    if weights is pathlib.Path:
        (tmp_path / "w.csv").write_text("u,v,km\n0,1,2.5\n1,2,4\n")
        weights = ein.File(tmp_path / "w.csv", "weight=km")
    r = ein.run("input W: matrix\nTwo[i,k] = W[i,j] W[j,k]\n:print Two, W", W=weights)
    assert r.Two.tolist() == [[0, 0, 10], [0, 0, 0], [0, 0, 0]]
    assert r.W.dtype == np.float64 and r.Two.dtype in (np.int64, np.float64)


def test_weights_are_asked_for():
    g = nx.DiGraph([(0, 1, {"km": 2}), (1, 2, {"km": 3})])
    assert ein.run("input W: matrix\n:print sum(W)", W=g)["sum(W)"] == 2
    with pytest.raises(ein.InputError, match="W: the edge 0 -> 1 has no attribute 'miles'"):
        ein.run("input W: matrix\n:print sum(W)", W=ein.Graph(g, weight="miles"))


def test_weights_that_are_called_weight():
    total = "input W: matrix\n:print sum(W)"
    g = nx.DiGraph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3})])
    t = pd.DataFrame({"u": [0, 1], "v": [1, 2], "weight": [2, 3]})
    for data in (g, t):
        assert ein.run(total, W=data)["sum(W)"] == 5
        assert ein.run(total, W=ein.Graph(data, weight=None))["sum(W)"] == 2
        assert ein.run("input A: graph\n:print sum(A)", A=data)["sum(A)"] == 2
    g.add_edge(2, 0)
    with pytest.raises(ein.InputError, match="the edge 2 -> 0 has no attribute 'weight'\nein.Graph"):
        ein.run(total, W=g)


def test_numbers_of_numpy_are_nodes():
    a, b = np.int64(0), np.int32(1)
    assert ein.run("input A: graph\n:print A", A=nx.DiGraph([(a, b)])).labels == []
    assert ein.run("input A: graph\n:print A", A={a: [b]}).labels == []


def test_a_column_of_labels_and_numbers():
    assert ein.run("input A: graph\n:print A", A=pd.DataFrame({"u": [1, 2], "v": [2, "x"]})).labels == ["1", "2", "x"]


@pytest.mark.parametrize(
    "v", [[1, 2, 4], np.array([1, 2, 4], np.uint8), pd.Series([1, 2, 4]), {0: 1, 1: 2, 2: 4}, array.array("d", [1, 2, 4])], ids=lambda x: type(x).__name__
)
def test_vectors(v):
    assert ein.run("input v: vector\nw = 2 * v", v=v).w.tolist() == [2, 4, 8]


def test_a_buffer_of_two_axes():
    assert ein.run("input M: matrix\nN[i,j] = M[i,j]", M=memoryview(np.array([[1, 2], [3, 4.5]]))).N.tolist() == [[1, 2], [3, 4.5]]


@pytest.mark.parametrize(
    "v",
    [
        {"a": True, "b": False},
        {"a": np.bool_(True), "b": np.int8(0)},
        {"a": np.float32(1), "b": np.float64(0)},
        pd.Series([True, False], index=["a", "b"]),
        ein.Graph(sp.coo_array(np.array([1, 0])), nodes=["a", "b"]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_numbers_of_every_kind_by_label(v):
    r = ein.run("input A: graph\ninput v: vector\nw[i] = A[i,j] v[j]", A=ein.Graph(np.eye(2), nodes=["a", "b"]), v=v)
    assert r.w.tolist() == [1, 0]


def test_adjacency_tables():
    for g in (nx.DiGraph([("a", "b"), ("c", "a")]), nx.DiGraph([(3, 1), (1, 2)]), nx.DiGraph([(1, 0), (0, 2)])):
        r = ein.run("input A: graph\n:print A", A=nx.to_pandas_adjacency(g))
        assert r.A.tolist() == nx.to_numpy_array(g).tolist()
        assert r.labels == ([] if 0 in g and list(g) == [0, 1, 2] else [str(n) for n in g])
    km = pd.DataFrame([[0, 2.5], [0, 0]], index=["a", "b"], columns=["a", "b"])
    assert ein.run("input W: matrix\n:print W", W=km).W.tolist() == [[0, 2.5], [0, 0]]


def test_arrays_without_elements():
    r = ein.run("input A: graph\n:print A", A=sp.csr_array((0, 0)))
    assert r.A.shape == (0, 0) and r.output("A").tolist() == []


def test_whole_numbers_stay_exact():
    for big in (np.array([[2**53, 0]]), np.array([[2**64 - 1, 0]], np.uint64), sp.csr_array(np.array([[-(2**53), 0]]))):
        with pytest.raises(ein.InputError, match="whole numbers below 2\\^53"):
            ein.run("input W: matrix\n:print W", W=big)
    assert ein.run("input W: matrix\n:print W", W=np.array([[2.0**60, 1 - 2**53]])).W.tolist() == [[2.0**60, 1.0 - 2**53]]


def test_vector_by_label():
    r = ein.run("input A: graph\ninput v: vector\nw[i] = A[i,j] v[j]", A=[("a", "b")], v=pd.Series({"a": 1.5, "b": 2.5}))
    assert r.w.tolist() == [2.5, 0]


def test_a_real_is_a_float():
    (rows,) = ein.run('F("a", 1.5, 3).  F("b", 2.0, 4).\nF(x, y, z)?').values()
    assert repr(rows) == "[('a', 1.5, 3), ('b', 2.0, 4)]"


def test_a_mapping_is_by_node():
    """Its first key is not the first node of a graph whose nodes have other places."""
    asked = "input A: graph\ninput v: vector\n:print v"
    g, values = nx.DiGraph([(2, 1), (1, 0)]), {0: 10, 1: 11, 2: 12}
    for v in (values, pd.Series([10, 11, 12], index=[0, 1, 2])):
        with pytest.raises(ein.InputError, match="the nodes are numbers here, but labels in A"):
            ein.run(asked, A=g, v=v)
        r = ein.run(asked, A=g, v=ein.Graph(v, options="ids=label"))
        assert (r.labels, r.v.tolist()) == (["2", "1", "0"], [12, 11, 10])
    assert ein.run(asked, A=g, v=pd.Series([10, 11, 12])).v.tolist() == [10, 11, 12]


def test_relations():
    rows = [("ann", "bob", 10), ("bob", "cy", 25)]
    columns = ["from", "to", "amount"]
    program = 'input Pay(from: node, to: node, amount: int)\nFar(x, y) <- Pay(x, y, _).\nFar(x, z) <- Far(x, y), Pay(y, z, _).\nFar(x, y)?\nFar("ann", "cy")?'
    frame = pd.DataFrame(rows, columns=columns)[["amount", "to", "from"]]
    for data in (ein.Rows(rows), ein.Rows(frame), ein.Rows([dict(zip(columns, r, strict=True)) for r in rows]), [list(r) for r in rows]):
        r = ein.run(program, Pay=data)
        o = r.output("Far(x, y)?")
        assert (o.kind, o.columns, r["Far(x, y)?"]) == ("relation", ["x", "y"], [("ann", "bob"), ("ann", "cy"), ("bob", "cy")])
        assert o.tolist()[0] == ["ann", "bob"] and "3 rows" in repr(o) and "('ann', 'cy')" in repr(r)
        assert r['Far("ann", "cy")?'] is True
        with pytest.raises(TypeError, match="is a relation"):
            o.array()
    with pytest.raises(ein.InputError, match="column `amount`, found null"):
        ein.run(program, Pay=ein.Rows([("ann", "bob", None)]))
    for data in (rows, [("ann",)], [(1.0,)], frame, {"ann": ["bob"]}, nx.DiGraph(), np.eye(2)):
        with pytest.raises(ein.InputError, match=r"Pay is a relation: write Pay=ein.Rows\(...\), with a DataFrame or a list of tuples\."):
            ein.run(program, Pay=data)
    with pytest.raises(ein.InputError, match=r"write Has=ein.Rows\(...\)"):
        ein.run("input Has(a: node)\nHas(x)?", Has=pd.DataFrame({"a": ["ann"]}))
    with pytest.raises(ein.InputError, match="has no rows"):
        ein.run(program, Pay=ein.Rows("ann"))


def test_what_is_wrapped_can_be_read_again():
    """An iterator had no rows the second time, and the answer was that there are none."""
    pay = ein.Rows((x, y) for x, y in OWNS)
    owns = ein.Graph(iter(OWNS), options="ids=label")
    for _ in range(2):
        assert len(ein.run("input Pay(a: node, b: node)\nPay(x, y)?", Pay=pay)["Pay(x, y)?"]) == len(OWNS)
        assert ein.run("input A: graph\nn = sum(A)", A=owns).n == len(OWNS)


Named = namedtuple("Named", "to payer")


@pytest.mark.parametrize(
    "rows",
    [
        [Named("bob", "ann")],
        pd.DataFrame([Named("bob", "ann")]).itertuples(),
        pd.DataFrame([Named("bob", "ann")]).to_records(),
        (row for _, row in pd.DataFrame([Named("bob", "ann")]).iterrows()),
        [ChainMap({"to": "bob"}, {"payer": "ann"})],
        pd.DataFrame({"from": ["ann"], "to": ["bob"]}).itertuples(index=False),
        sqlite3.connect(":memory:"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_rows_by_name(rows):
    """Rows that have names were read in their order, which exchanged the ends of what they say."""
    if isinstance(rows, sqlite3.Connection):
        rows.row_factory = sqlite3.Row
        rows = rows.execute("select 'bob' as [to], 'ann' as payer")
    r = ein.run("input Pay(payer: node, to: node)\nPay(x, y)?", Pay=ein.Rows(rows))
    assert r["Pay(x, y)?"] == [("ann", "bob")]


@pytest.mark.parametrize("unit", ["datetime64[ns]", "timedelta64[ns]"])
def test_nanoseconds_are_no_dates(unit):
    """NumPy gives them as integers, which were nodes and texts."""
    at = np.array([1704153600000000000], unit)
    for rows in ([(at[0], "x")], [(at, "x")]):
        with pytest.raises(ein.InputError, match=r"64\[ns\] is an integer in Python, use \w+64\[us\]"):
            ein.run("input At(t: text, b: node)\nAt(t, x)?", At=ein.Rows(rows))


def test_the_weight_is_no_end():
    """It was the source where it came first."""
    table = pd.DataFrame({"weight": [3], "u": ["x"], "v": ["y"]})
    for data, n in ((table, 3), (ein.Graph(table, weight=None), 1), (ein.Graph(table.rename(columns={"weight": "km"}), weight="km"), 3)):
        r = ein.run("input A: matrix\n:print A", A=data)
        assert r.labels == ["x", "y"] and r.A.tolist() == [[0, n], [0, 0]]
    with pytest.raises(ein.InputError, match="edges have a source and a target"):
        ein.run("input A: matrix\n:print A", A=table.set_index("u"))


class Arrow:
    """A table as polars and PyArrow have. One of two columns and two rows was a matrix."""

    columns = ("source", "target")
    __array__ = to_pandas = __iter__ = lambda self: np.eye(2)


class Lazy:
    """A query of polars, for whose columns it does work and warns."""

    columns = property(lambda self: pytest.fail("asked for its columns"))
    collect = collect_schema = lambda self: pytest.fail("ran it")


def test_tables_of_other_libraries():
    for data in (Lazy(), ein.Rows(Lazy())):
        with pytest.raises(ein.InputError, match=r"A: test_run.Lazy (is no data for an input|has no rows)\ndata.collect\(\).to_pandas\(\) "):
            ein.run("input A: graph", A=data)
    for program, data in (("input A: graph\n:print A", Arrow()), ("input A: graph\n:print A", ein.Graph(Arrow(), weight=None)), ("input A(a: node, b: node)\nA(x, y)?", ein.Rows(Arrow()))):
        with pytest.raises(ein.InputError, match=r"A: test_run.Arrow (is no data for an input|has no rows)\ndata.to_pandas\(\) "):
            ein.run(program, A=data)


def test_room_behind_a_sparse_matrix():
    """SciPy lets arrays be longer than what they hold."""
    s = sp.csr_array(np.array([[0, 2], [3, 0]]))
    s.data, s.indices = np.append(s.data, 9), np.append(s.indices, 0).astype(np.int32)
    assert ein.run("input A: matrix\n:print A", A=s).A.tolist() == s.toarray().tolist() == [[0, 2], [3, 0]]


def test_weights_by_pair():
    weights = {("a", "b"): 1.5, ("b", "c"): 2.5}
    for W in (weights, pd.Series(weights)):
        r = ein.run("input W: matrix\nd = wdist(W, \"a\")", W=W)
        assert r.d.tolist() == [0, 1.5, 4]
    r = ein.run("input W: matrix\nd = sum(W)", W={(0, 1): 2, (1, 2): 3})
    assert r.d == 5


@pytest.mark.parametrize("s", [True, np.bool_(True), np.array(True)], ids=lambda x: type(x).__name__)
def test_truth_is_a_number(s):
    assert ein.run("input s: scalar\nt = s + 2", s=s).t == 3


@pytest.mark.parametrize("s", [3, 3.0, np.int64(3), np.float32(3), np.array(3)], ids=lambda x: type(x).__name__)
def test_scalars(s):
    r = ein.run("input s: scalar\nt = s + 1", s=s)
    assert r.t == 4 and isinstance(r.t, int)


def test_empty_graph():
    assert ein.run("input A: graph\n:print sum(A)", A={0: [], 1: []})["sum(A)"] == 0


def test_large_arrays_come_back_the_same():
    a = np.random.default_rng(1).random((700, 300))
    assert np.array_equal(ein.run("input A: matrix\nB[j,i] = A[i,j]", A=a).B, a.T)
    s = sp.random_array((2000, 2000), density=1e-3, rng=np.random.default_rng(2), format="csr")
    out = ein.run("input A: matrix\n:print A", A=s).output("A")
    assert (out.sparse() != s).nnz == 0 and np.array_equal(out.array(), s.toarray())


def test_a_large_sparse_matrix_is_shown_by_its_shape():
    r = ein.run("input W: matrix\nX = W > 2", W=sp.csr_array((200_000, 200_000)))
    assert repr(r) == "X = <X: bool of shape (200000, 200000)>"


def test_layouts_agree():
    s = sp.random_array((500, 500), density=2e-3, rng=np.random.default_rng(3), format="csr")
    text = "input A: matrix\nB = A > 0\n:print A, B, tc(B), scc(B), reach(B, 3), components(B), 2 * A, sum(A), bits\n"
    text = "input A: matrix\nB[i,j] = A[i,j] > 0\n:print A, B, tc(B), scc(B), reach(B, 3), sum(A)"
    r = ein.run(text, A=s)
    assert {o._layout for o in r.outputs.values()} >= {"csr", "bits", "groups", "number"}
    for o in r.outputs.values():
        assert np.array_equal(np.asarray(o.value), np.asarray(o.tolist())), o
        assert np.asarray(o.value).shape == o.shape
        if len(o.shape) == 2:
            assert np.array_equal(o.sparse().toarray(), o.value), o


def test_result():
    r = ein.run('A = edges([["a","b"],["b","c"]])\nP = path(A, "a", "c")\nn = sum(A)\n:print P, n')
    assert list(r) == ["P", "n"] and len(r) == 2 and dict(r)["n"] == 2
    assert r.nodes("P") == ["a", "b", "c"] and r.labels == ["a", "b", "c"]
    assert repr(r) == "P = ['a', 'b', 'c']\nn = 2"
    assert r.ops > 0 and r.peak_bytes > 0 and r.seconds >= 0 and r.warnings == []
    with pytest.raises(KeyError, match="no output 'Q'; the outputs are P, n"):
        r["Q"]
    with pytest.raises(AttributeError):
        r.Q
    with pytest.raises(TypeError, match="n is no set of nodes"):
        r.nodes("n")
    with pytest.raises(TypeError, match=r"n is no vector and no matrix: it is int of shape \(\)"):
        r.output("n").sparse()


def test_a_matrix_whose_nodes_are_called_as_columns_are():
    flow = nx.DiGraph([("source", "a"), ("a", "target")])
    assert ein.run("input A: graph\n:print A", A=nx.to_pandas_adjacency(flow)).A.tolist() == nx.to_numpy_array(flow).tolist()


@pytest.mark.parametrize("columns", [["Source", "Target", "Weight"], ["from_id", "to_id", "weight"], ["SRC", "Dest", "WEIGHT"]])
def test_columns_by_their_usual_names(columns, tmp_path):
    """As a file with these columns is read."""
    table = pd.DataFrame([["x", "a", "b", 2.5]], columns=["id", *columns])
    r = ein.run("input W: matrix\n:print W", W=table)
    assert (r.labels, r.W.tolist()) == (["a", "b"], [[0, 2.5], [0, 0]])
    table.to_csv(tmp_path / "w.csv", index=False)
    assert ein.run("input W: matrix\n:print W", W=ein.File(tmp_path / "w.csv")).W.tolist() == r.W.tolist()


@pytest.mark.parametrize(
    "data, message",
    [
        ("graph.csv", "A: str is no data for an input"),
        (object(), "A: object is no data"),
        (np.array(["a"]), "A: an array of <U1 is no data"),
        (np.zeros((2, 2), complex), "A: an array of complex128"),
        (np.array("a"), "A: an array of <U1 is no data"),
        (np.longdouble(1), "A: an array of .* is no data"),
        (sp.coo_array(np.ones((2, 2, 2))), "A: a sparse array of 3 axes is no data"),
        ([[0, float("nan")], [0, 0]], r"A: nan in \[0, nan\], expected a finite number"),
        ([("a", "b", float("inf"))], r"A: inf in \('a', 'b', inf\)"),
        (nx.DiGraph([("a", "b", {"weight": float("nan")})]), "A: nan in"),
        (nx.DiGraph(OWNS).edges(), "OutEdgeView is a view of a graph\nGive the graph itself"),
        (nx.DiGraph(OWNS).edges(data=True), "OutEdgeDataView is a view"),
        (nx.DiGraph(OWNS).adj, "AdjacencyView is a view"),
        (nx.DiGraph(OWNS).degree, r"DegreeView is a view of a graph\ndict\(\) of it is a vector by node"),
        ({"a": {"b": {"weight": 3}}}, "A: the weight of 'a' -> 'b' is {'weight': 3}, expected a number"),
        (np.ma.masked_array(np.eye(2), mask=np.eye(2)), r"A: the array has masked elements\ndata.filled\(0\)"),
        (pd.array([1, None], dtype="Int64"), r"A: the array has masked elements\ndata.fillna\(0\)"),
        (pathlib.Path("graph.csv"), "PosixPath is no data for an input\nein.File"),
        (ein.Graph(np.eye(2), nodes=["a"]), "A: there is 1 label, and the array is 2x2"),
        (ein.Graph(sp.eye_array(2), nodes=["a", "b", "c"]), "A: there are 3 labels, and the array is 2x2"),
        ([(object(), 1)], r"A: <object object .* in \(<object object .*, 1\), expected text, an int or a float"),
        (ein.Graph([(0, 1)], weight="w"), "A: weight= is for"),
        (ein.Graph([(0, 1, 5)], weight=None), "A: weight= is for graphs of NetworkX and tables, not for list\noptions='weight=none' ignores"),
        (ein.Graph(np.eye(2), weight=None), "A: weight= is for graphs of NetworkX and tables, not for numpy.ndarray$"),
        (ein.Graph(ein.File("roads.csv"), weight="km"), "A: weight= is for"),
        (ein.Graph([(0, 1)], nodes=["a"]), "A: nodes= is for arrays"),
        (ein.Graph(np.eye(2), nodes=["a", "a"]), "A: two nodes have the label 'a'"),
        (ein.Graph(np.eye(2), nodes={"a", "b"}), "A: nodes= is a set, whose order says nothing"),  # pyright: ignore[reportArgumentType]
        (ein.Rows(sp.eye_array(2)), "A: scipy.sparse.* has no rows"),
        ([], r"E0701(.|\n)*In Python: A=ein.Graph\(data, options='nodes=5'\)"),
        ({}, r"E0701(.|\n)*In Python: A=ein.Graph\(data, options='nodes=5'\)"),
        (ein.Graph(pd.DataFrame({"u": [1], "v": [2]}), weight="w"), r"A: no columns \['u', 'v', 'w'\]"),
        (pd.DataFrame({"u": ["a"], "v": ["b"], "w": [1], "n": [2]}).groupby(["u", "v"]).sum(), r"A: edges are columns of a table, and its index has the names \['u', 'v'\]\ntable.reset_index\(\)"),
        (pd.DataFrame({"source": ["a"], "target": ["b"], "n": [2]}).set_index("source"), r"A: edges are columns of a table, and its index has the names \['source'\]"),
        (pd.crosstab(pd.Series(["a", "b"], name="source"), pd.Series(["x", "y"], name="target")), "A: edges are columns of a table"),
        (pd.DataFrame({"u": [1]}), r"A: the columns are \['u'\], and edges have a source and a target"),
        (pd.DataFrame([[1, 2, 3]], columns=["source", "target", "target"]), "A: two columns are named 'target'"),
        (pd.DataFrame({"u": pd.array([1, None], dtype="Int64"), "v": [2, 3]}), "A: a row of"),
        (pd.DataFrame(np.eye(3)), "A: a table of 3x3 without names"),
        (nx.to_pandas_adjacency(nx.path_graph("ab"), nonedge=np.nan), "A: a row of"),
        (pd.DataFrame({"u": ["a", None], "v": ["b", "c"]}), "A: a row of"),
        ({"a": [["b"]]}, r"A: \['b'\] is not a node"),
        ({"a": 1, "b": "c"}, "A: expected an int or float for every node, or the neighbours of every node; 'a' has 1"),
        ({"a": Decimal("0.5")}, r"the neighbours of every node; 'a' has Decimal\('0.5'\)"),
        ([("a", "b", Decimal("0.5"))], r"Decimal\('0.5'\) in .*, expected text, an int or a float"),
        (ein.File("missing.csv"), "A: the file missing.csv cannot be read"),
        ([(0, 1, 2, 3)], "E0701"),
        (np.zeros(3), "E0701"),
    ],
)
def test_data_that_is_none(data, message):
    with pytest.raises(ein.InputError, match=message):
        ein.run("input A: graph\n:print A", A=data)


@pytest.mark.parametrize("rel", [ein.Rows([(2, 1), (0, 1)]), ein.Rows([("c", "b"), ("a", "b")])])
def test_an_array_among_labels(rel):
    """Its nodes are numbers. They were taken for the labels by their order, so the row 2 was that of the node "0"."""
    a = np.zeros((3, 3))
    a[2, 1] = 1
    text = "input A: graph\ninput R(a: node, b: node)\nS(x, y) <- R(x, y), A(x, y).\nS(x, y)?"
    with pytest.raises(ein.InputError, match="the nodes are numbers here, but the program uses the label"):
        ein.run(text, A=a, R=rel)
    last, middle = rel.data[0]
    nodes = [rel.data[1][0], middle, last]
    assert ein.run(text, A=ein.Graph(a, nodes=nodes), R=rel)["S(x, y)?"] == [(str(last), str(middle))]


def test_arrays_over_other_nodes():
    a = np.eye(2)
    with pytest.raises(ein.InputError, match="B: its nodes are not those"):
        ein.run("input A: graph\ninput B: graph\n:print A, B", A=ein.Graph(a, nodes=["a", "b"]), B=ein.Graph(a, nodes=["a", "c"]))


@pytest.mark.parametrize("v", [nx.DiGraph(OWNS), {("a", "b"): 1}, [("a", 1)], pd.DataFrame({"node": ["a"], "n": [1]})], ids=lambda x: type(x).__name__)
def test_edges_are_no_vector(v):
    with pytest.raises(ein.InputError, match="\nV is a vector: write a mapping or a Series, from node to number"):
        ein.run("input A: graph\ninput V: vector\n:print A, V", A=OWNS, V=v)


@pytest.mark.filterwarnings("error")
def test_errors_have_diagnostics():
    with pytest.raises(ein.CheckError) as e:
        ein.run('X = rech(edges([["ä","b"]]), "ä")', name="x.ein")
    d = e.value.diagnostics[0]
    assert (d.code, d.severity, d.file, d.line, d.column, d.start) == ("E0202", "error", "x.ein", 1, 5, 4)
    assert d.fixes[0].edits[0].text == "reach"
    assert str(e.value).startswith("x.ein:1:5: error[E0202]: there is no function `rech`")
    with pytest.raises(ein.LimitError, match="E0531"):
        ein.run("A = edges([[0,1]])\n:print tc(A)", limits=ein.Limits(ops=1))
    with pytest.raises(ein.RunError, match="E06"):
        ein.run("input s: scalar\nt = 1 / s", s=0)
    with pytest.raises(ein.CheckError):
        ein.run("def f(x) = x\n:print f(1)", profile="core")
    for limits, message in (
        (ein.Limits(ops=-1), "ops is -1"),
        (ein.Limits(memory=1.5), "memory is 1.5, expected a whole number"),  # pyright: ignore[reportArgumentType]
        (ein.Limits(seconds=float("nan")), "seconds is nan"),
        (ein.Limits(seconds=1e300), r"seconds is 1e\+300"),
        (ein.Limits(seconds=0), "seconds is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            ein.run("x = 1", limits=limits)
    assert ein.run("x = 1", limits=ein.Limits(ops=1e6, seconds=3600)).x == 1  # pyright: ignore[reportArgumentType]
    assert ein.run("x = 1", limits=ein.Limits(seconds=np.float32(3600))).x == 1  # pyright: ignore[reportArgumentType]


def test_program():
    p = ein.Program("input A: graph\nn = sum(A)")
    assert p.diagnostics == [] and p.run(A=[(0, 1)]).n == 1 and p.run({"A": [(0, 1), (1, 2)]}).n == 2
    assert p.cost(A=[(0, 1)]).ops > 0 and "outputs" in p.explain(A=[(0, 1)])
    with pytest.raises(ein.CheckError) as e:
        ein.Program("n = sum(A)")
    assert e.value.diagnostics[0].code == "E0201"


def test_the_verbs():
    assert [d.code for d in ein.check("X = rech(A)")] == ["E0202", "E0201"]
    assert ein.fmt("A=edges([[0,1]])") == "A = edges([[0,1]])\n"
    with pytest.raises(ein.CheckError):
        ein.fmt("A = = 1")
    assert "E0203" in ein.explain("E0203")
    assert ein.cost("A = edges([[0,1]])\n:print tc(A)").statements[0].line == 2
    assert ein.version().startswith("0.")


def test_rows_with_gaps_and_dates():
    """A gap is an empty text, and no node; columns that are not used may have any. Dates are texts, as
    in the labels of graphs.
    """
    pay = pd.DataFrame({"to": ["bob", "cy"], "on": pd.to_datetime(["2024-03-01", "2024-03-02"]), "note": [None, "x"], "at": pd.to_datetime(["2024-03-01", None])})
    program = "input Pay(to: node, on: text)\nPay(x, d)?"
    assert ein.run(program, Pay=ein.Rows(pay)).output("Pay(x, d)?").rows == [("bob", "2024-03-01 00:00:00"), ("cy", "2024-03-02 00:00:00")]
    gaps = ein.run("input Pay(to: node, at: text)\nPay(x, d)?", Pay=ein.Rows(pay))
    assert gaps.output("Pay(x, d)?").rows == [("bob", "2024-03-01 00:00:00"), ("cy", "")]
    with pytest.raises(ein.InputError, match="in the column `at`, found null"):
        ein.run("input Pay(to: node, at: node)\nPay(x, d)?", Pay=ein.Rows(pay))
    with pytest.raises(ein.InputError, match="Pay: two columns are named 'to'"):
        ein.run(program, Pay=ein.Rows(pd.DataFrame([["a", "b"]], columns=["to", "to"])))
    with pytest.raises(ein.InputError, match=r"Pay: b'a' in \(b'a', 'b'\), expected text, an int or a float"):
        ein.run(program, Pay=ein.Rows([(b"a", "b")]))


def test_inputs_are_given_once():
    with pytest.raises(TypeError, match="two values for the input 's'"):
        ein.run("input s: scalar\n:print s", {"s": 3}, s=4)


def test_nodes_named_like_forms():
    """A vector by node may begin with a name that a form of data has."""
    for values in ({"text": 1, "array": 2}, {"array": 1, "text": 2}, ein.Graph({"text": 1}, options="default=2")):
        assert ein.run("input G: graph\ninput V: vector\n:print sum(V)", G=[("text", "array")], V=values)["sum(V)"] == 3


def test_why():
    assert ein.why("input A: graph", 'has_path(A, "holding", "harbor")', A=nx.DiGraph(OWNS)) == "yes: holding -> north -> harbor (2 edges)\n"
    with pytest.raises(ein.CheckError, match="E0202"):
        ein.why("input A: graph", "rech(A)", A=OWNS)
    for a in (np.eye(2), sp.eye_array(2)):
        with pytest.raises(ein.InputError, match=r"^A: an explanation takes no array.*as JSON or text.*\n.*nx.from_numpy_array"):
            ein.why("input A: graph", "has_path(A, 0, 1)", A=a)


def test_data_that_holds_itself():
    loop = [(0, 1)]
    loop.append(loop)
    with pytest.raises(ein.InputError, match="holds itself"):
        ein.run("input A: graph\nn = sum(A)", A=loop)


def test_a_series_has_one_value_for_each_key():
    pairs = pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("a", "b"), ("a", "b")]))
    with pytest.raises(ein.InputError, match=r"two values for \('a', 'b'\)\n.*groupby\(level=\[0, 1\]\)"):
        ein.run("input A: matrix\nn = sum(A)", A=pairs)
    assert ein.run("input A: matrix\nn = sum(A)", A=pairs.groupby(level=[0, 1]).sum()).n == 3
    with pytest.raises(ein.InputError, match="two values for 'a'"):
        ein.run("input A: graph\ninput V: vector\nn = sum(V)", A=[("a", "b")], V=pd.Series([1, 2, 3], index=["a", "b", "a"]))
    with pytest.raises(ein.InputError, match="1 has no value: <NA>"):
        ein.run("input V: vector\nn = sum(V)", V=pd.Series([1, None], dtype="Int64"))


def test_a_matrix_in_a_table():
    """The columns may be in another order than the rows, but not other ones."""
    text = "input A: graph\n:print A"
    permuted = pd.DataFrame([[0, 1], [0, 0]], index=["a", "b"], columns=["b", "a"])
    r = ein.run(text, A=permuted)
    assert r.labels == ["a", "b"] and r["A"].tolist() == [[True, False], [False, False]]
    counts = pd.crosstab(pd.Series(["a", "b"], name="s"), pd.Series(["b", "c"], name="t"))
    with pytest.raises(ein.InputError, match="same names.*\n.*reindex"):
        ein.run(text, A=counts)
    assert ein.run(text, A=counts.reindex(index=list("abc"), columns=list("abc"), fill_value=0))["A"].sum() == 2
    assert ein.run(text, A=pd.DataFrame([[0, 1], [1, 2]])[[1, 0]])["A"].tolist()[1][0]  # edges, with the ends exchanged


@pytest.mark.parametrize(
    "data",
    [[("a", "b", True)], [("a", "b", np.True_)], {("a", "b"): True}, {"a": {"b": True}}, nx.DiGraph([("a", "b", {"weight": True})]), pd.DataFrame({"source": ["a"], "target": ["b"], "weight": [True]})],
)
def test_a_weight_that_is_true(data):
    assert ein.run("input A: matrix\nn = sum(A)", A=data).n == 1


def test_empty_graphs():
    for text in ("input A: graph\n:print A", "input A: matrix\n:print A"):
        assert ein.run(text, A=nx.Graph())["A"].shape == ein.run(text, A=np.zeros((0, 0)))["A"].shape == (0, 0)


def test_advice_in_python():
    twice = nx.MultiDiGraph([("a", "b", {"weight": 1}), ("a", "b", {"weight": 2})])
    with pytest.raises(ein.InputError, match=r"twice\n.*\nIn Python: A=ein.Graph\(data, options='dup=min'\)"):
        ein.run("input A: matrix\nn = sum(A)", A=twice)
    assert ein.run("input A: matrix\nn = sum(A)", A=ein.Graph(twice, options="dup=sum")).n == 3
    with pytest.raises(ein.InputError, match=r"A: '\\ud800' in \['\\ud800', 'y'\], expected text"):
        ein.run("input A: graph\nn = sum(A)", A=nx.DiGraph([("\ud800", "y")]))


def test_a_file_that_is_no_text(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2))
    with pytest.raises(ein.InputError, match="is no text in UTF-8.*\n.*numpy.load"):
        ein.run("input A: graph\nn = sum(A)", A=ein.File(tmp_path / "a.npy"))


def test_vectors_over_something_else_have_no_nodes():
    """Nor does a notebook show them as sets."""
    r = ein.run('A = edges([["a","b"],["b","c"]])\nshort = vec([0,1])\nlong = vec([0,0,0,1])\nB[j] = A["a",j]\n:print A, short, long, B')
    assert r.nodes("B") == ["b"]
    for name in ("short", "long"):
        with pytest.raises(TypeError, match="is no set of nodes"):
            r.nodes(name)
    shown = _html.result(r, [], "")
    assert "<b>B</b> = b<" in shown and "<b>short</b> </div><table><tr><th>0</th><td>0</td></tr><tr><th>1</th><td>1</td></tr></table>" in shown
