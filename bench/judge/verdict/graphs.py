"""Finds the graphs that a Python program computes with, and puts others in their place.

The program runs with two things woven into it: each value that could be a graph passes
see, and behind each statement that is not inside of a loop, at looks at the variables.
Both read what they meet as a graph over the nodes of the question, in every form that
they know. Of the graphs that resemble the true one, those are the program's own that
empty no other when they are emptied, and leave none of the others half full: an edge
list, say, and not the adjacency that is made from it.

Nothing that is found here decides whether an answer is right: that is known before.
"""

import ast
import collections
import copy
import io
import json
import re
import sys
import time

SEE, AT, TICK, LOCALS = "__ein_see__", "__ein_at__", "__ein_tick__", "__ein_locals__"
SECONDS = 3.0  # of processor time, for all runs
MOST_SEEN = 300_000  # elements that are looked at in a run
MOST_OUTPUT = 1 << 16
ALIKE = 0.5  # share of the edges that a graph has in common with the true one


class Weave(ast.NodeTransformer):
    values = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.Call)
    silent = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global,
              ast.Nonlocal, ast.Pass, ast.Return, ast.Raise, ast.Break, ast.Continue)

    def __init__(self):
        self.lines, self.inside = [], 0

    def call(self, name, node, *args):
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(args), []), node)

    def place(self, node):
        self.lines.append(node.lineno)
        return ast.Constant(len(self.lines) - 1)

    def visit(self, node):
        if isinstance(node, (ast.arg, getattr(ast, "pattern", ()))):
            return node
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            node.value, node.slice = self.visit(node.value), self.generic_visit(node.slice)
            return node
        inside = self.inside
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self.inside = 0
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.ClassDef)):
            self.inside += 1
        kept = [(f, getattr(node, f)) for f in ("annotation", "returns", "decorator_list") if getattr(node, f, None)]
        for field, value in kept:
            setattr(node, field, [] if isinstance(value, list) else None)
        self.generic_visit(node)
        for field, value in kept:
            setattr(node, field, value)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list) and not isinstance(node, ast.ClassDef):
                setattr(node, field, self.watched(getattr(node, field)))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            node.body.insert(0, ast.copy_location(ast.Expr(self.call(TICK, node)), node))
        self.inside = inside
        if isinstance(node, self.values) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            # A pair is no graph.
            if not isinstance(node, (ast.Tuple, ast.List)) or len(node.elts) != 2 or not all(isinstance(e, (ast.Constant, ast.Name)) for e in node.elts):
                return self.call(SEE, node, self.place(node), node)
        return node

    def watched(self, body):
        if self.inside:
            return body
        out = []
        for s in body:
            out.append(s)
            if not isinstance(s, self.silent) and not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
                here = self.call(AT, s, self.place(s), self.call(LOCALS, s))
                out.append(ast.copy_location(ast.Expr(here), s))
        return out


def plain(text):
    return "".join(c for c in text.casefold() if c.isalnum())


class Unfit(Exception):
    """A graph that a value cannot hold."""


class Stop(BaseException):
    """A run that takes too long."""


def own(x):
    return type(x).__module__ == "__main__" and hasattr(x, "__dict__") and not isinstance(x, (type, type(plain)))


class Nodes:
    """What the nodes of the question are called, in one value."""

    def __init__(self, labels):
        self.labels, self.n = labels, len(labels)
        self.exact = {l.strip(): i for i, l in enumerate(labels)}
        loose = collections.Counter(map(plain, labels))
        self.loose = {plain(l): i for i, l in enumerate(labels) if loose[plain(l)] == 1}

    def key(self, x, deep=True):
        """A kind and a number or a name; None for what is no node."""
        if isinstance(x, str):
            if len(x) > 80:
                return None
            at = self.exact.get(x.strip(), self.loose.get(plain(x)))
            if at is not None:
                return "label", at
            return ("digits", int(x)) if re.fullmatch(r"\s*\d{1,6}\s*", x) else ("strange", x)
        if isinstance(x, bool) or isinstance(x, float):
            return None
        if hasattr(x, "__index__"):
            return "number", x.__index__()
        if deep and own(x):
            for value in vars(x).values():
                k = self.key(value, False)
                if k:
                    return k
        return None


class Spelling:
    """The nodes of one value: numbers for what is in it, and what is in it for numbers."""

    def __init__(self, nodes, things):
        self.nodes, self.raw, self.number = nodes, {}, {}
        keys = [(x, nodes.key(x)) for x in things]
        if any(k is None for _, k in keys):
            raise Unfit
        kinds = collections.Counter(k[0] for _, k in keys)
        if 2 * kinds["strange"] > len(keys):
            raise Unfit
        numbers = {k[1] for _, k in keys if k[0] in ("number", "digits")}
        self.base = int(bool(numbers) and min(numbers) == 1 and max(numbers) == nodes.n)
        self.kind = kinds.most_common(1)[0][0] if keys else "number"
        strange = {}
        for x, (kind, value) in keys:
            if kind != "label" and (kind == "strange" or not 0 <= value - self.base < nodes.n):
                at = nodes.n + strange.setdefault(value, len(strange))
            else:
                at = value - (self.base if kind != "label" else 0)
            self.number[id(x) if own(x) else x] = at
            self.raw.setdefault(at, x)

    def __call__(self, x):
        return self.number[id(x) if own(x) else x]

    def spell(self, at):
        if at in self.raw:
            return self.raw[at]
        if self.kind == "label":
            return self.nodes.labels[at]
        if self.kind == "digits":
            return str(at + self.base)
        if any(own(x) for x in self.raw.values()):
            raise Unfit
        return at + self.base


Reading = collections.namedtuple("Reading", "form edges nodes put both", defaults=(None, None, False))


def fill(x, items):
    """A container with other contents: itself where it can be changed."""
    if isinstance(x, list):
        x[:] = items
    elif isinstance(x, (set, dict)):
        x.clear()
        x.update(items)
    elif isinstance(x, collections.deque):
        x.clear()
        x.extend(items)
    elif isinstance(x, (tuple, frozenset)):
        return x._make(items) if hasattr(x, "_make") else type(x)(items)
    else:
        raise Unfit
    return x


def no_edge(x):
    return x is None or x == 0 or x == float("inf")


COLLECTIONS = (list, tuple, set, frozenset, collections.deque)


class Row:
    """What one node has edges to."""

    def __init__(self, inner, nodes):
        self.inner, self.rest, self.scalar = inner, {}, False
        if inner is None:
            self.to = []
        elif isinstance(inner, dict):
            self.to = [v for v, x in inner.items() if not no_edge(x)]
            self.rest = dict(inner)
        elif isinstance(inner, str) and nodes.key(inner)[0] == "label":
            self.to, self.scalar = [inner], True
        elif isinstance(inner, str):
            self.to = [t for t in re.split(r"[,;\s]+", inner) if t]
        elif isinstance(inner, COLLECTIONS):
            self.to = list(inner)
            if self.to and all(isinstance(e, tuple) and len(e) == 2 for e in self.to):
                self.rest = {e[0]: e for e in self.to}
                self.to = [e[0] for e in self.to]
        elif own(inner):
            self.to, self.scalar = [inner], True
        else:
            raise Unfit  # a count, or a place in a list

    def put(self, to, like):
        inner = self.inner
        if self.scalar and (len(to) == 1 or like.scalar):
            (only,) = to  # or it does not fit
            return only
        if isinstance(inner, dict):
            sample = next((x for x in like.rest.values() if not no_edge(x)), 1)
            if any(no_edge(x) for x in like.rest.values()):  # a matrix
                return fill(inner, {v: (x if not no_edge(x) else sample) if v in to else (x if no_edge(x) else 0) for v, x in self.rest.items()})
            return fill(inner, {v: self.rest.get(v, copy.copy(sample)) for v in to})
        if isinstance(inner, str):
            return (", " if "," in (inner or like.inner) else " ").join(map(str, to))
        if like.rest and not isinstance(like.inner, dict):
            sample = next(iter(like.rest.values()))
            to = [self.rest.get(v, (v, sample[1])) for v in to]
        return list(to) if inner is None else fill(inner, to)


def rows(nodes, form, heads, inners, write, spelled):
    """The reading of what is a row for each node. Heads that are None are places."""
    all_rows = [Row(x, nodes) for x in inners]
    things = [h for h in heads if h is not None] + [v for r in all_rows for v in r.to]
    if not any(r.to for r in all_rows):
        return
    s = Spelling(nodes, things)
    first = 1 if heads[0] is None and len(heads) == nodes.n + 1 and not all_rows[0].to else 0
    if heads[0] is None and first == 0 and s.base:
        return
    at = [s(h) if h is not None else i - first for i, h in enumerate(heads)]
    edges = frozenset((u, s(v)) for u, r in zip(at, all_rows) for v in r.to if u != s(v))
    like = max(all_rows, key=lambda r: (len(r.rest), len(r.to)))

    def put(new):
        to = collections.defaultdict(list)
        for u, v in sorted(new):
            to[u].append(s.spell(v))
        out = [r.put(to.pop(u, []), like) for u, r in zip(at, all_rows)]
        more = []
        for u in sorted(to):  # nodes without a row
            empty = Row(like.inner if like.scalar else type(like.inner)(), nodes)
            more.append((u, empty.put(to[u], like)))
        return write(out, more, s)

    yield Reading(form, edges, None, put)


def read(x, nodes):
    """All ways in which a value is a graph."""
    for way in (from_networkx, from_dict, from_places, from_pairs, from_objects):
        try:
            yield from way(x, nodes)
        except (Unfit, TypeError, ValueError, KeyError, AttributeError, RecursionError):
            pass


def from_networkx(x, nodes):
    if not all(hasattr(x, a) for a in ("add_edges_from", "is_directed", "number_of_nodes")) or isinstance(x, type):
        return
    s = Spelling(nodes, list(x.nodes))
    edges = frozenset((s(u), s(v)) for u, v in (e[:2] for e in x.edges) if u != v)
    touched = {v for e in edges for v in e}

    def put(new):
        attributes = {(u, v): dict(d) for u, v, d in x.edges(data=True)}
        sample = next(iter(attributes.values()), {})
        x.remove_edges_from(list(x.edges))
        x.remove_nodes_from([s.raw[i] for i in s.raw if i >= nodes.n])
        x.add_nodes_from(s.spell(i) for i in range(nodes.n))
        for u, v in sorted(new):
            u, v = s.spell(u), s.spell(v)
            x.add_edge(u, v, **attributes.get((u, v), sample))
        return x

    yield Reading("networkx", edges, len(x.nodes) if len(touched) < len(x.nodes) else None, put, not x.is_directed())


def from_dict(x, nodes):
    if not isinstance(x, dict) or not x:
        return
    heads, inners = list(x), list(x.values())
    if all(isinstance(h, (tuple, frozenset)) and len(h) == 2 for h in heads):
        some = [h for h in heads if not no_edge(x[h])]
        weight = x[some[0]] if some else 1
        falsy = [w for w in inners if no_edge(w)]

        def write(new):
            if falsy:  # all pairs are there
                new = set(new)
                return fill(x, {h: (x[h] if not no_edge(x[h]) else weight) if h in new else falsy[0] for h in heads})
            return fill(x, {h: x.get(h, weight) for h in new})

        yield from pairs(nodes, "edge dictionary", some, write)
        return
    if all(type(v) is int for v in inners) and max(inners) >= nodes.n and min(inners) >= 0:
        yield from masks(nodes, heads, inners, lambda new: fill(x, zip(heads, new)))

    def write(out, more, s):
        return fill(x, list(zip(heads, out)) + [(s.spell(u), r) for u, r in more])

    yield from rows(nodes, "dictionary", heads, inners, write, True)


def masks(nodes, heads, inners, write):
    s = Spelling(nodes, [h for h in heads if h is not None])
    at = [s(h) if h is not None else i for i, h in enumerate(heads)]
    if not nodes.n - 2 <= len(at) <= nodes.n + 2:
        return
    edges = frozenset((u, v) for u, m in zip(at, inners) for v in range(m.bit_length()) if m >> v & 1 and u != v)

    def put(new):
        out = [(m >> u & 1) << u for u, m in zip(at, inners)]
        for u, v in new:
            out[at.index(u)] |= 1 << v
        return write(out)

    yield Reading("bit masks", edges, None, put)


def from_places(x, nodes):
    array = getattr(x, "ndim", None) == 2 and hasattr(x, "tolist")
    if array:
        inners = x.tolist()
    elif isinstance(x, (list, tuple)):
        inners = list(x)
    else:
        return
    size = len(inners)
    if not max(2, nodes.n - 2) <= size <= nodes.n + 2:
        return

    def write(out):
        if not array:
            return fill(x, out)
        x[...] = out
        return x

    if all(type(m) is int for m in inners):
        steps = [b - a for a, b in zip(inners, inners[1:])]
        offsets = size == nodes.n + 1 and inners[0] == 0 and 0 <= min(steps) and max(steps) < nodes.n and any(m & 1 for m in inners)
        if max(inners) >= nodes.n and min(inners) >= 0 and not offsets:  # of compressed rows
            yield from masks(nodes, [None] * size, inners, write)
        return
    if all(isinstance(r, (list, tuple, str)) and len(r) == size for r in inners):
        cells = [c for r in inners for c in r]
        if all(c is None or isinstance(c, (int, float)) or c in ("0", "1", ".") for c in cells):
            def none(c):
                return c in ("0", ".") or no_edge(c)

            edges = frozenset((u, v) for u, r in enumerate(inners) for v, c in enumerate(r) if u != v and not none(c))
            is_edge = next((r[v] for u, r in enumerate(inners) for v in range(size) if u != v and not none(r[v])), None)
            is_none = next((r[v] for u, r in enumerate(inners) for v in range(size) if u != v and none(r[v])), None)
            if is_edge is None:
                is_edge = {str: "1", bool: True}.get(type(is_none), 1)
            if is_none is None:
                is_none = {str: "0", bool: False}.get(type(is_edge), 0)

            def put(new):
                most, out = max(size, nodes.n), []
                for u in range(most):
                    old = inners[u] if u < size else [is_none] * most
                    row = [is_edge if (u, v) in new else old[v] if v < len(old) and (u == v or none(old[v])) else is_none for v in range(most)]
                    if isinstance(old, str):
                        row = "".join(row)
                    elif not array and u < size:
                        row = fill(old, row)
                    out.append(row)
                return write(out)

            yield Reading("matrix", edges, size, put)
            if size > 2 and not any(isinstance(r, str) for r in inners):
                return  # no list of nodes has one of them twice
    if array or size not in (nodes.n, nodes.n + 1) or not all(r is None or isinstance(r, COLLECTIONS) for r in inners):
        return
    if all(isinstance(r, tuple) and len(r) == 2 for r in inners):
        return  # pairs

    def listed(out, more, s):
        return fill(x, out + [r for _, r in more])

    yield from rows(nodes, "list of lists", [None] * size, inners, listed, False)


def ends(e, nodes):
    """The two nodes of what may be an edge, and how to make another one like it."""
    if isinstance(e, (tuple, list)) and len(e) in (2, 3):
        if len(e) == 3 and (nodes.key(e[2]) or "")[:1] == nodes.key(e[0])[:1] and isinstance(e[2], str):
            # An edge with a word: in the middle, or behind.
            if nodes.key(e[1])[0] != "strange":
                raise Unfit
        if len(e) == 3 and isinstance(e[1], str) and nodes.key(e[1])[0] == "strange":
            return e[0], e[2], lambda u, v: fill(copy.copy(e), [u, e[1], v])
        return e[0], e[1], lambda u, v: fill(copy.copy(e), [u, v, *e[2:]])
    if isinstance(e, (set, frozenset)) and len(e) == 2:
        u, v = e
        return u, v, lambda u, v: type(e)((u, v))
    if isinstance(e, dict):
        names = [k for k, v in e.items() if (nodes.key(v) or "strange")[0] not in ("strange", "s")]
        if len(names) == 2:
            return e[names[0]], e[names[1]], lambda u, v: {**e, names[0]: u, names[1]: v}
    if own(e):
        names = [k for k, v in vars(e).items() if (nodes.key(v) or "strange")[0] not in ("strange", "s")]
        if len(names) == 2:
            def make(u, v):
                other = copy.copy(e)
                other.__dict__.update({names[0]: u, names[1]: v})
                return other

            return vars(e)[names[0]], vars(e)[names[1]], make
    raise Unfit


def pairs(nodes, form, items, write):
    found = [ends(e, nodes) for e in items]
    if not found:
        return
    s = Spelling(nodes, [v for f in found for v in f[:2]])
    known = {(s(u), s(v)): e for (u, v, _), e in zip(found, items)}
    both = all(isinstance(e, (set, frozenset)) for e in items)

    def put(new):
        make = found[0][2]
        return write([known[e] if e in known else make(s.spell(e[0]), s.spell(e[1])) for e in sorted(new)])

    yield Reading(form, frozenset(e for e in known if e[0] != e[1]), None, put, both)


def from_pairs(x, nodes):
    if not isinstance(x, COLLECTIONS) or not x:
        return
    items = list(x)
    if all(isinstance(e, (tuple, list)) and len(e) == 2 and (isinstance(e[1], COLLECTIONS) or isinstance(e[1], dict)) for e in items):
        def write(out, more, s):
            both = [fill(copy.copy(e), [e[0], r]) for e, r in zip(items, out)]
            return fill(x, both + [fill(copy.copy(items[0]), [s.spell(u), r]) for u, r in more])

        yield from rows(nodes, "pairs of a node and a list", [e[0] for e in items], [e[1] for e in items], write, True)
        return
    yield from pairs(nodes, "pairs", items, lambda new: fill(x, new))


def from_objects(x, nodes):
    items = list(x.values() if isinstance(x, dict) else x if isinstance(x, COLLECTIONS) else ())
    if len(items) < 2 or not all(own(e) for e in items):
        return
    for name, value in vars(items[0]).items():
        if isinstance(value, COLLECTIONS) or isinstance(value, dict):
            def write(out, more, s, name=name):
                if more:
                    raise Unfit
                for e, r in zip(items, out):
                    setattr(e, name, r)
                return x

            yield from rows(nodes, "objects, " + name, items, [getattr(e, name) for e in items], write, True)


State = collections.namedtuple("State", "place path hit form edges nodes both line thing")
Put = collections.namedtuple("Put", "place path form old new")
Run = collections.namedtuple("Run", "out states put")


class Program:
    def __init__(self, text, labels):
        self.nodes = Nodes(labels)
        weave = Weave()
        tree = ast.fix_missing_locations(weave.visit(ast.parse(text, "program.py")))
        self.code, self.lines = compile(tree, "program.py", "exec"), weave.lines

    def start(self, puts, keep, states, done):
        """Runs the program, and notes what was met and what was put in place."""
        hits, held, work = collections.Counter(), [], [0]
        wanted = collections.defaultdict(list)
        for i, p in enumerate(puts):
            wanted[p.place, p.path].append((i, p))

        def meet(k, path, x):
            hits[k, path] += 1
            asked = wanted.get((k, path))
            if not asked and (not keep or work[0] > MOST_SEEN):
                return x
            try:
                work[0] += 1 + len(x)
            except TypeError:
                work[0] += 1
            for r in read(x, self.nodes):
                work[0] += len(r.edges)
                for i, p in asked or ():
                    if p.form == r.form and p.old == r.edges:
                        try:
                            x = r.put(p.new)
                        except (Unfit, ValueError, IndexError, KeyError, TypeError, AttributeError):
                            return x
                        done.add(i)
                        if keep:
                            states.append(State(k, path, hits[k, path], r.form, p.new, None, r.both, self.lines[k], id(x)))
                        return x
                if keep:
                    held.append(x)  # or another one gets its id
                    states.append(State(k, path, hits[k, path], r.form, r.edges, r.nodes, r.both, self.lines[k], id(x)))
            return x

        def see(k, x):
            if isinstance(x, (dict, list, tuple, set, frozenset)) or hasattr(x, "add_edges_from") or hasattr(x, "tolist"):
                return meet(k, "", x)
            return x

        def at(k, variables):
            for scope in [variables] if variables is main else [variables, main]:
                for name, x in list(scope.items()):
                    if name.startswith("__") or isinstance(x, (int, str, float, type)):
                        continue
                    if own(x) and not hasattr(x, "add_edges_from"):
                        for attribute, y in list(vars(x).items()):
                            if not isinstance(y, (int, str, float)):
                                z = meet(k, name + "." + attribute, y)
                                if z is not y:
                                    setattr(x, attribute, z)
                        continue
                    z = meet(k, name, x)
                    if z is not x:
                        scope[name] = z

        ticks = [0]

        def tick():
            ticks[0] += 1
            if ticks[0] % 1024 == 0 and time.process_time() > deadline:
                raise Stop

        deadline = time.process_time() + SECONDS / 3
        main = {"__name__": "__main__", SEE: see, AT: at, TICK: tick, LOCALS: locals}
        try:
            exec(self.code, main)
        except SystemExit as e:
            if e.code is not None and e.code != 0:
                raise

    def run(self, puts=(), keep=True):
        """The same with its output, which is None when it fails."""
        out, real = io.StringIO(), sys.stdout
        states, done = [], set()
        sys.stdout = out
        try:
            self.start(puts, keep, states, done)
            text = out.getvalue()
        except (Exception, SystemExit, Stop):
            text = None
        finally:
            sys.stdout = real
        return Run(text if text is None or len(text) < MOST_OUTPUT else None, states, done)


def pair_set(edges):
    return {frozenset(e) for e in edges}


def alike(edges, truths):
    """How much a graph has of the true one, whatever the direction."""
    here = pair_set(edges)
    best = 0.0
    for t in truths:
        there = pair_set(t)
        if here or there:
            best = max(best, len(here & there) / max(len(here), len(there)))
    return best


def turned(edges):
    return frozenset((v, u) for u, v in edges)


def nearer(s, truths):
    """The true edges that a graph is nearest to, and whether it has them turned around."""
    ways = [(frozenset(t), False) for t in truths] + [(turned(t), True) for t in truths]
    return max(ways, key=lambda w: len(s.edges & w[0]) - len(s.edges ^ w[0]))


def sources(p, base, truths, late):
    """The graphs that a program has from nowhere else."""
    n = p.nodes.n
    full = n * (n - 1) // 2
    trees = max(len(pair_set(t)) for t in truths)
    first, best = {}, {}
    for s in base.states:
        first.setdefault((s.thing, s.form, s.edges), s)
        spot = s[:3]
        if spot not in best or alike(s.edges, truths) > alike(best[spot].edges, truths):
            best[spot] = s  # of several ways to read one thing
    seen = [s for s in base.states if first[s.thing, s.form, s.edges] is s and best[s[:3]] is s and not (len(pair_set(s.edges)) >= full > trees + 1)]
    close = [s for s in seen if alike(s.edges, truths) >= ALIKE]
    close = close or [s for s in seen if alike(s.edges, truths) >= ALIKE / 2] or [s for s in seen if s.form == "networkx"][-1:]
    found, derived = [], set()
    for i, s in enumerate(close):
        if s in derived or late():
            continue
        same = Put(s.place, s.path, s.form, s.edges, s.edges)
        r = p.run([same], keep=False)
        if r.out != base.out or not r.put:
            continue  # it does not survive being written anew
        r = p.run([Put(*q[:4], frozenset()) for q in found + [same]])
        if len(r.put) <= len(found):
            continue
        after = {(x.place, x.path, x.hit, x.form): x.edges for x in r.states}
        gone, part = [], False
        for d in close[i + 1:]:
            if d in derived:
                continue
            left = after.get((d.place, d.path, d.hit, d.form), frozenset())
            if not left & d.edges:
                gone.append(d)
            elif left != d.edges and pair_set(s.edges) <= pair_set(d.edges):
                part = True
        if not part:
            found.append(same)
            derived.update(gone)
    by_place = {(s.place, s.path, s.form, s.edges): s for s in reversed(close)}
    chosen = [by_place[q[:4]] for q in found]
    if len(chosen) > len(truths):
        best = max(alike(s.edges, truths) for s in chosen)
        chosen = [s for s in chosen if alike(s.edges, truths) >= 0.75 * best]
    # Those that cannot hold the true graph are of no use.
    if chosen and len(p.run([Put(*s[:2], *s[3:5], nearer(s, truths)[0]) for s in chosen], keep=False).put) < len(chosen):
        return []
    return chosen


def constant(p, base, chosen, truths):
    """Whether the output is the same with every other graph."""
    n = p.nodes.n
    up = frozenset((u, v) for u in range(n) for v in range(u + 1, n))
    down = frozenset((v, u) for u, v in up)
    others = [frozenset(), up, down, up | down] + [frozenset(t) for t in truths]
    for i in range(len(others)):
        puts = [Put(*s[:2], *s[3:5], others[(i + j) % len(others)]) for j, s in enumerate(chosen)]
        if p.run(puts, keep=False).out != base.out:
            return False
    return True


def typed(text):
    """Whether a program has nothing in it that could compute."""
    computing = (ast.For, ast.While, ast.If, ast.IfExp, ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return not any(isinstance(x, computing) for x in ast.walk(ast.parse(text)))


def look(text, labels, truths):
    began = time.process_time()
    truths = [{tuple(e) for e in t} for t in truths]
    p = Program(text, labels)
    base = p.run()
    report = {"out": base.out, "graphs": [], "constant": False}
    if base.out is None:
        return report

    def late():
        return time.process_time() - began > SECONDS

    chosen = sources(p, base, truths, late)
    # A program may have what leads to each node beside what it leads to, or before it.
    turns = [nearer(s, truths)[1] for s in chosen]
    for i, s in enumerate(chosen[1:], 1):
        if turned(s.edges) == chosen[0].edges:
            turns[i] = not turns[0]
    met = {s.edges for s in base.states}
    mixed = not all(turns) or any(turned(s.edges) != s.edges and turned(s.edges) in met for s in chosen)
    for s, turn in zip(chosen, turns):
        turn = turn and mixed
        edges = turned(s.edges) if turn else s.edges
        if s.both:  # without a direction: that of the question, where it has the edge
            true = {frozenset(e): e for t in truths for e in sorted(t, reverse=True)}
            edges = [true.get(e, tuple(e)) for e in pair_set(edges)]
        report["graphs"].append({"place": s.place, "path": s.path, "form": s.form, "turn": turn, "old": sorted(s.edges), "edges": sorted(edges), "nodes": s.nodes, "line": s.line})
    if chosen:
        report["constant"] = not late() and constant(p, base, chosen, truths)
    else:
        report["constant"] = typed(text) and not any(alike(s.edges, truths) >= ALIKE / 2 for s in base.states)
    return report


def start(spec):
    if "put" not in spec:
        print(json.dumps(look(spec["program"], spec["labels"], spec["truths"])))
        return
    puts = []
    for q in spec["put"]:
        old, new = (frozenset(map(tuple, q[k])) for k in ("old", "new"))
        puts.append(Put(q["place"], q["path"], q["form"], old, turned(new) if q["turn"] else new))
    Program(spec["program"], spec["labels"]).start(puts, False, [], set())
