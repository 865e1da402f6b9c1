package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ein/bench/answer"
	"ein/bench/exec"
	"ein/bench/replies"
)

// TestReply takes replies for what they are, and counts what is found.
func TestReply(t *testing.T) {
	s := one(t, "reach_then_count", 3)
	item := func(reply, mode, failure string) *exec.Item {
		return &exec.Item{Instance: &exec.Instance{Question: s.q, Case: s.c, Program: s.in.EinProgram}, Line: 1, Reply: reply, Mode: mode, Error: failure}
	}
	const wrongProgram = "```ein\nA = edges([], 3)\n:print 70 + sum(A)\n```"
	const wrongAnswer = `{"answer": 77}`
	right := `{"answer": ` + string(s.in.Answer) + `}`
	report := NewReport()
	for name, c := range map[string]struct {
		item    *exec.Item
		outcome answer.Outcome
		program bool
		direct  bool
	}{
		"right":             {item(right, "", ""), answer.StrictlyRight, false, false},
		"right program":     {item(s.in.EinProgram, "", ""), answer.StrictlyRight, false, false},
		"wrong answer":      {item(wrongAnswer, "", ""), answer.Wrong, false, true},
		"wrong program":     {item(wrongProgram, "", ""), answer.Wrong, true, false},
		"program as mode":   {item(wrongProgram, "ein", ""), answer.Wrong, true, false},
		"answer as mode":    {item(wrongAnswer, "cot", ""), answer.Wrong, false, true},
		"program as answer": {item(wrongProgram, "direct", ""), answer.FormatError, false, false},
		"answer as program": {item(wrongAnswer, "ein", ""), exec.NoProgram, false, false},
		"python":            {item("print(1)", "python", ""), answer.InfraError, false, false},
		"provider":          {item("", "", "503"), answer.InfraError, false, false},
		"nothing":           {item("", "", ""), answer.NoAnswer, false, false},
	} {
		v, err := NewJudge(exec.New(exec.Options{}), nil).Reply(context.Background(), c.item)
		if err != nil {
			t.Fatal(err)
		}
		rec := NewRecord(s.q, c.item.Mode, v)
		if rec.Outcome != c.outcome || (rec.Program != nil) != c.program || (rec.Direct != nil) != c.direct || rec.Wrong() != (c.program || c.direct) {
			t.Errorf("%s: %+v", name, rec)
		}
		report.Add(rec)
	}
	report.Finish(&replies.Notes{})
	if report.Programs.All.Errors != 3 || report.Direct.All.Errors != 4 || report.Findings != 2 || report.Tried == 0 {
		b, _ := json.Marshal(report)
		t.Errorf("%s", b)
	}
	text := report.Text()
	for _, want := range []string{"graph_reading", "direction_confusion", "unexplained", "misreadings were tried",
		fmt.Sprintf("Edges misread: %d dropped, 0 added, 0 reversed.", 2*len(s.in.Edges))} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if empty := NewReport().Text(); empty != "There are no errors.\n" {
		t.Error(empty)
	}
}
