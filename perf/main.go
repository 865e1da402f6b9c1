// Perf compares Ein with numpy, scipy, igraph, networkx, and for rules with engines of Datalog,
// answer sets and SQL, in one run.
//
//	go run ./perf -quick
//	go run ./perf -o docs/performance.md
//
// Both sides get the same graphs and matrices, made from a fixed seed. Ein runs in this process,
// its peers in one Python process (peers.go, peers.py), each with one thread or -workers; ascent
// and datafrog are a program in Rust, of which each sample is a process (rust.go). Samples
// alternate, and the results are compared. The table shows the median of each and the ratio of the
// times.
//
// A section is a table, of rows that each make their own data (cases.go, relations.go, memory.go);
// a row has contenders, and a contender gives samples (measure.go). Figures that were measured
// elsewhere once are scaled by what datafrog takes here.
//
// perf/peers.txt lists the versions of the peers; a missing one is marked as not run.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(2)
		}
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

// options are the values of the flags of run.
type options struct {
	quick         bool
	clock, python string
	only, out     string
	workers       int
}

// run measures what the flags select. The tables go to standard output if a contender gave
// another answer than Ein, so that a wrong figure gets into no file.
func run(args []string) (err error) {
	defer func() { // of a file that cannot be written
		switch p := recover().(type) {
		case nil:
		case *os.PathError:
			err = p
		default:
			panic(p)
		}
	}()
	var o options
	fs := flag.NewFlagSet("perf", flag.ContinueOnError)
	fs.BoolVar(&o.quick, "quick", false, "small cases, three samples each: about a minute, not a quarter of an hour")
	fs.StringVar(&o.clock, "clock", "wall", "`what` is measured: wall time, or cpu for the processor time of the process, for a machine that is not idle")
	fs.StringVar(&o.python, "python", "/usr/bin/python3", "the `interpreter` that has the peers; empty for Ein alone")
	fs.IntVar(&o.workers, "workers", 1, "`threads` of Ein, its garbage collector included, and of the peers' BLAS")
	fs.StringVar(&o.only, "only", "", "only tables whose `title` contains this")
	fs.StringVar(&o.out, "o", "", "write the tables between the markers of this `file` instead of to standard output")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if o.clock != "wall" && o.clock != "cpu" {
		return fmt.Errorf("-clock is wall or cpu, not %q", o.clock)
	}
	if o.clock == "cpu" && processTime() == 0 {
		return errors.New("-clock cpu: this system does not tell the processor time of a process")
	}
	var head, tail string
	if o.out != "" { // after measuring it would be too late to say that there is none
		if head, tail, err = around(o.out); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "ein-perf-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// An interrupt ends the Python process too, and with it this run, in good order.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)

	// One core each: with two, collecting the smallest of heaps keeps the other one busy.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.workers))
	e := &env{maker: maker{dir}, workers: o.workers}
	if o.python != "" {
		e.peers, err = startPeers(o.python, dir, o.workers)
		if err != nil {
			fmt.Fprintf(os.Stderr, "perf: the peers are left out: %v; install with\n    pip install -r perf/peers.txt\n", err)
			e.peers = nil
		} else {
			defer e.peers.End()
			if missing := slices.Sorted(maps.Keys(e.peers.info.Missing)); len(missing) > 0 {
				fmt.Fprintf(os.Stderr, "perf: not installed, and not run: %s; install with\n    pip install -r perf/peers.txt\n", strings.Join(missing, ", "))
			}
		}
	}
	var report bytes.Buffer
	before := loadAverage()
	start := time.Now()
	tables, differ := e.measure(o, interrupted)
	heading(&report, o, e.peers, before, time.Since(start))
	for i := range tables {
		tables[i].print(&report)
	}
	if o.out == "" || differ != nil {
		_, err := os.Stdout.Write(report.Bytes())
		return errors.Join(err, differ)
	}
	return os.WriteFile(o.out, []byte(head+"\n\n"+report.String()+tail), 0o644)
}

// measure takes all rows of all sections, and reports each as it goes. An error
// ends it, except that sides which disagree are only named in it.
func (e *env) measure(o options, interrupted <-chan os.Signal) ([]table, error) {
	s := settings{rounds: 5, budget: 6 * time.Second, cpu: o.clock == "cpu"}
	if o.quick {
		s.rounds, s.budget = 3, time.Second
	}
	if o.workers > 1 {
		s.pause = 100 * time.Millisecond
	}
	var tables []table
	var differ error
	for _, sec := range sections(o.quick) {
		if !strings.Contains(strings.ToLower(sec.title), strings.ToLower(o.only)) {
			continue
		}
		t := table{title: sec.title, text: sec.text, figure: sec.figure}
		if t.figure == nil {
			t.figure = duration
		}
		for _, rowOf := range sec.rows {
			r := rowOf(e)
			if e.peers != nil {
				if _, err := e.peers.ask(message{"do": "clear"}); err != nil {
					return tables, err
				}
			}
			results, err := measure(r, s)
			differ = errors.Join(differ, err)
			fmt.Fprintf(os.Stderr, "%s: %s:", sec.title, r.name)
			for _, x := range results {
				if x.why == "" {
					fmt.Fprintf(os.Stderr, " %s %s,", x.name, t.figure(x.seconds))
				}
			}
			fmt.Fprintf(os.Stderr, " load %s\n", loadAverage())
			t.rows, t.results = append(t.rows, r), append(t.results, results)
			select {
			case <-interrupted:
				return tables, errors.New("interrupted")
			default:
			}
		}
		tables = append(tables, t)
	}
	return tables, differ
}

// heading says what was measured, on what, and with which peers.
func heading(w *bytes.Buffer, o options, p *peers, before string, took time.Duration) {
	clock := "wall time"
	if o.clock == "cpu" {
		clock = "processor time, user and system, of the process"
	}
	fmt.Fprintf(w, "Measured %s in %s: %s, medians. In brackets, how many times as long as the bold figure.\n\n",
		time.Now().UTC().Format("2006-01-02"), took.Round(time.Second), clock)
	fmt.Fprintf(w, "| machine | %s, %d cores, frequency governor unknown |\n|---|---|\n", cpuModel(), runtime.NumCPU())
	fmt.Fprintf(w, "| load average | %s before, %s after |\n", before, loadAverage())
	fmt.Fprintf(w, "| Ein | %s, GOAMD64=%s |\n| threads of each side | %d |\n", runtime.Version(), goamd64(), o.workers)
	if p != nil {
		names := slices.Sorted(maps.Keys(p.info.Versions))
		for i, name := range names {
			names[i] = name + " " + p.info.Versions[name]
		}
		fmt.Fprintf(w, "| peers | %s; BLAS %s |\n", strings.Join(names, ", "), p.info.Blas)
		if len(p.info.Missing) > 0 {
			fmt.Fprintf(w, "| not installed | %s |\n", strings.Join(slices.Sorted(maps.Keys(p.info.Missing)), ", "))
		}
	} else {
		fmt.Fprintln(w, "| peers | not run |")
	}
	fmt.Fprintln(w)
}

const (
	beginMark = "<!-- perf: begin -->"
	endMark   = "<!-- perf: end -->"
)

// around returns what stands before and behind the marked part of a file, marks included.
func around(path string) (head, tail string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	head, rest, ok := strings.Cut(string(text), beginMark)
	_, tail, ok2 := strings.Cut(rest, endMark)
	if !ok || !ok2 {
		return "", "", fmt.Errorf("%s has no %s and %s", path, beginMark, endMark)
	}
	return head + beginMark, endMark + tail, nil
}
