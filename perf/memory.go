package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"
)

const mebibyte = 1 << 20

func mebibytes(x float64) string { return digits(x) + " MiB" }

// memory has the memory of runs of rules. Soufflé's was measured once, in November 2026.
func memory() section {
	s := section{
		title: "Memory of rules",
		text: "How much a process grows over what it has with the facts in memory: for Ein from the text to the rows of the answer. Soufflé's\n" +
			"figures (compiled) were measured once, in November 2026, with other data of the same kind. In brackets, how many times as much.",
		figure: mebibytes,
	}
	once := map[string]float64{"closure, n=5000 m=10000": 225, "points-to, n=10000": 11, "same generation, n=3000": 68}
	for _, c := range logics {
		mib, ok := once[c.name]
		if !ok {
			continue
		}
		s.rows = append(s.rows, func(e *env) row {
			files, inputs := c.data(e)
			r := row{name: c.name, contenders: []contender{{name: "Ein", start: func() (sampler, error) { return e.peak(c.ein, inputs) }}}}
			for _, engine := range []struct{ name, what string }{{"ascent", c.rust}, {"datafrog", c.frog}} {
				if engine.what != "" {
					r.contenders = append(r.contenders, itsPeak(e.rust(engine.name, engine.what, files)))
				}
			}
			measured := answer{Wall: mib, CPU: mib, Check: math.NaN()}
			r.contenders = append(r.contenders, contender{name: "Soufflé", start: func() (sampler, error) {
				return func() (answer, error) { return measured, nil }, nil
			}})
			return r
		})
	}
	return s
}

// peak is the memory of this process that a program takes to be compiled and run.
func (e *env) peak(text string, inputs values) (sampler, error) {
	return func() (a answer, err error) {
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak is now what there is
			return a, err
		}
		before, err := status("VmRSS")
		if err != nil {
			return a, err
		}
		mm, err := e.load(text, inputs, nil)
		if err != nil {
			return a, err
		}
		result, err := mm.Run(context.Background())
		if err != nil {
			return a, err
		}
		most, err := status("VmHWM")
		a.Wall = (most - before) / mebibyte
		a.CPU, a.Check = a.Wall, outputs(result, rowsOf)
		return a, err
	}, nil
}

// status is a number of bytes that the system has about this process.
func status(key string) (bytes float64, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), key+":")
	if !ok {
		return 0, errors.New("this system does not say " + key)
	}
	_, err = fmt.Sscan(rest, &bytes)
	return 1024 * bytes, err
}

// itsPeak makes the memory of a run what a contender is measured by.
func itsPeak(c contender) contender {
	start := c.start
	c.start = func() (sampler, error) {
		take, err := start()
		return func() (answer, error) {
			a, err := take()
			a.Wall, a.CPU = a.peak/mebibyte, a.peak/mebibyte
			return a, err
		}, err
	}
	return c
}
