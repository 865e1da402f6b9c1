package verdict

import (
	"bytes"
	"context"
	"testing"

	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

// BenchmarkFiles is what ein bench exec does for one program: it reads the line of the
// instance and that of the reply, runs the program and compares its graph with the true
// one.
func BenchmarkFiles(b *testing.B) {
	ins, _ := questions(b, 40)
	var instances, replies bytes.Buffer
	for _, in := range ins {
		if err := instance.Write(&instances, in); err != nil {
			b.Fatal(err)
		}
		replies.Write(lines(b, map[string]any{"id": in.ID, "reply": "The program:\n\n```ein\n" + in.EinProgram + "```\n", "mode": prompt.Ein}).Bytes())
	}
	work := New(Options{Why: true}).Reply
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(ins) {
		x, err := NewIndex(instance.Read(bytes.NewReader(instances.Bytes())), true)
		if err != nil {
			b.Fatal(err)
		}
		_, err = x.Each(context.Background(), bytes.NewReader(replies.Bytes()), 1, NewNotes(), func() Work[*Item] {
			return func(ctx context.Context, it *Item) (*Verdict, error) { return work(ctx, it.Question, &it.Line) }
		}, func(it *Item, v *Verdict) error {
			if !v.Strict {
				b.Errorf("%s: %+v", it.Question.ID, v)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		_ = x.Close()
	}
}
