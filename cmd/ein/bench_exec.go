package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/answer"
	"ein/bench/diagnose"
	"ein/bench/exec"
	"ein/bench/instance"
	"ein/bench/sandbox"
	"ein/lang/diag"
)

type execFlags struct {
	instances, replies, out string
	lang                    choice
	maxOps                  count
	maxMemory, maxSource    byteSize
	timeout                 duration
	python                  string
	json                    bool
}

func (a *app) benchExecCommand() *cobra.Command {
	f := &execFlags{
		lang:   choice{string(exec.Ein), []string{string(exec.Ein), string(exec.Python)}},
		maxOps: exec.DefaultOps, maxMemory: exec.DefaultBytes, maxSource: exec.DefaultSource,
		timeout: duration(exec.DefaultTimeout),
	}
	cmd := &cobra.Command{
		Use:   "exec --instances FILE --replies FILE",
		Short: "Run and score replies that are programs",
		Long: `Runs replies that are Ein programs, scores what they give, and prints a table. A
file of replies is JSONL, {"id": the instance, "reply": the text of the model}.

The program of a reply is the last complete fenced block marked ein; without one,
the last complete block without a mark, then the last complete one; without
blocks, the text from its first statement to its last. It is checked in the core
profile, and its cost is bounded before it runs, in this process. What it prints
is the answer: 0 or 1, a number, a 0/1 vector over the nodes, the number of a node,
or two values. Outcomes, beside those of ein bench score:

  no_program     a reply without a program
  parse_error    text that is no program
  type_error     names, shapes, or constructs that are not allowed
  over_limit     too long or too costly
  runtime_error  failed as it ran
  bad_output     an output that is no answer to the question

A wrong program is run again with the true edges: it read the graph wrong
(graph_reading), its logic is wrong (logic), or both; no_graph is one that has no
graph in it. constant_output marks programs whose output depends on no graph.

Of several replies with one id the first counts; an instance without a reply
counts as no_answer. With -o, one record for each instance is written: {"id",
"category","level","outcome","strict","lenient","answer","error_class","code",
"message","ops","constant_output","attribution"}. The file appears only when it is
complete.

With --lang python the replies are Python programs, in the last complete block
marked python; each prints one JSON value, with the numbers of nodes in place of
their labels. They are run in a sandbox; where there is none, nothing is run, and
the exit code is 5. Wrong ones are not attributed.`,
		Example: `  ein bench exec --instances heldout.jsonl --replies replies.jsonl
  ein bench exec --instances heldout.jsonl --replies replies.jsonl -o scores.jsonl --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.json = f.json
			ctx, stop := a.context(0)
			defer stop()
			if err := a.benchExec(ctx, f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.lang, "lang", "language of the programs")
	flags.Var(&f.maxOps, "max-ops", "most operations of a program")
	flags.Var(&f.maxMemory, "max-memory", "most memory of a program")
	flags.Var(&f.maxSource, "max-source", "longest text of a program")
	flags.Var(&f.timeout, "timeout", "most time for the run of a program")
	flags.StringVar(&f.python, "python", "python3", "Python interpreter with networkx, for --lang python")
	flags.BoolVar(&f.json, "json", false, "print the table as one JSON object")
	a.joinFlags(cmd, &f.instances, &f.replies, &f.out)
	complete(cmd, "lang", f.lang.values...)
	return cmd
}

// joinFlags is the files of a verb that joins replies with their instances.
func (a *app) joinFlags(cmd *cobra.Command, instances, replies, out *string) {
	flags := cmd.Flags()
	flags.StringVar(instances, "instances", "", "file of instances (- is standard input)")
	flags.StringVar(replies, "replies", "", "file of replies (- is standard input)")
	flags.StringVarP(out, "output", "o", "", "file for the records, one a line")
}

func (f *execFlags) limits() exec.Limits {
	return exec.Limits{Source: int(f.maxSource), Ops: uint64(f.maxOps), Bytes: uint64(f.maxMemory), Timeout: time.Duration(f.timeout)}
}

func (a *app) benchExec(ctx context.Context, f *execFlags) error {
	newWorker := f.einWorker
	// Python needs the operating system to hold it; without that, nothing is run.
	if f.lang.value == string(exec.Python) {
		box, err := sandbox.Open(ctx, sandbox.Policy{Python: f.python, Wall: time.Duration(f.timeout)})
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case err != nil:
			a.printf("ein: nothing was run: %v\n", err)
			return status(exitOutside)
		}
		defer func() { _ = box.Close() }()
		newWorker = func() func(context.Context, *exec.Item) (scored, error) { return pythonWorker(pythonRunner{box}) }
	}
	report, bugs, outside := exec.NewReport(), 0, 0
	notes, err := joined(ctx, a, f.instances, f.replies, f.out, newWorker, func(w io.Writer, it *exec.Item, s scored) error {
		switch {
		case s.bug != "":
			if bugs++; bugs == 1 {
				a.printf("ein: %s: %s\n", s.record.ID, s.bug)
			}
		case it.Error == "" && s.record.Outcome == answer.InfraError:
			if outside++; outside == 1 {
				a.printf("ein: %s: %s\n", s.record.ID, s.record.Message)
			}
		}
		report.Add(s.record)
		return writeJSON(w, s.record)
	})
	if err != nil {
		return err
	}
	report.Finish(notes)
	if f.json {
		err = a.wrote(writeJSON(a.out, report))
	} else {
		err = a.print(report.Text() + noteText(notes))
	}
	switch {
	case err != nil:
		return err
	case bugs > 0:
		a.printf("ein: %s of ein kept programs from being scored\n", plural(bugs, "bug"))
		return status(exitBug)
	case outside > 0:
		a.printf("ein: the sandbox failed on %s\n", plural(outside, "program"))
		return status(exitOutside)
	}
	return nil
}

// joined works on replies and their instances, and writes what emit gives to the
// file out, or nowhere.
func joined[T any](ctx context.Context, a *app, instances, replies, out string,
	newWorker func() func(context.Context, *exec.Item) (T, error), emit func(io.Writer, *exec.Item, T) error,
) (*exec.Notes, error) {
	switch {
	case instances == "" || replies == "":
		return nil, a.usage("both --instances and --replies are needed")
	case out == "-":
		return nil, a.usage("standard output is for the table: give -o a file")
	case out != "" && (sameFile(instances, out) || sameFile(replies, out)):
		return nil, a.usage("%s would be overwritten, and it is to be read", out)
	}
	index, err := a.readInstances(ctx, instances)
	if err != nil {
		return nil, err
	}
	in, err := a.open(ctx, replies)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("running "+in.name, in.size)
	var notes *exec.Notes
	write := func(w io.Writer) (err error) {
		b := bufio.NewWriterSize(w, 1<<16)
		notes, err = exec.Each(ctx, index, p.reader(in), runtime.GOMAXPROCS(0), newWorker, func(it *exec.Item, x T) error { return emit(b, it, x) })
		if err != nil {
			return err
		}
		return b.Flush()
	}
	if out == "" {
		err = write(io.Discard)
	} else {
		err = replaceWith(out, write)
	}
	p.done()
	var bad *exec.LineError
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx)
	case errors.As(err, &bad):
		return nil, inputProblem(newFinding("E0701", diag.Error, in.name, bad.Line, 0, "the line is no reply: "+cause(bad.Err).Error(),
			`A line of a file of replies is {"id": ..., "reply": ...}.`))
	case err != nil && out != "":
		return nil, fmt.Errorf("cannot write %s: %w", out, cause(err))
	}
	return notes, err
}

func (a *app) readInstances(ctx context.Context, name string) (*exec.Index, error) {
	in, err := a.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("reading "+in.name, in.size)
	index, err := exec.NewIndex(instance.Read(p.reader(in)))
	p.done()
	if err == nil && index.Len() == 0 {
		err = errNoInstances
	}
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx)
	case err != nil:
		return nil, badLines(in.name, err)
	}
	return index, nil
}

// noteText tells of ids that are not as they should be.
func noteText(n *exec.Notes) string {
	var b strings.Builder
	for _, x := range []struct {
		what, many string
		places     []exec.Place
	}{
		{"instance has no reply and counts as no_answer", "instances have no reply and count as no_answer", n.Missing},
		{"reply has the id of an earlier one and does not count", "replies have the id of an earlier one and do not count", n.Duplicate},
		{"reply is to no instance and does not count", "replies are to no instance and do not count", n.Unknown},
	} {
		if len(x.places) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n", pluralVerb(len(x.places), x.what, x.many))
		const most = 10
		for _, p := range x.places[:min(most, len(x.places))] {
			id, _ := diag.Display(p.ID)
			if p.Line > 0 {
				id = fmt.Sprintf("line %d: %s", p.Line, id)
			}
			b.WriteString("  " + id + "\n")
		}
		if len(x.places) > most {
			fmt.Fprintf(&b, "  and %d more\n", len(x.places)-most)
		}
	}
	return b.String()
}

// scored is a record, and the bug of ein that kept a program from being scored.
type scored struct {
	record *exec.Record
	bug    string
}

func (f *execFlags) einWorker() func(context.Context, *exec.Item) (scored, error) {
	e := exec.New(exec.Options{Limits: f.limits()})
	return func(ctx context.Context, it *exec.Item) (s scored, err error) {
		r := exec.Result{Outcome: answer.InfraError, Message: it.Error}
		why := ""
		if it.Error == "" {
			if r, err = e.Run(ctx, it.Reply, it.Question); err != nil {
				return s, err
			}
			switch r.Outcome {
			case answer.InfraError:
				s.bug = r.Message
			case answer.Wrong:
				found, err := diagnose.Program(ctx, e, it.Question, &it.Case, r.Program)
				if err != nil {
					return s, err
				}
				why = string(found.Kind)
			}
		}
		s.record = exec.NewRecord(it.Question, &r, why)
		return s, nil
	}
}

func pythonWorker(box exec.Runner) func(context.Context, *exec.Item) (scored, error) {
	return func(ctx context.Context, it *exec.Item) (s scored, err error) {
		r := exec.Result{Outcome: answer.InfraError, Message: it.Error}
		if it.Error == "" {
			r, err = exec.RunPython(ctx, box, it.Reply, it.Question)
		}
		return scored{record: exec.NewRecord(it.Question, &r, "")}, err
	}
}

// pythonRunner tells what a program did wrong from what the sandbox did.
type pythonRunner struct{ *sandbox.Sandbox }

// Run implements exec.Runner.
func (p pythonRunner) Run(ctx context.Context, program string) (string, error) {
	r, err := p.Sandbox.Run(ctx, program)
	if err != nil {
		return "", err
	}
	switch r.Outcome {
	case sandbox.OK:
		return r.Stdout, nil
	case sandbox.Timeout, sandbox.Memory, sandbox.OutputLimit:
		return "", &exec.ProgramError{Outcome: exec.OverLimit, Message: "over the limit of the sandbox: " + r.Outcome.String()}
	}
	// The last line of a traceback. A program can print what it likes there; all it
	// decides is which of two ways of being wrong it is.
	text := strings.TrimSpace(strings.ToValidUTF8(r.Stderr, "?"))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	wrong := &exec.ProgramError{Outcome: exec.RuntimeError, Message: "it failed"}
	if last != "" {
		wrong.Message = fmt.Sprintf("it failed: %.200s", last)
	}
	if strings.HasPrefix(last, "SyntaxError:") || strings.HasPrefix(last, "IndentationError:") {
		wrong.Outcome = exec.ParseError
	}
	return "", wrong
}
