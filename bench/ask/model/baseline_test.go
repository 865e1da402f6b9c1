package model

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

// instances returns a few of each category.
func instances(t testing.TB, each int) []*instance.Instance {
	t.Helper()
	var list []*instance.Instance
	for k := range category.Table {
		for i := range each {
			in, _, err := instance.Generate(instance.NewID("test", category.Table[k].Name, i, 5))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, in)
		}
	}
	return list
}

func open(t testing.TB, spec string, o Options) Model {
	t.Helper()
	m, err := Open(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Close(m); err != nil {
			t.Error(err)
		}
	})
	return m
}

// shares scores a model in a mode that has no Python in it.
func shares(t *testing.T, spec, mode string, list []*instance.Instance) map[answer.Outcome]int {
	t.Helper()
	m := open(t, spec, Options{Instances: list})
	e := verdict.New(verdict.Options{})
	counts := map[answer.Outcome]int{}
	for _, in := range list {
		got, err := m.Ask(t.Context(), &Request{ID: in.ID, Mode: mode, User: in.Question})
		if err != nil {
			t.Fatalf("%s: %v", in.ID, err)
		}
		q, err := verdict.NewQuestion(in, true)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Reply(t.Context(), q, &verdict.Line{Reply: got.Text, Mode: prompt.Mode(mode)})
		if err != nil {
			t.Fatal(err)
		}
		counts[r.Outcome]++
	}
	return counts
}

func TestOraclesAreRight(t *testing.T) {
	list := instances(t, 3)
	for _, spec := range []string{"baseline:oracle", "baseline:oracle-ein", "baseline:noisy-ein@0"} {
		for _, mode := range []string{"direct", "cot", "ein", "rules"} {
			if got := shares(t, spec, mode, list); got[answer.StrictlyRight] != len(list) {
				t.Errorf("%s, %s: %v, want all of %d right", spec, mode, got, len(list))
			}
		}
	}
}

func TestBaselinesAreWrongSometimes(t *testing.T) {
	list := instances(t, 8)
	for _, spec := range []string{"baseline:majority", "baseline:random", "baseline:noisy-ein@0.3"} {
		for _, mode := range []string{"direct", "ein", "rules"} {
			got := shares(t, spec, mode, list)
			right := got[answer.StrictlyRight]
			if right == 0 || right == len(list) {
				t.Errorf("%s, %s: %d of %d right", spec, mode, right, len(list))
			}
			if n := got[answer.FormatError] + got[answer.NoAnswer] + got[answer.InfraError]; spec != "baseline:noisy-ein@0.3" && n > 0 {
				t.Errorf("%s, %s: %v, want every reply to be of the right form", spec, mode, got)
			}
		}
	}
}

// TestNoiseGrows compares rates: every edge wrong is worse than some.
func TestNoiseGrows(t *testing.T) {
	list := instances(t, 8)
	last := len(list) + 1
	for _, rate := range []string{"0", "0.1", "0.5", "1"} {
		right := shares(t, "baseline:noisy-ein@"+rate, "direct", list)[answer.StrictlyRight]
		if right >= last {
			t.Errorf("rate %s: %d right, want fewer than the %d of the rate before", rate, right, last)
		}
		last = right
	}
}

func TestBaselineIsAFunctionOfTheRequest(t *testing.T) {
	list := instances(t, 2)
	for _, spec := range []string{"baseline:majority", "baseline:random", "baseline:oracle", "baseline:oracle-ein", "baseline:noisy-ein@0.5"} {
		a, b := open(t, spec, Options{Instances: list}), open(t, spec, Options{Instances: list})
		differ := false
		for _, mode := range []string{"direct", "cot", "ein", "python", "rules"} {
			for _, in := range list {
				r := &Request{ID: in.ID, Mode: mode, User: in.Question}
				x, err := a.Ask(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				y, _ := b.Ask(t.Context(), r)
				if !reflect.DeepEqual(x, y) {
					t.Fatalf("%s, %s: two replies to one request", spec, in.ID)
				}
				z, _ := b.Ask(t.Context(), &Request{ID: in.ID, Mode: mode, User: in.Question, Sample: 1})
				differ = differ || x.Text != z.Text
			}
		}
		if random := strings.Contains(spec, "random") || strings.Contains(spec, "noisy"); differ != random {
			t.Errorf("%s: samples differ: %v, want %v", spec, differ, random)
		}
	}
}

func TestBaselineKeepsToItsBudget(t *testing.T) {
	list := instances(t, 1)
	m := open(t, "baseline:oracle-ein", Options{Instances: list})
	got, err := m.Ask(t.Context(), &Request{ID: list[0].ID, Mode: "ein", User: "?", Params: Params{MaxTokens: 3}})
	if err != nil || got.Finish != Length || len(got.Text) != 12 || got.Usage.Output != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestBaselineErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"oracle":                 `model "oracle": unknown provider "oracle"`,
		"baseline:":              "the name is missing",
		"baseline":               "the name is missing",
		"baseline:orakel":        "unknown baseline",
		"baseline:noisy-ein":     "unknown baseline",
		"baseline:noisy-ein@2":   "expected a rate from 0 to 1, found",
		"baseline:noisy-ein@NaN": "expected a rate from 0 to 1, found",
	} {
		if _, err := Open(spec, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	m := open(t, "baseline:oracle", Options{})
	var e *Error
	if _, err := m.Ask(t.Context(), &Request{ID: "x", Mode: "direct"}); !errors.As(err, &e) || e.Class != Rejected {
		t.Errorf("an unknown instance: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Ask(ctx, &Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}
