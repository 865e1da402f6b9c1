package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"sort"
	"unicode/utf8"

	"ein/bench/judge/verdict"
	"ein/bench/question/instance"
	"ein/internal/page"
)

// embedded is the data of the browser of replies. Every text in it is made
// visible and shortened; the page puts it in place as text and never as markup.
type embedded struct {
	Arms      []string           `json:"arms"`
	Modes     []string           `json:"modes"` // of the arms
	Instances []embeddedInstance `json:"instances"`
	Replies   []embeddedReply    `json:"replies"`
}

type embeddedInstance struct {
	ID       string   `json:"id"`
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

type embeddedReply struct {
	Arm       int            `json:"arm"`
	Instance  int            `json:"instance"`
	Sample    int            `json:"sample,omitempty"`
	Outcome   string         `json:"outcome"`
	Right     bool           `json:"right"`
	Reply     string         `json:"reply"`
	Reasoning string         `json:"reasoning,omitempty"`
	Answer    string         `json:"answer"`
	Finish    string         `json:"finish"`
	Tokens    [3]int64       `json:"tokens"` // input, output, of which reasoning
	Reason    string         `json:"reason,omitempty"`
	Program   string         `json:"program,omitempty"`
	Message   string         `json:"message,omitempty"`
	Why       string         `json:"why,omitempty"`
	Graphs    []verdict.Diff `json:"graphs,omitempty"`
}

// browser chooses what is embedded: replies that are not right first, the arms by
// turns, until a limit is reached. The second result says what is left out.
func (r *Report) browser() (*embedded, string, error) {
	type choice struct {
		*item
		arm, place int
		right      bool
	}
	var all []choice
	wrong := 0
	e := &embedded{Instances: []embeddedInstance{}, Replies: []embeddedReply{}}
	for k, a := range r.Arms {
		e.Arms, e.Modes = append(e.Arms, page.Visible(a.Name)), append(e.Modes, page.Visible(string(a.Mode)))
		for i := range a.all {
			it := &a.all[i]
			if it.Score == nil || it.Reply == nil {
				continue
			}
			c := choice{it, k, i, r.right(it)}
			if !c.right {
				wrong++
			}
			all = append(all, c)
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.right != b.right {
			return b.right
		}
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.arm, b.arm)) < 0
	})
	places := map[string]int{} // of the instances
	size, shown := 0, 0
	for _, c := range all {
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
			at = len(e.Instances)
			places[c.ID] = at
			e.Instances = append(e.Instances, in)
			size += len(in.Question) + len(in.Ein) + len(in.Python)
		}
		reply := r.embedReply(&item{row}, c.arm, at)
		e.Replies = append(e.Replies, reply)
		size += len(reply.Reply) + len(reply.Reasoning) + len(reply.Program)
		if !c.right {
			shown++
		}
	}
	n, total := len(e.Replies), len(all)
	if n == total {
		return e, "", nil
	}
	return e, fmt.Sprintf("This page holds %d of %d replies: %d of the %d that are not right, and %d of the %d that are. The rest is in the run directories.",
		n, total, shown, wrong, n-shown, total-wrong), nil
}

func (r *Report) text(s string) string { return page.Visible(shorten(s, r.Options.EmbedText)) }

func (r *Report) embedInstance(in *instance.Instance) embeddedInstance {
	e := embeddedInstance{
		ID: page.Visible(in.ID), Category: page.Visible(in.Category), Level: page.Visible(in.Level), N: in.N, Density: string(in.Density), Directed: in.Directed,
		Edges: in.Edges, Edges2: in.Edges2,
		Question: r.text(in.Question), Answer: r.text(string(in.Answer)), Ein: r.text(in.EinProgram), Python: r.text(in.PythonProgram),
	}
	for _, n := range in.Nodes {
		e.Nodes = append(e.Nodes, brief(n))
	}
	return e
}

func (r *Report) embedReply(it *item, arm, at int) embeddedReply {
	s, p := it.Score, it.Reply
	e := embeddedReply{
		Arm: arm, Instance: at, Sample: it.Sample, Outcome: outcomeName(s.Outcome), Right: r.right(it),
		Reply: r.text(p.Reply), Reasoning: r.text(p.Reasoning), Answer: r.text(string(s.Answer)), Finish: page.Visible(string(p.Finish)),
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
			e.Why = fmt.Sprintf("%s: %s (%d of %d ways of it give this answer)", m.Error, m.Misreading, m.Matches, m.Variants)
		}
		e.Why = r.text(fmt.Sprintf("%s; %d misreadings tried, which give %d different wrong answers; a match may be chance", e.Why, f.Tried, f.Answers))
	}
	return e
}

// data is the browser's data as JSON that can stand in a script element: <, > and
// & and the line separators of JavaScript are escaped.
func (e *embedded) data() ([]byte, error) { return json.Marshal(e) }

// shorten cuts a text to a length in bytes, at a character, and says so.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + fmt.Sprintf("\n… and %d more bytes, in the run directory", len(s)-cut)
}
