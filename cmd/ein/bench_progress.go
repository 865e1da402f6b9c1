package main

import (
	"fmt"
	"time"

	"ein/bench/ask/eval"
)

// rare is a line of progress that is told seldom where it stays: one that is
// replaced on a terminal, and one every half minute elsewhere.
type rare struct {
	*progress
	a     *app
	every time.Duration
}

func (a *app) rarely() *rare {
	r := &rare{a.progress("", 0), a, progressEvery}
	if !a.terminal {
		const quiet = 30 * time.Second
		r.every = quiet
	}
	return r
}

// due reports whether it is time to tell.
func (r *rare) due() bool {
	now := r.now()
	if now.Sub(r.start) < progressAfter || now.Sub(r.last) < r.every {
		return false
	}
	r.last = now
	return true
}

func (r *rare) tell(s string) {
	if r.w == nil {
		r.a.printf("ein: %s\n", s)
		return
	}
	r.put(s)
}

// evalProgress shows how far a run is.
func (r *rare) evalProgress(priced bool) func(eval.Progress) {
	return func(p eval.Progress) {
		if !r.due() {
			return
		}
		s := fmt.Sprintf("%d/%d replies, %.1f/s", p.Questions-p.Missing, p.Questions, p.Rate)
		if priced {
			s += fmt.Sprintf(", $%.4f", p.Cost)
		}
		if p.Left > 0 {
			s += fmt.Sprintf(", %v left", p.Left.Round(time.Second))
		}
		s += fmt.Sprintf(", %d of %d on their way, %d retries", p.Flying, p.Limit, p.Retries)
		if p.Paused > 0 {
			s += fmt.Sprintf(", paused for %v", p.Paused.Round(time.Second))
		}
		r.tell(s)
	}
}

// counter shows how many of a number of things are done.
func (r *rare) counter(what string) func(done, total int) {
	return func(done, total int) {
		if !r.due() {
			return
		}
		rate := float64(done) / r.now().Sub(r.start).Seconds()
		left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
		r.tell(fmt.Sprintf("%s: %d/%d, %.1f/s, %v left", what, done, total, rate, left))
	}
}
