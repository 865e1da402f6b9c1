"""The benchmark: instances again from their ids, and what replies are worth."""

import json
import subprocess
from itertools import islice

import pytest

import ein
from ein import _binary, bench, trl, verl

ID = "cb1-demo-reachability-0-s42"


@pytest.fixture(autouse=True)
def as_at_the_start():
    yield
    bench._asked.clear()
    bench.worth()


def command(*args):
    return subprocess.run([_binary.find().path, "bench", *args], capture_output=True, text=True, check=True).stdout


def test_text_of():
    """A message of the model that calls a tool need not have a text."""
    assert bench.text_of([{"role": "assistant", "tool_calls": []}]) == ""
    assert bench.text_of([{"role": "assistant"}, {"role": "tool", "content": "1"}, {"role": "assistant", "content": "2"}]) == "2"
    for completion in ([], [{"role": "user", "content": "1"}], [{"role": "assistant", "text": "1"}]):
        with pytest.raises(ein.InputError, match="assistant"):  # and no reward of 0
            bench.text_of(completion)
    for completion in (None, 3, float("nan"), b"1", {"role": "assistant", "content": "1"}, ["1"], [None]):
        with pytest.raises(ein.InputError, match="a completion is .*, expected text or a list of messages"):
            bench.text_of(completion)


def test_generate_is_the_command():
    bench.allow(answers=True)
    want = command("generate", "--split", "train", "--seed", "5", "--per-category", "2", "--categories", "cousin,triangle_count")
    got = list(bench.generate(seed=5, per_category=2, categories=["cousin", "triangle_count"]))
    assert [i.fields for i in got] == [json.loads(line) for line in want.splitlines()]
    assert got[0].category == "cousin" and got[0].answer is not None


def test_generate_passes_over_what_is_repeated():
    """Questions of few nodes repeat, which is known only to those who made all before."""
    want = command("generate", "--preset", "demo", "--split", "train", "--seed", "5", "--per-category", "90", "--categories", "degree_max")
    ids = [i.id for i in bench.generate(preset="demo", seed=5, per_category=90, categories=["degree_max"])]
    assert ids == [json.loads(line)["id"] for line in want.splitlines()] and len(set(ids)) == 90
    with pytest.raises(ein.InputError, match="only .* of 50 found"):
        list(bench.generate(n=(4, 4), categories=["sibling"], per_category=50))


def test_categories():
    assert [i.category for i in bench.generate(categories="cousin")] == ["cousin"]
    with pytest.raises(ein.InputError, match="the category cousin is there twice"):
        list(bench.generate(categories=["cousin", "sibling", "cousin"]))


def test_numbers_out_of_range():
    with pytest.raises(ValueError, match="is 2, expected a number from 0 to 1"):
        bench.worth(constant_output=2)
    with pytest.raises(ein.InputError, match="/per_category: expected a number from 1 on, found -1"):
        list(bench.generate(categories=["cousin"], per_category=-1))


def test_items_are_items():
    with pytest.raises(TypeError, match=r"expected ein.bench.Item\(question, reply, mode\), not \('a', 'b'\)"):
        bench.score_many([("a", "b")])


def test_generate_without_end():
    ids = [i.id for i in islice(bench.generate(per_category=None, seed=3), 60)]
    assert len(set(ids)) == 60 and ids[0].split("-")[2] == ids[26].split("-")[2]


def test_answers_stay_where_they_are():
    i = bench.instance(ID)
    assert (i.answer, i.ein_program, "digest" in i.fields) == (None, "", False)
    assert i.question.startswith("There are 4 departments") and i.nodes[i.edges[0][0]] == "Carlos"
    bench.allow(answers=True)
    assert bench.instance(ID).answer is True


def test_prompts():
    asked = bench.messages(ID, "direct")
    assert [m["role"] for m in asked] == ["system", "user"] and asked[1]["content"] == bench.instance(ID).question
    assert asked[0]["content"] == bench.prompt("direct") != bench.prompt("ein")
    with pytest.raises(ein.InputError, match='no mode "haiku"'):
        bench.prompt("haiku")


def test_scores():
    s = bench.score(ID, '{"answer": true}', "direct")
    assert (s.reward, s.outcome, s.strict, s.answer, s.mode, s.category, s.level) == (1, "strict", True, True, "direct", "reachability", "L1")
    bench.allow(answers=True)
    i = bench.instance(ID)
    right = bench.score(i, f"```ein\n{i.ein_program}```", "ein")
    assert right.reward == 1 and right.ops > 0 and not right.constant_output
    assert bench.score(i, "```ein\nX = rech(A)\n```").code == "E0202"
    assert bench.score(i, "no idea").reward == 0


def test_many_scores_keep_their_order():
    items = [bench.Item(ID, json.dumps({"answer": i % 3 == 0}), "direct") for i in range(2500)]
    assert [s.reward for s in bench.score_many(items)] == [float(i % 3 == 0) for i in range(2500)]


def test_what_is_no_text_is_refused():
    with pytest.raises(ein.InputError, match=r"the content of the last message of the assistant is \[\{'type': 'text'.*, expected text"):
        bench.text_of([{"role": "assistant", "content": [{"type": "text", "text": "x"}]}])
    for content in ([], {}, 0, False):  # and no reward of 0
        with pytest.raises(ein.InputError, match="expected text"):
            bench.text_of([{"role": "assistant", "content": content}])
    for question in (None, 3, float("nan")):
        with pytest.raises(TypeError, match="the question is .*, expected an id or an ein.bench.Instance"):
            bench.score(question, "x")
    with pytest.raises(ein.InputError, match=r'id "a/b\?c"'):
        bench.instance("a/b?c")


def test_a_reply_that_is_too_long_costs_only_itself():
    right = '{"answer": true}'
    scores = bench.score_many([bench.Item(ID, r, "direct") for r in (right, right + " " * (1 << 20), right)])
    assert [s.reward for s in scores] == [1, None, 1]
    assert (scores[1].status, scores[1].reason, scores[1].message) == ("bad_request", "too_long", "the reply has 1048592 bytes, at most 1048576 are scored")
    s = bench.score_label(bench.label("direct", ID), right + " " * (1 << 20))  # for trainers that know no missing reward
    assert (s.reward, s.outcome) == (0, "format_error")


def test_rewards_of_trl():
    """What does not fit together is told before anything is scored."""
    right = '{"answer": true}'
    reward = trl.reward("direct")
    assert reward(None, [right, [{"role": "assistant", "content": ""}]], id=[ID, ID]) == [1, 0]
    with pytest.raises(ValueError, match="there are 2 completions and 1 ids in the column 'id'"):
        reward(None, [right, right], id=[ID])
    with pytest.raises(ein.InputError, match='there is no mode "haiku"'):
        trl.reward("haiku")


def test_rows_of_a_data_set():
    """They are of instances, of which ids will do; a path is none."""
    (row,) = trl.rows([ID], "direct")
    assert row == next(iter(trl.rows([bench.instance(ID)], "direct"))) and row["id"] == ID
    assert next(iter(verl.rows([ID])))["reward_model"]["ground_truth"] == "ein:" + ID
    for rows in (trl.rows, verl.rows):
        with pytest.raises(TypeError, match=r"expected a list .* found 'train.jsonl': .* is the instance of a line of a file"):
            list(rows("train.jsonl"))
        with pytest.raises(TypeError, match="the question is {'id': 'x'}, expected an id"):
            list(rows([{"id": "x"}]))  # pyright: ignore[reportArgumentType]


def test_worth_is_one_of_four():
    with pytest.raises(ValueError, match="no reward 'best'; there are strict, relaxed, lenient and shaped"):
        bench.worth("best")
    assert bench.score(ID, '{"answer": true}', "direct").reward == 1


def test_what_is_worth():
    constant = "```ein\n:print 1\n```"
    bench.worth("shaped")
    assert bench.score(ID, '{"answer": false}', "direct").reward == 0.1
    bench.worth(constant_output=0)
    assert bench.score(ID, constant, "ein").reward == 0


@pytest.mark.parametrize(
    "question, mode, message",
    [
        ("cb1-heldout-reachability-0-s42", None, "the split \"heldout\" of cb1 is held out"),
        ("nothing", None, "an id is"),
        (ID, "haiku", 'no mode "haiku"'),
    ],
)
def test_questions_that_are_none(question, mode, message):
    with pytest.raises(ein.InputError, match=message):
        bench.score(question, "{}", mode)


def test_held_out_splits_are_asked_for():
    with pytest.raises(ein.InputError, match="held out"):
        next(bench.generate(split="test"))
    bench.allow("test")
    assert next(bench.generate(split="test")).split == "test"


def test_modes():
    assert all(bench.prompt(m) for m in bench.MODES)
    for mode in ("guess", "", None):
        with pytest.raises(ein.InputError, match="there is no mode"):
            bench.messages("cb1-train-reachability-0-s1", mode)
    items = [bench.Item("cb1-train-reachability-0-s1", "x", mode) for mode in ("direct", "guess")]
    with pytest.raises(ein.InputError, match='item 1, cb1-train-reachability-0-s1: there is no mode "guess"'):
        bench.score_many(items)


def test_tools():
    """A model in training is told what it is told in an evaluation, with and without NumPy."""
    told = trl.Environment().run
    assert told("A = edges([[0,1],[1,2]], 4)\nR = desc(A, 0)\nYes = has_path(A, 0, 2)\n:print R, Yes") == "R = {1, 2}\nYes = 1"
    assert "E0531" in told("A = edges([[0,2000]])\n:print sum(tc(A))") and "E0532" in told(":print ones(100, 100)")
