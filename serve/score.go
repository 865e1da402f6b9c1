package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/internal/words"
)

// The most of one request.
const (
	maxItems = 1024
	maxReply = 1 << 20 // bytes
)

// Item is a reply to be scored. The id of its question is enough: the instance is made
// again.
type Item struct {
	ID       string         `json:"id,omitzero"`
	Instance jsontext.Value `json:"instance,omitzero"` // in place of an id: its line
	Reply    string         `json:"reply"`
	Mode     prompt.Mode    `json:"mode,omitzero"`   // direct, cot, ein, python or rules; by default what the reply looks like
	Finish   string         `json:"finish,omitzero"` // why the model stopped: stop, length
}

// ScoreRequest asks for the scores of replies.
type ScoreRequest struct {
	Items  []Item `json:"items"`
	Limits Limits `json:"limits,omitzero"` // of each Ein program
}

// Scores answers it, in the order of the items.
type Scores struct {
	Version int     `json:"version"`
	Items   []Score `json:"items"`
}

// ItemStatus says whether there is a score.
type ItemStatus string

// What did not get a score says nothing about the reply.
const (
	Scored     ItemStatus = "scored"
	InfraError ItemStatus = "infra_error"
	BadRequest ItemStatus = "bad_request"
)

// Score is the verdict on a reply, and its reward.
type Score struct {
	ID       string         `json:"id"`
	Status   ItemStatus     `json:"status"`
	Reward   *float64       `json:"reward"` // null unless it was scored
	Outcome  answer.Outcome `json:"outcome,omitzero"`
	Strict   bool           `json:"strict"`
	Relaxed  bool           `json:"relaxed"`
	Lenient  bool           `json:"lenient"`
	Answer   jsontext.Value `json:"answer,omitzero"` // as it was understood
	Reason   answer.Reason  `json:"reason,omitzero"`
	Code     string         `json:"code,omitzero"` // of the first error of a program
	Message  string         `json:"message,omitzero"`
	Ops      uint64         `json:"ops,omitzero"`
	Constant bool           `json:"constant_output,omitzero"` // the program depends on no graph
	Mode     prompt.Mode    `json:"mode,omitzero"`            // as it was judged
	Sandbox  string         `json:"sandbox,omitzero"`         // of a Python program
	verdict.Topic
}

func score(ctx context.Context, s *Server, c *Call, q *ScoreRequest) (*Scores, error) {
	out, err := s.score(ctx, c.Route, q)
	return &Scores{1, out}, err
}

// score scores all items, or none: the error comes from the context, or is a busyError.
func (s *Server) score(ctx context.Context, r *Route, q *ScoreRequest) ([]Score, error) {
	if len(q.Items) == 0 || len(q.Items) > maxItems {
		return nil, bad("there are %d items, expected 1 to %d", len(q.Items), maxItems)
	}
	var options *verdict.Options
	if q.Limits != (Limits{}) {
		options = new(s.judging(q.Limits))
	}
	out := make([]Score, len(q.Items))
	lines, in := make([]verdict.Line, len(q.Items)), map[*lane][]int{}
	for i := range q.Items {
		it := &q.Items[i]
		lines[i] = verdict.Line{Number: i + 1, ID: it.ID, Reply: it.Reply, Mode: it.Mode, Finish: it.Finish}
		out[i].ID = it.ID
		if err := isMode(it.Mode); err != nil {
			out[i].Status, out[i].Message = BadRequest, err.Error()
			s.metrics.item(&out[i], 0)
			continue
		}
		lines[i].Mode = verdict.ModeOf(&lines[i])
		at := s.ein
		if lines[i].Mode == prompt.Python {
			at = s.python
		}
		in[at] = append(in[at], i)
	}
	one := func(ctx context.Context, j *verdict.Judge, i int) error {
		start := time.Now()
		if options != nil {
			j = verdict.New(*options)
		}
		err := s.judge(ctx, j, &q.Items[i], &lines[i], &out[i])
		if it := &out[i]; r.lenient && it.Status == BadRequest && it.Reason == answer.TooLong {
			// As ein bench score counts it. A stack knows no missing reward, and would ask for the same for ever.
			it.Status, it.Outcome = Scored, answer.FormatError
			it.Reward = s.reward(&verdict.Verdict{Result: answer.Result{Outcome: it.Outcome}})
		}
		s.metrics.item(&out[i], time.Since(start))
		return err
	}
	both := make(chan error, 1)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lane := func(l *lane) error {
		err := l.each(ctx, len(in[l]), r.Hold, s.metrics.waited(l), func(ctx context.Context, j *verdict.Judge, k int) error { return one(ctx, j, in[l][k]) })
		if err != nil {
			stop(err)
		}
		return err
	}
	go func() { both <- lane(s.python) }()
	err := lane(s.ein)
	return out, errors.Join(err, <-both)
}

// judging returns the options of a judge, with the limits of a request where these are lower.
func (s *Server) judging(l Limits) verdict.Options {
	cost := s.limits(l)
	return verdict.Options{Python: s.known, Constant: s.opt.Constant != nil, Begin: aside, Limits: verdict.Limits{
		Ops: under(cost.MaxOps, verdict.DefaultOps), Bytes: under(cost.MaxBytes, verdict.DefaultBytes), Output: under(cost.MaxOutputElements, verdict.DefaultOutput),
		Timeout: cmp.Or(min(s.time(l), verdict.DefaultTimeout), verdict.DefaultTimeout),
	}}
}

// judge fills in the score of an item. The error comes from the context.
func (s *Server) judge(ctx context.Context, j *verdict.Judge, it *Item, l *verdict.Line, out *Score) error {
	out.Status, out.Mode = BadRequest, cmp.Or(l.Mode, prompt.Direct)
	q, err := s.question(ctx, it)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		out.Message = err.Error()
		return nil
	case len(it.Reply) > maxReply:
		out.Reason = answer.TooLong // which tells it from a mistake of the client
		out.Message = fmt.Sprintf("the reply has %d bytes, at most %d are scored", len(it.Reply), maxReply)
		return nil
	}
	v, err := j.Reply(ctx, q, l)
	if err != nil {
		return err
	}
	out.ID, out.Topic = q.ID, v.Topic
	out.Outcome, out.Reason, out.Code, out.Message = v.Outcome, v.Reason, v.Code, v.Message
	out.Strict, out.Relaxed, out.Lenient, out.Answer = v.Strict, v.Relaxed, v.Lenient, jsontext.Value(v.Answer)
	out.Ops, out.Constant = v.Ops, v.Constant
	if l.Mode == prompt.Python { // others do not wait until a sandbox is proven
		if box, _ := s.box.Opened(); box != nil {
			out.Sandbox = box.Versions().Backend
		}
	}
	if out.Status = InfraError; v.Outcome != answer.InfraError {
		out.Status, out.Reward = Scored, s.reward(v)
	}
	return nil
}

// reward returns the reward for a verdict.
func (s *Server) reward(v *verdict.Verdict) *float64 {
	x := 0.0
	switch {
	case s.opt.Reward != Shaped && v.In(answer.Mode(s.opt.Reward)) || v.Strict:
		x = 1
	case s.opt.Reward == Shaped && v.Any():
		x = 0.9
	case s.opt.Reward == Shaped && v.Outcome == answer.Wrong:
		x = 0.1
	}
	if most := s.opt.Constant; most != nil && v.Constant {
		x = min(x, *most)
	}
	return &x
}

// allowed returns an error for a split that may not be asked for: what is meant for scoring must
// not become a reward by mistake.
func (s *Server) allowed(version, split string) error {
	if !instance.HeldOut(version, split) || slices.Contains(s.opt.Splits, split) || slices.Contains(s.opt.Splits, "*") {
		return nil
	}
	return fmt.Errorf("the split %q of %s is held out, and a reward on it is training on it; a server started with --allow-split %s allows it, in Python ein.bench.allow('%s')", split, version, split, split)
}

// question returns the question of an item, made again from its id or read from its instance.
func (s *Server) question(ctx context.Context, it *Item) (*verdict.Question, error) {
	if it.Instance != nil && it.Instance.Kind() != 'n' {
		if it.ID != "" {
			return nil, errors.New("there are both an id and an instance")
		}
		in, err := instance.Parse(it.Instance)
		if err != nil {
			return nil, fmt.Errorf("the instance cannot be read: %w; its id alone is enough", err)
		}
		if err := s.allowed(in.Version, in.Split); err != nil {
			return nil, err
		}
		return verdict.NewQuestion(in, s.opt.Constant != nil)
	}
	if q, ok := s.questions.get(it.ID); ok {
		return q, nil
	}
	in, err := s.instance(ctx, it.ID)
	if err != nil {
		return nil, err
	}
	q, err := verdict.NewQuestion(in, s.opt.Constant != nil)
	if err == nil {
		s.questions.put(strings.Clone(it.ID), q) // not the whole body with it
	}
	return q, err
}

// instance makes the instance of an id again.
func (s *Server) instance(ctx context.Context, text string) (*instance.Instance, error) {
	id, err := instance.ParseID(text)
	if err == nil {
		err = s.allowed(id.Version, id.Split)
	}
	var in *instance.Instance
	if err == nil {
		in, _, err = instance.GenerateContext(ctx, id)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, bad("%v", err)
	}
	return in, nil
}

// RewardRequest is what the reward function of a trainer gets: lists of ids and completions.
type RewardRequest struct {
	Prompts     []jsontext.Value `json:"prompts,omitzero"` // not looked at
	Completions []Completion     `json:"completions"`
	IDs         []string         `json:"ids"`
	Mode        prompt.Mode      `json:"mode,omitzero"`
}

// Completion is the text of a model: a string, or a list of messages, of which the model's last
// counts.
type Completion string

// UnmarshalJSONFrom reads either form. A message may have an empty text, but must not lack it by
// mistake.
func (c *Completion) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch kind := d.PeekKind(); kind {
	case '"':
		return json.UnmarshalDecode(d, (*string)(c))
	case '[':
	default:
		_ = d.SkipValue()
		return bad("expected text or a list of messages, found %s", found[kind])
	}
	var list []struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
		Calls   jsontext.Value `json:"tool_calls"`
	}
	if err := json.UnmarshalDecode(d, &list, json.RejectUnknownMembers(false)); err != nil {
		return err
	}
	for i, m := range slices.Backward(list) {
		if m.Role != "assistant" && m.Role != "" {
			continue
		}
		switch kind := m.Content.Kind(); {
		case kind == '"':
			return json.Unmarshal(m.Content, (*string)(c))
		case kind == 'n' || m.Content == nil && m.Calls != nil: // nothing was said
			return nil
		case m.Content == nil:
			return bad("message %d, the last of the assistant, has no member `content`", i)
		default:
			return bad("message %d: the member `content` is %s, expected text", i, found[kind])
		}
	}
	return bad("there is no message with the role `assistant`")
}

// Rewards answers it, in the order of the completions; null is a completion that was not scored.
type Rewards struct {
	Rewards []*float64 `json:"rewards"`
}

// rewards does what score does, in the form of a reward function.
func rewards(ctx context.Context, s *Server, c *Call, q *RewardRequest) (*Rewards, error) {
	if len(q.IDs) != len(q.Completions) {
		return nil, bad("there are %s and %s", words.Plural(len(q.Completions), "completion"), words.Plural(len(q.IDs), "id"))
	}
	if err := isMode(q.Mode); err != nil {
		return nil, err
	}
	var items ScoreRequest
	for i, text := range q.Completions {
		items.Items = append(items.Items, Item{ID: q.IDs[i], Reply: string(text), Mode: q.Mode})
	}
	scores, err := s.score(ctx, c.Route, &items)
	out := &Rewards{}
	for i := range scores {
		if scores[i].Status == BadRequest && scores[i].Reason != answer.TooLong && err == nil {
			return nil, bad("/ids/%d: %s", i, scores[i].Message)
		}
		out.Rewards = append(out.Rewards, scores[i].Reward)
	}
	return out, err
}
