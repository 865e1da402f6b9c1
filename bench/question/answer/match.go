package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ein/bench/question/category"
)

// Mode is how an answer is matched.
type Mode string

// The modes. Relaxed differs from strict in the container alone: it accepts the right
// value in any that can be told. Lenient differs in the value alone: it also accepts
// what the wording of a question leaves open, whether its source counts.
const (
	Strict  Mode = "strict"
	Relaxed Mode = "relaxed"
	Lenient Mode = "lenient"
)

// Modes lists the modes, strict first.
func Modes() []Mode { return []Mode{Strict, Relaxed, Lenient} }

// Counted returns the mode in which answers count: strict, or lenient where that is asked for.
func Counted(lenient bool) Mode {
	if lenient {
		return Lenient
	}
	return Strict
}

// ByMode holds a value for each mode.
type ByMode[T any] struct {
	Strict  T `json:"strict"`
	Relaxed T `json:"relaxed"`
	Lenient T `json:"lenient"`
}

// InEach calls of for each mode.
func InEach[T any](of func(Mode) T) ByMode[T] {
	return ByMode[T]{of(Strict), of(Relaxed), of(Lenient)}
}

// In returns the value of a mode.
func (b *ByMode[T]) In(m Mode) T {
	switch m {
	case Relaxed:
		return b.Relaxed
	case Lenient:
		return b.Lenient
	}
	return b.Strict
}

// Verdict is what MatchAnswer says.
type Verdict string

// The verdicts.
const (
	Correct   Verdict = "correct"
	Incorrect Verdict = "wrong"
	Malformed Verdict = "format_error" // of another JSON type
)

// Outcome is how the reply to a question was judged. Every question has one.
type Outcome string

// The outcomes. InfraError is a failure of a provider or a sandbox: it is no
// answer of the model and is left out of accuracies.
const (
	StrictlyRight Outcome = "strict"
	LenientOnly   Outcome = "lenient_only"
	RelaxedOnly   Outcome = "relaxed_only"
	Wrong         Outcome = "wrong"
	FormatError   Outcome = "format_error"
	NoAnswer      Outcome = "no_answer"
	InfraError    Outcome = "infra_error"
)

// Outcomes lists the outcomes.
func Outcomes() []Outcome {
	return []Outcome{StrictlyRight, LenientOnly, RelaxedOnly, Wrong, FormatError, NoAnswer, InfraError}
}

// Judgements says for each mode whether an answer is right in it.
type Judgements ByMode[bool]

// In returns the judgement in a mode. Scores from before there was a relaxed mode lack it.
func (j Judgements) In(m Mode) bool {
	return j.Strict || m == Relaxed && j.Relaxed || m == Lenient && j.Lenient
}

// Any reports whether an answer is right in some mode.
func (j Judgements) Any() bool { return j.Strict || j.Relaxed || j.Lenient }

// Judgements returns the judgements that an outcome stands for.
func (o Outcome) Judgements() Judgements {
	strict := o == StrictlyRight
	return Judgements{Strict: strict, Relaxed: strict || o == RelaxedOnly, Lenient: strict || o == LenientOnly}
}

// CountAmbiguous reports whether counts of a category may include the source or not.
// The paper lists aggregate_over_set too, to no effect: it is a float.
func CountAmbiguous(c string) bool {
	return slices.Contains([]string{"reach_then_count", "intersect_then_size", "reach_then_filter", "scc_then_count", "chain_of_filters"}, c)
}

// setAmbiguous reports whether sets of a category may include the source or not.
func setAmbiguous(c string) bool {
	return slices.Contains([]string{"set_intersect", "set_difference", "ancestor", "sibling", "cousin", "negative_reach"}, c)
}

// Asked is what the judgement of an answer needs to know of its question.
type Asked struct {
	Source string   // label of the node that it is about; may be empty
	Labels []string // of all nodes
	Fixed  bool     // the wording leaves nothing open, and lenient is strict
}

// FixedWording reports whether the wording of an instance leaves nothing open. In cb1
// lenient mode is that of the paper; later generators state their conventions unless
// the id asks for the phrasing of the paper.
func FixedWording(id, version string) bool {
	const options = 5 // of the parts of an id the first that may be one
	at := 0
	for part := range strings.SplitSeq(id, "-") {
		if at >= options && part == "implicit" {
			return false
		}
		at++
	}
	return version != "cb1"
}

// Reference is the right answer of a question.
type Reference struct {
	value  JSON
	asked  Asked
	number decimal // of an integer or a float
}

// How far, in hundredths, a number may be from the right one: a float always, an integer in
// lenient mode.
const (
	tolerance = 1
	one       = 100
)

// NewReference returns the reference answer of a question.
func NewReference(text json.RawMessage, t category.Result, asked Asked) (Reference, error) {
	v, err := Parse(string(text))
	if err != nil {
		return Reference{}, fmt.Errorf("the answer: %w", err)
	}
	r := Reference{value: v, asked: asked}
	ok := conforms(&v, t)
	if ok && t == category.Compound {
		reach, _ := v.Member("reachable")
		degree, _ := v.Member("degree")
		ok = conforms(&reach, category.Boolean) && conforms(&degree, category.Integer)
	}
	if ok && (t == category.Integer || t == category.Float) {
		r.number = parseDecimal(v.text)
		ok = r.number.moderate()
	}
	if !ok {
		return Reference{}, fmt.Errorf("the answer is not of type %s", t)
	}
	return r, nil
}

// conforms reports whether a value is of the JSON type of an answer.
func conforms(v *JSON, t category.Result) bool {
	switch t {
	case category.Boolean:
		return v.kind == jsonBool
	case category.Integer:
		return v.kind == jsonNumber && parseDecimal(v.text).integral()
	case category.Float:
		return v.kind == jsonNumber
	case category.Set:
		return v.kind == jsonArray && !slices.ContainsFunc(v.more.values, func(x JSON) bool { return x.kind != jsonString })
	case category.String:
		return v.kind == jsonString
	case category.Compound:
		if v.kind != jsonObject {
			return false
		}
		// A name and its alias are a name twice.
		return !both(v, "reachable", "reach") && !both(v, "degree", "deg")
	}
	return false
}

func both(v *JSON, a, b string) bool {
	_, hasA := v.Member(a)
	_, hasB := v.Member(b)
	return hasA && hasB
}

// MatchAnswer compares the answer of a model with the reference answer, which
// has to be of type t. No answer at all, nil, is malformed. JSON types are strict:
// 3.0 is an integer, "3" is none, and true is not 1.
func MatchAnswer(predicted *JSON, reference *Reference, t category.Result, categoryName string, m Mode) Verdict {
	if predicted != nil && m == Relaxed {
		if v, ok := predicted.coerce(t, reference.asked.Labels); ok {
			predicted = &v
		}
	}
	if predicted == nil || !conforms(predicted, t) {
		return Malformed
	}
	p, r := predicted, &reference.value
	lenient := m == Lenient && !reference.asked.Fixed
	ok := false
	switch t {
	case category.Boolean:
		ok = p.text == r.text
	case category.Integer:
		d, want := parseDecimal(p.text), reference.number
		ok = d == want || lenient && CountAmbiguous(categoryName) && (d == want.plus(-one) || d == want.plus(one))
	case category.Float:
		d, want := parseDecimal(p.text), reference.number
		ok = d == want || want.plus(-tolerance).compare(d) <= 0 && d.compare(want.plus(tolerance)) <= 0
	case category.Set:
		ok = matchSet(p, r, &reference.asked, lenient && setAmbiguous(categoryName))
	case category.String:
		ok = strings.TrimSpace(p.text) == strings.TrimSpace(r.text)
	case category.Compound:
		ok = matchCompound(p, r)
	}
	if ok {
		return Correct
	}
	return Incorrect
}

// matchSet compares sets of labels. With open, the difference may be the source; but
// all labels and none are what is said without a look at the graph.
func matchSet(p, r *JSON, asked *Asked, open bool) bool {
	left, right := stringSet(p), stringSet(r)
	if open && asked.Source != "" && len(left) > 0 && len(left) != len(asked.Labels) {
		delete(left, asked.Source)
		delete(right, asked.Source)
	}
	return maps.Equal(left, right)
}

func stringSet(v *JSON) map[string]bool {
	set := make(map[string]bool, len(v.more.values))
	for i := range v.more.values {
		set[strings.TrimSpace(v.more.values[i].text)] = true
	}
	return set
}

// matchCompound compares the two members. Further ones do not count, and one
// that is missing or of another type makes the whole wrong.
func matchCompound(p, r *JSON) bool {
	reach, degree := either(p, "reachable", "reach"), either(p, "degree", "deg")
	wantReach, _ := r.Member("reachable")
	wantDegree, _ := r.Member("degree")
	return conforms(&reach, category.Boolean) && reach.text == wantReach.text &&
		conforms(&degree, category.Integer) && parseDecimal(degree.text) == parseDecimal(wantDegree.text)
}

// either returns the member with one of two names, or null.
func either(v *JSON, name, alias string) JSON {
	x, ok := v.Member(name)
	if !ok {
		x, _ = v.Member(alias)
	}
	return x
}

// Judge returns the outcome of an answer: MatchAnswer in every mode.
func Judge(predicted *JSON, reference *Reference, t category.Result, categoryName string) Outcome {
	strict := MatchAnswer(predicted, reference, t, categoryName, Strict)
	switch {
	case strict == Correct:
		return StrictlyRight
	case MatchAnswer(predicted, reference, t, categoryName, Lenient) == Correct:
		return LenientOnly
	case MatchAnswer(predicted, reference, t, categoryName, Relaxed) == Correct:
		return RelaxedOnly
	case strict == Malformed:
		return FormatError
	}
	return Wrong
}

// Result is the judgement of a reply.
type Result struct {
	Outcome Outcome `json:"outcome"`
	Judgements
	// Answer is what was understood, also when it is of a wrong type; nil if
	// nothing was.
	Answer json.RawMessage `json:"answer"`
	Reason Reason          `json:"reason,omitempty"` // of FormatError and NoAnswer
}

// Score scores the reply to a question.
func Score(reply string, reference *Reference, t category.Result, categoryName string) Result {
	reply = Visible(reply)
	p, err := ParseReply(reply)
	if err == nil {
		return judged(&p, reference, t, categoryName)
	}
	if p, relaxed := ParseRelaxed(reply); relaxed == nil {
		if r := judged(&p, reference, t, categoryName); r.Relaxed {
			return only(r)
		}
	}
	var reason Reason
	errors.As(err, &reason)
	if reason == NoReply {
		return Result{Outcome: NoAnswer, Reason: reason}
	}
	return Result{Outcome: FormatError, Reason: reason}
}

// judged returns the result of an answer that was found.
func judged(p *JSON, reference *Reference, t category.Result, categoryName string) Result {
	o := Judge(p, reference, t, categoryName)
	r := Result{Outcome: o, Judgements: o.Judgements(), Answer: p.Raw()}
	switch o {
	case FormatError:
		r.Reason = WrongType
	case RelaxedOnly:
		v, _ := p.coerce(t, reference.asked.Labels)
		r.Answer = v.Raw()
	}
	return r
}

// only returns a result that is right in a container that strict mode does not read.
func only(r Result) Result {
	r.Outcome, r.Judgements = RelaxedOnly, RelaxedOnly.Judgements()
	return r
}

// Finished returns the result of a reply whose provider gave a finish reason: without
// an answer in it, a reply that was cut off, declined or held back is no answer
// rather than a format error. A reply that has an answer is scored as always.
func (r Result) Finished(finish string) Result {
	if why, ok := Unfinished(finish); ok && (r.Reason == NoReply || r.Reason == NoObject || r.Reason == NoField) {
		return Result{Outcome: NoAnswer, Reason: why}
	}
	return r
}
