# The trees of programs, as lang/syntax writes its own: from JSON texts on standard
# input to JSON on standard output. The argument is the compiled parser.
import ctypes
import json
import sys

from tree_sitter import Language, Parser, Query, QueryCursor

library = ctypes.CDLL(sys.argv[1])
library.tree_sitter_ein.restype = ctypes.c_void_p
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
language = Language(capsule(library.tree_sitter_ein(), b"tree_sitter.Language", None))
parser = Parser(language)
highlights = QueryCursor(Query(language, open(sys.argv[2], encoding="utf-8").read()))


relations = set()  # of the program


def named(node):
    return [c for c in node.named_children if c.type not in ("comment", "end", "question", "arrow", "not")]


def group(nodes):
    return " ".join(dump(n) for n in nodes)


def atom(node):
    """The atom of a head or a body, where P[x, y] is P(x, y)."""
    if node.type != "index":
        return dump(node)
    return f"(call {group([node.child_by_field_name('of')] + named(node.child_by_field_name('indices')))})"


def is_atom(node):
    return node.type == "call" or node.type == "index" and node.child_by_field_name("of").type == "identifier"


def literals(nodes):
    """What the body of a rule holds; atoms side by side are literals of their own."""
    for n in nodes:
        field = n.child_by_field_name
        if n.type == "equation":
            if left := field("left"):
                yield f"{dump(left)} = {dump(field('right'))}; "
            else:
                yield target(n)
        elif n.type == "negation":
            first, *rest = named(n)
            if value := field("value"):
                yield f"not {dump(first)} = {dump(value)}; "
                continue
            yield f"not {literal(first)}; "
            yield from (literal(x) + "; " for x in rest)
        elif n.type == "product" and is_atom(named(n)[0]):
            yield from (literal(x) + "; " for x in named(n))
        else:
            yield literal(n) + "; "


def literal(node):
    name = node.child_by_field_name("of")
    return atom(node) if is_atom(node) and name and name.text.decode() in relations else dump(node)


def head(node):
    if node.type != "assignment":
        return atom(node) + "; "
    return target(node)


def target(node):
    field, text = node.child_by_field_name, node.child_by_field_name("name").text.decode()
    if indices := field("indices"):
        text = f"(at {text} [{group(named(indices))}])"
    return f"{text} {field('operator').text.decode()} {dump(field('value'))}; "


def dump(node):
    field, text = node.child_by_field_name, node.text.decode()
    match node.type:
        case "assignment":
            indices = field("indices")
            target = field("name").text.decode() + (f" [{group(named(indices))}]" if indices else "")
            return f"({field('operator').text.decode()} {target} {dump(field('value'))})"
        case "print":
            return f"(print {group(named(node))})"
        case "definition":
            body = field("body")
            parameters = " ".join(p.text.decode() for p in named(field("parameters")))
            return f"(def {field('name').text.decode()} ({parameters}) {group(named(body)) if body.type == 'block' else dump(body)})"
        case "repetition":
            body = group(named(field("body")))
            return f"(repeat {dump(field('times'))}{' ' + body if body else ''})"
        case "expression_statement":
            return f"(expr {group(named(node))})"
        case "input":
            if columns := field("columns"):
                pairs = (f"{c.child_by_field_name('name').text.decode()}:{c.child_by_field_name('type').text.decode()} " for c in named(columns))
                return f"(input {field('name').text.decode()} {''.join(pairs)})"
            return f"(input {field('name').text.decode()} {field('kind').text.decode()})"
        case "fact":
            return f"(rule {head(field('head'))})"
        case "rule":
            return f"(rule {head(field('head'))}{''.join(literals(named(node)[1:]))})"
        case "query" | "why":
            return f"(query {''.join(literals(named(node)))})"
        case "binary":
            return f"({field('operator').text.decode()} {dump(field('left'))} {dump(field('right'))})"
        case "unary":
            return f"(neg {group(named(node))})"
        case "product":
            return f"(join {group(named(node))})"
        case "call":
            arguments = group(named(field("arguments")))
            return f"(call {field('function').text.decode()}{' ' + arguments if arguments else ''})"
        case "argument":
            return f"{field('name').text.decode()}={dump(field('value'))}"
        case "parenthesized":
            return f"(paren {group(named(node))})"
        case "index":
            return f"(at {dump(field('of'))} [{group(named(field('indices')))}])"
        case "list":
            return f"[{group(named(node))}]"
        case "string":
            return f'"{node.start_byte}:{node.end_byte}"'
    return text


def invalid(node):
    return node.type.startswith("invalid") or any(invalid(c) for c in node.named_children)


def program(text):
    root = parser.parse(text.encode("utf-8", "surrogatepass")).root_node
    if root.has_error or invalid(root):
        return None
    relations.clear()
    for s in named(root):
        if s.type in ("fact", "rule"):
            h = s.child_by_field_name("head")
            if h.type != "assignment":
                relations.add(named(h)[0].text.decode())
        elif s.type == "input" and s.child_by_field_name("columns"):
            relations.add(s.child_by_field_name("name").text.decode())
    statements = [f"{s.start_byte}-{s.end_byte} {dump(s)}" for s in named(root)]
    captures = highlights.captures(root)
    return {"statements": statements, "captures": {k: sorted({n.text.decode().strip() for n in v}) for k, v in captures.items()}}


json.dump([program(t) for t in json.load(sys.stdin)], sys.stdout)
