package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// sampleTime is how long a sample takes at least: short calls are repeated.
const sampleTime = 20 * time.Millisecond

// sampler takes one sample.
type sampler func() (answer, error)

// contender is one column of a row: our side or a peer.
type contender struct {
	name  string
	why   string // it is not run
	start func() (sampler, error)
}

// row is a case.
type row struct {
	name       string
	contenders []contender
	main       int     // the contender that the others are compared with
	tolerance  float64 // relative, of the checks
}

// result is the outcome of a contender.
type result struct {
	name    string
	why     string // there is no figure
	seconds float64
}

// ours makes samples of call. check is taken after each, untimed.
func ours(call func() error, check func() float64) (sampler, error) {
	if err := call(); err != nil { // warm, and an error shows before it is timed
		return nil, err
	}
	// In seconds, as whole nanoseconds are too coarse for the quickest.
	sample := func(loops int) (answer, error) {
		runtime.GC()
		cpu, start := processTime(), time.Now()
		for range loops {
			if err := call(); err != nil {
				return answer{}, err
			}
		}
		wall, used := time.Since(start), processTime()-cpu
		return answer{Wall: wall.Seconds() / float64(loops), CPU: used.Seconds() / float64(loops)}, nil
	}
	loops := 0
	return func() (answer, error) {
		for n := 1; loops == 0; n *= 10 {
			a, err := sample(n)
			if err != nil {
				return answer{}, err
			}
			if total := a.Wall * float64(n); total > sampleTime.Seconds()/20 {
				loops = max(1, int(sampleTime.Seconds()/a.Wall))
			}
		}
		a, err := sample(loops)
		a.Check = check()
		return a, err
	}, nil
}

// settings of a run.
type settings struct {
	rounds int
	budget time.Duration // a contender that has used this much has no further samples
	cpu    bool          // figures are processor time
	pause  time.Duration // before each sample: the threads of OpenBLAS wait busily for 25 ms after a call
}

// measure takes the samples of a row, one of each contender in turn, so that a
// change of the load meets all of them, and holds their checks together.
func measure(r row, s settings) (results []result, differ error) {
	results = make([]result, len(r.contenders))
	samplers := make([]sampler, len(r.contenders))
	for i, c := range r.contenders {
		results[i] = result{name: c.name, why: c.why}
		if c.why != "" {
			continue
		}
		var err error
		if samplers[i], err = c.start(); err != nil {
			results[i].why = err.Error()
		}
	}
	times := make([][]float64, len(samplers))
	used := make([]time.Duration, len(samplers))
	want := math.NaN()
	for range s.rounds {
		for i, take := range samplers {
			if take == nil || used[i] > s.budget {
				continue
			}
			time.Sleep(s.pause)
			start := time.Now()
			a, err := take()
			used[i] += time.Since(start)
			if err != nil {
				results[i].why, samplers[i] = err.Error(), nil
				continue
			}
			if math.IsNaN(want) {
				want = a.Check
			}
			if math.Abs(a.Check-want) > r.tolerance*math.Abs(want) {
				results[i].why, samplers[i] = fmt.Sprintf("it finds %v and not %v", a.Check, want), nil
				differ = errors.Join(differ, fmt.Errorf("%s: %s finds %v and not %v", r.name, results[i].name, a.Check, want))
				continue
			}
			t := a.Wall
			if s.cpu {
				t = a.CPU
			}
			times[i] = append(times[i], t)
		}
	}
	for i, t := range times {
		if results[i].why == "" {
			slices.Sort(t)
			results[i].seconds = t[len(t)/2]
		}
	}
	return results, differ
}
