package verdict

import (
	"encoding/json"
	"fmt"
	"strconv"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
)

// Question is what a reply is judged against.
type Question struct {
	ID string
	Topic
	Type      category.Result
	Labels    []string
	Reference answer.Reference
	// What attribution needs: the graph, and the program of the instance.
	Case    category.Case
	Program string
}

// NewQuestion returns the question of an instance; without why it has no more than scoring
// needs.
func NewQuestion(in *instance.Instance, why bool) (*Question, error) {
	q := &Question{}
	if err := q.fill(in, why); err != nil {
		return nil, err
	}
	return q, nil
}

func (q *Question) fill(in *instance.Instance, why bool) error {
	c, err := instance.Category(in.Category)
	if err != nil {
		return err
	}
	if in.ResultType != string(c.Result) || in.Level != "L"+strconv.Itoa(c.Level) {
		return fmt.Errorf("%s: an instance of %s has the level L%d and the type %s, not %s and %s",
			quoted(in.ID), c.Name, c.Level, c.Result, quoted(in.Level), quoted(in.ResultType))
	}
	reference, err := in.Reference()
	if err != nil {
		return fmt.Errorf("%s: %w", quoted(in.ID), err)
	}
	*q = Question{ID: in.ID, Topic: Topic{c.Name, in.Level}, Type: c.Result, Labels: in.Nodes, Reference: reference}
	if !why {
		return nil
	}
	q.Program = in.EinProgram
	q.Case, err = in.Case()
	return err
}

// match returns the result of an answer that a program gave.
func (q *Question) match(text json.RawMessage) answer.Result {
	o := answer.FormatError
	if x, err := answer.Parse(string(text)); err == nil {
		o = answer.Judge(&x, &q.Reference, q.Type, q.Category)
	}
	return answer.Result{Outcome: o, Judgements: o.Judgements(), Answer: text}
}
