package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/instance"
	"ein/internal/lists"
	"ein/internal/page"
	"ein/internal/words"
)

// embedded is the data of the browser of replies. All texts are shortened and have their control
// characters made visible; the page inserts them as text, never as markup.
type embedded struct {
	Arms      []string           `json:"arms"`
	Modes     []string           `json:"modes"` // of the arms
	Instances []embeddedInstance `json:"instances"`
	Replies   []embeddedReply    `json:"replies"`
}

// embeddedInstance is a question in the data of the page.
type embeddedInstance struct {
	ID       string   `json:"id"`
	Base     string   `json:"base"` // what it shares with its variants in other encodings
	Category string   `json:"category"`
	Level    string   `json:"level"`
	N        int      `json:"n"`
	Density  string   `json:"density"`
	Directed bool     `json:"directed"`
	Nodes    []string `json:"nodes"`
	Edges    [][2]int `json:"edges"`
	Edges2   [][2]int `json:"edges2,omitempty"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Ein      string   `json:"ein"`
	Python   string   `json:"python"`
}

// embeddedReply is a reply in the data of the page. Arm and Instance are places in the lists of
// embedded.
type embeddedReply struct {
	Arm       int            `json:"arm"`
	Instance  int            `json:"instance"`
	Sample    int            `json:"sample,omitempty"`
	Outcome   string         `json:"outcome"`
	Right     bool           `json:"right"`
	Reply     string         `json:"reply"`
	Reasoning string         `json:"reasoning,omitempty"`
	Turns     string         `json:"turns,omitempty"` // before it
	Answer    string         `json:"answer"`
	Finish    string         `json:"finish"`
	Tokens    [3]int64       `json:"tokens"` // input, output, of which reasoning
	Reason    string         `json:"reason,omitempty"`
	Program   string         `json:"program,omitempty"`
	Message   string         `json:"message,omitempty"`
	Why       string         `json:"why,omitempty"`
	Graphs    []verdict.Diff `json:"graphs,omitempty"`
}

// question holds the scored replies to one question, in all encodings.
type question struct {
	replies     []armReply
	right, some bool // all of them; at least one
}

// armReply is a row of the arm at a place.
type armReply struct {
	*run.Row
	arm int
}

// turns is the order in which kinds of question are taken: those on which replies differ, those
// that all replies get wrong, those that all get right. No kind crowds out the others.
var turns = []int{0, 1, 1, 2}

// class is 2 for a question that is always answered right, 0 for one that sometimes is, 1 for one
// that never is.
func (q *question) class() int {
	switch {
	case q.right:
		return 2
	case q.some:
		return 0
	}
	return 1
}

// browser selects what the page embeds: all replies to a question, and questions in turns, until a
// limit is reached. The second result says what is left out.
func (r *Report) browser() (*embedded, string, error) {
	e := &embedded{Instances: []embeddedInstance{}, Replies: []embeddedReply{}}
	if r.Options.Live != nil {
		return e, "", nil
	}
	all, total := map[string]*question{}, 0
	var order []*question
	for k, a := range r.Arms {
		e.Arms, e.Modes = append(e.Arms, page.Visible(a.Name)), append(e.Modes, page.Visible(string(a.Mode)))
		for _, it := range a.all {
			if it.Score == nil || it.Reply == nil {
				continue
			}
			base := baseOf(it)
			q := all[base]
			if q == nil {
				q = &question{right: true}
				all[base] = q
				order = append(order, q)
			}
			right := r.right(it)
			q.replies, q.right, q.some = append(q.replies, armReply{it, k}), q.right && right, q.some || right
			total++
		}
	}
	var classes [3][]*question
	for _, q := range order {
		k := q.class()
		classes[k] = append(classes[k], q)
	}
	var chosen []armReply
	for turn := 0; len(chosen) < min(r.Options.Embed, total); turn++ {
		if k := turns[turn%len(turns)]; len(classes[k]) > 0 {
			chosen = append(chosen, classes[k][0].replies...)
			classes[k] = classes[k][1:]
		}
	}
	places, bases := map[string]int{}, map[string]bool{} // of the instances
	size := 0
	for _, c := range chosen {
		if len(e.Replies) >= r.Options.Embed || size >= r.Options.EmbedBytes {
			break
		}
		row, err := r.Arms[c.arm].Run.Load(c.Row)
		if err != nil {
			return nil, "", err
		}
		at, ok := places[c.ID]
		if !ok {
			in := r.embedInstance(row.Instance)
			in.Base = page.Visible(baseOf(c.Row))
			at = len(e.Instances)
			places[c.ID], bases[in.Base] = at, true
			e.Instances = append(e.Instances, in)
			size += len(in.Question) + len(in.Ein) + len(in.Python)
		}
		reply := r.embedReply(row, c.arm, at)
		e.Replies = append(e.Replies, reply)
		size += len(reply.Reply) + len(reply.Reasoning) + len(reply.Turns) + len(reply.Program)
	}
	if len(e.Replies) == total {
		return e, "", nil
	}
	return e, fmt.Sprintf("This page shows %d of %d replies, to %d of %d questions: by turns one on which replies differ, two that all got wrong, and one that all got right, as far as there are any. The rest is in the run directories.",
		len(e.Replies), total, len(bases), len(order)), nil
}

// text is a text as the page may show it, cut to its limit.
func (r *Report) text(s string) string { return page.Visible(shorten(s, r.Options.EmbedText)) }

// embedInstance returns a question with its graphs and programs.
func (r *Report) embedInstance(in *instance.Instance) embeddedInstance {
	e := embeddedInstance{
		ID: page.Visible(in.ID), Category: page.Visible(in.Category), Level: page.Visible(in.Level), N: in.N, Density: string(in.Density), Directed: in.Directed,
		Edges: in.Edges, Edges2: in.Edges2,
		Question: r.text(in.Question), Answer: r.text(string(in.Answer)), Ein: r.text(in.EinProgram), Python: r.text(in.PythonProgram),
	}
	e.Nodes = lists.Map(in.Nodes, brief)
	return e
}

// embedReply returns a reply to the instance at a place, with its score and why it is wrong.
func (r *Report) embedReply(it *run.Row, arm, at int) embeddedReply {
	s, p := it.Score, it.Reply
	e := embeddedReply{
		Arm: arm, Instance: at, Sample: it.Sample, Outcome: outcomeName(s.Outcome), Right: r.right(it),
		Reply: r.text(p.Reply), Reasoning: r.text(p.Reasoning), Turns: r.text(said(p.Turns)), Answer: r.text(string(s.Answer)), Finish: page.Visible(string(p.Finish)),
		Tokens: [3]int64{p.Usage.Input, p.Usage.Output, p.Usage.Reasoning},
		Reason: page.Visible(string(s.Reason)), Program: r.text(s.Program), Message: r.text(s.Message),
	}
	if s.Code != "" {
		e.Message = brief(s.Code) + ": " + e.Message
	}
	if a := s.Attribution; a != nil {
		dropped, added, reversed := a.Edges()
		e.Why = fmt.Sprintf("%s; edges dropped %d, added %d, reversed %d", a.Kind, dropped, added, reversed)
		if a.Convention != "" {
			e.Why += fmt.Sprintf("; edges written %s", a.Convention)
		}
		e.Graphs = a.Graphs
	}
	if f := s.Finding; f != nil {
		e.Why = verdict.Unexplained
		if len(f.Matches) > 0 {
			m := &f.Matches[0]
			e.Why = fmt.Sprintf("%s: %s (%d of %d variants give this answer)", m.Error, m.Misreading, m.Matches, m.Variants)
		}
		e.Why = r.text(fmt.Sprintf("%s; %d misreadings tried, giving %d different wrong answers; a match may be chance", e.Why, f.Tried, f.Answers))
	}
	return e
}

// said writes what a model said before its reply, each call of a tool and what it answered.
func said(turns []run.Turn) string {
	var b strings.Builder
	for i, t := range turns {
		for _, x := range []string{t.Reasoning, t.Text} {
			if x != "" {
				fmt.Fprintf(&b, "%s\n", x)
			}
		}
		for _, c := range t.Calls {
			var args struct{ Program string }
			if json.Unmarshal([]byte(c.Args), &args) != nil || args.Program == "" {
				args.Program = c.Args
			}
			fmt.Fprintf(&b, "[turn %d: %s]\n%s\n[answer]\n%s\n\n", i+1, c.Tool, args.Program, c.Result)
		}
	}
	return b.String()
}

// shorten cuts a text to a length in bytes, at a character, and says so.
func shorten(s string, most int) string {
	cut := words.Cut(s, most)
	if len(cut) == len(s) {
		return s
	}
	return cut + fmt.Sprintf("\n… and %d more bytes, in the run directory", len(s)-len(cut))
}
