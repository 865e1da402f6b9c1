package verdict

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/prompt"
)

// TestReply takes replies for what they are, and counts what is found.
func TestReply(t *testing.T) {
	s := one(t, "reach_then_count", 3)
	item := func(reply string, mode prompt.Mode, failure string) *Line {
		return &Line{Number: 1, Reply: reply, Mode: mode, Error: failure}
	}
	const wrongProgram = "```ein\nA = edges([], 3)\n:print 70 + sum(A)\n```"
	const wrongAnswer = `{"answer": 77}`
	right := `{"answer": ` + string(s.in.Answer) + `}`
	report := NewSummary()
	for name, c := range map[string]struct {
		item    *Line
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
		"answer as program": {item(wrongAnswer, "ein", ""), NoProgram, false, false},
		"python":            {item("print(1)", "python", ""), answer.InfraError, false, false},
		"provider":          {item("", "", "503"), answer.InfraError, false, false},
		"nothing":           {item("", "", ""), answer.NoAnswer, false, false},
	} {
		v, err := New(Options{Why: true}).Reply(context.Background(), s.q, c.item)
		if err != nil {
			t.Fatal(err)
		}
		if v.Outcome != c.outcome || (v.Attribution != nil) != c.program || (v.Finding != nil) != c.direct ||
			(ErrorRecord("", c.item.Mode, 0, v) != nil) != (c.program || c.direct) {
			t.Errorf("%s: %+v", name, v)
		}
		report.Add(c.item.Mode, v)
	}
	if report.Programs.All.Verdicts != 3 || report.Direct.All.Verdicts != 4 || report.Findings != 2 || report.Tried == 0 {
		b, _ := json.Marshal(report.ErrorReport())
		t.Errorf("%s", b)
	}
	text := report.ErrorsText()
	for _, want := range []string{"graph_reading", "direction_confusion", "unexplained", "misreadings were tried",
		fmt.Sprintf("Edges misread: %d dropped, 0 added, 0 reversed.", 2*len(s.in.Edges))} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if empty := NewSummary().ErrorsText(); empty != "There are no errors.\n" {
		t.Error(empty)
	}
}
