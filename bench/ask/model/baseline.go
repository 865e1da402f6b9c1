package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/random"
	"ein/internal/compact"
)

// baseline is a model without a network. It knows the instances, and answers as a pure function of
// its name, the instance and the sample. It accepts all parameters; only MaxTokens has an effect,
// and cuts a reply.
type baseline struct {
	name   string
	known  map[string]*instance.Instance
	answer func(in *instance.Instance, s *random.Stream) (said, error)
}

// said is a baseline's answer before it is put into the form of a mode.
type said struct {
	answer             json.RawMessage // nil when there is none
	ein, python, rules string          // programs; "" for ones that print the answer
}

// openBaseline makes a baseline:
//
//	majority       the most common answer among the instances of the category
//	random         any answer of the right type
//	oracle         the reference answer; where a program is asked for, one that prints it
//	oracle-ein     the stored program, or what it puts out
//	noisy-ein@RATE the same with edges misread: each with the probability RATE is
//	               dropped, turned around or moved
func openBaseline(name string, o *Options) (Model, error) {
	b := &baseline{name: name, known: make(map[string]*instance.Instance, len(o.Instances))}
	for _, in := range o.Instances {
		b.known[in.ID] = in
	}
	kind, rate, noisy := strings.Cut(name, "@")
	switch {
	case name == "majority":
		most := majority(o.Instances)
		b.answer = func(in *instance.Instance, _ *random.Stream) (said, error) {
			return said{answer: most[in.Category]}, nil
		}
	case name == "random":
		b.answer = func(in *instance.Instance, s *random.Stream) (said, error) {
			return said{answer: guess(in, s)}, nil
		}
	case name == "oracle":
		b.answer = func(in *instance.Instance, _ *random.Stream) (said, error) {
			return said{answer: in.Answer}, nil
		}
	case name == "oracle-ein":
		b.answer = func(in *instance.Instance, _ *random.Stream) (said, error) {
			rules, err := in.Rules()
			return said{in.Answer, in.EinProgram, in.PythonProgram, rules}, err
		}
	case kind == "noisy-ein" && noisy:
		p, err := strconv.ParseFloat(rate, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("expected a rate from 0 to 1, found %q", rate)
		}
		b.answer = func(in *instance.Instance, s *random.Stream) (said, error) { return misreading(in, p, s) }
	default:
		return nil, errors.New("unknown baseline: expected majority, random, oracle, oracle-ein or noisy-ein@RATE")
	}
	return b, nil
}

// Name implements Model.
func (b *baseline) Name() string { return "baseline:" + b.name }

// Body implements Model. It holds all that a reply depends on.
func (b *baseline) Body(r *Request) (json.RawMessage, error) {
	return compact.JSON(struct {
		Model  string `json:"model"`
		ID     string `json:"id"`
		Sample int    `json:"sample"`
		Mode   string `json:"mode"`
		System string `json:"system,omitempty"`
		User   string `json:"user"`
		Params Params `json:"params"`
		Tools  []Tool `json:"tools,omitempty"`
		Turns  []Turn `json:"turns,omitempty"`
	}{b.name, r.ID, r.Sample, r.Mode, r.System, r.User, r.Params, r.Tools, r.Turns})
}

// Ask implements Model.
func (b *baseline) Ask(ctx context.Context, r *Request) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := b.known[r.ID]
	if in == nil {
		return nil, &Error{Class: Rejected, Message: fmt.Sprintf("the baseline does not know the instance %q", r.ID),
			Hint: "A baseline answers only the instances it was opened with."}
	}
	s := random.New(random.Key("baseline", b.name, r.ID, strconv.Itoa(r.Sample)))
	what, err := b.answer(in, s)
	if err != nil {
		return nil, &Error{Class: Rejected, Message: err.Error(), Err: err}
	}
	out := &Response{Finish: Stop, Model: b.name, Limits: noLimits}
	input := prompt.Tokens(r.System) + prompt.Tokens(r.User)
	for _, t := range r.Turns {
		for i, c := range t.Calls {
			input += prompt.Tokens(c.Args) + prompt.Tokens(t.Results[i].Text)
		}
	}
	if program := trial(r, &what, s); program != "" {
		args := compact.Must(map[string]string{"program": program})
		out.Finish, out.Calls = ToolCalls, []Call{{fmt.Sprintf("call_%d", len(r.Turns)), "run", string(args)}}
		out.Usage = Usage{Input: input, Output: prompt.Tokens(string(args))}
		return out, nil
	}
	text, err := form(r.Mode, in, &what)
	if err != nil {
		return nil, &Error{Class: Denied, Message: err.Error(), Err: err}
	}
	out.Text = text
	if limit := r.Params.MaxTokens; limit > 0 && prompt.Tokens(text) > int64(limit) {
		runes := []rune(text)
		out.Text, out.Finish = string(runes[:limit*prompt.CharsPerToken]), Length
	}
	out.Usage = Usage{Input: input, Output: prompt.Tokens(out.Text)}
	return out, nil
}

// trial returns the program that a baseline runs before it answers, "" if it has none or has run
// the last one. One time in four, the first program has a mistake that no program of the benchmark
// has, and is fixed when the tool reports it.
func trial(r *Request, what *said, s *random.Stream) string {
	const mistakes = 4
	switch n := len(r.Turns); {
	case r.Final || !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == "run" }) || what.ein == "":
		return ""
	case n == 0 && s.Chance(1, mistakes):
		return strings.Replace(what.ein, ":print", ":prnt", 1)
	case n == 0 || n == 1 && r.Turns[0].Results[0].Failed:
		return what.ein
	}
	return ""
}

// form returns a reply in the form that a mode asks for.
func form(mode string, in *instance.Instance, s *said) (string, error) {
	switch mode {
	case "direct", "cot", "ein-tool":
		reply := "I cannot tell."
		if s.answer != nil {
			reply = `{"answer": ` + string(s.answer) + `}`
		}
		if mode == "cot" {
			reply = fmt.Sprintf("The graph has %d nodes and %d edges. I work through them one by one.\n\n%s", in.N, len(in.Edges)+len(in.Edges2), reply)
		}
		return reply, nil
	}
	programs := map[string]struct {
		fence, stored string
		constant      func(in *instance.Instance, answer any) string
	}{"ein": {"ein", s.ein, constantEin}, "python": {"python", s.python, constantPython}, "rules": {"ein", s.rules, constantRules}}
	p, ok := programs[mode]
	if !ok {
		return "", fmt.Errorf("unknown mode %q: expected direct, cot, ein, python, rules or ein-tool", mode)
	}
	program := p.stored
	if program == "" {
		var v any
		if err := json.Unmarshal(s.answer, &v); err != nil {
			return "", fmt.Errorf("the answer %s is not JSON: %w", s.answer, err)
		}
		program = p.constant(in, v)
	}
	return "```" + p.fence + "\n" + program + "```\n", nil
}

// majority returns the most common answer of each category, of several the first in order. Answers
// are compared as they are written, so answers with labels agree only if the labels do.
func majority(list []*instance.Instance) map[string]json.RawMessage {
	type answer struct{ category, text string }
	counts, most := map[answer]int{}, map[string]json.RawMessage{}
	for _, in := range list {
		counts[answer{in.Category, string(in.Answer)}]++
	}
	for a, n := range counts {
		best := answer{a.category, string(most[a.category])}
		if n > counts[best] || n == counts[best] && a.text < best.text {
			most[a.category] = json.RawMessage(a.text)
		}
	}
	return most
}

// guess returns a random answer of the type of the category: an integer up to the number of nodes,
// a mean of integers up to that, a set with each node one time in two.
func guess(in *instance.Instance, s *random.Stream) json.RawMessage {
	var v any
	switch category.Result(in.ResultType) {
	case category.Boolean:
		v = s.Chance(1, 2)
	case category.Integer:
		v = s.Between(0, in.N)
	case category.Float:
		v = float64(s.Between(0, in.N*in.N)) / float64(in.N)
	case category.Set:
		set := []string{}
		for _, label := range in.Nodes {
			if s.Chance(1, 2) {
				set = append(set, label)
			}
		}
		v = set
	case category.String:
		v = in.Nodes[s.IntN(in.N)]
	case category.Compound:
		v = struct {
			Reachable bool `json:"reachable"`
			Degree    int  `json:"degree"`
		}{s.Chance(1, 2), s.Between(0, in.N)}
	}
	return compact.Must(v)
}

// value returns an answer with positions for labels; a label that the instance lacks
// is left out of a set, and is the first node where one is wanted.
func value(in *instance.Instance, v any) any {
	switch x := v.(type) {
	case string:
		return max(0, slices.Index(in.Nodes, x))
	case []any:
		set := []int{}
		for _, label := range x {
			name, _ := label.(string)
			if i := slices.Index(in.Nodes, name); i >= 0 {
				set = append(set, i)
			}
		}
		slices.Sort(set)
		return set
	}
	return v
}

// constantEin returns a program that prints an answer.
func constantEin(in *instance.Instance, answer any) string {
	scalar := func(v any) string {
		switch x := v.(type) {
		case bool:
			if x {
				return "1"
			}
			return "0"
		case float64:
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		return fmt.Sprint(v)
	}
	v := value(in, answer)
	switch x := v.(type) {
	case []int:
		items := make([]string, in.N)
		for i := range items {
			items[i] = "0"
			if slices.Contains(x, i) {
				items[i] = "1"
			}
		}
		return "Result = [" + strings.Join(items, ", ") + "]\n:print Result\n"
	case map[string]any:
		return fmt.Sprintf("Reachable = %s\nDegree = %s\n:print Reachable\n:print Degree\n", scalar(x["reachable"]), scalar(x["degree"]))
	}
	return "Result = " + scalar(v) + "\n:print Result\n"
}

// constantRules returns a program whose queries give an answer.
func constantRules(_ *instance.Instance, answer any) string {
	query := func(name string, v any) string {
		switch x := v.(type) {
		case bool:
			return fmt.Sprintf("%s(\"%t\").\n%[1]s(\"true\")?\n", name, x)
		case string:
			return fmt.Sprintf("%s(%q).\n%[1]s(v)?\n", name, x)
		case []any:
			facts := name + "(\"\") <- 0 > 1.\n" // it may have no others
			for _, label := range x {
				facts += fmt.Sprintf("%s(%q).\n", name, label)
			}
			return facts + name + "(v)?\n"
		}
		return fmt.Sprintf("%s(%v).\n%[1]s(k)?\n", name, v)
	}
	if both, ok := answer.(map[string]any); ok {
		return query("Reachable", both["reachable"]) + query("Degree", both["degree"])
	}
	return query("Answer", answer)
}

// constantPython returns a program that prints an answer.
func constantPython(in *instance.Instance, answer any) string {
	return fmt.Sprintf("print(%q)\n", compact.Must(value(in, answer)))
}
