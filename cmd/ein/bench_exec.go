package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/answer"
	"ein/bench/diagnose"
	"ein/bench/exec"
	"ein/bench/exec/part"
	"ein/bench/instance"
	"ein/bench/replies"
	"ein/lang/diag"
)

type execFlags struct {
	instances, replies, out string
	lang                    languages
	maxOps                  count
	maxMemory, maxSource    byteSize
	timeout                 duration
	box                     boxFlags
	json, restart           bool
}

// languages is a flag such as ein or ein,python.
type languages []exec.Language

func (l *languages) String() string { return strings.Join(stringsOf(*l), ",") }

// Type names the value in the help.
func (l *languages) Type() string { return "names" }

// Set implements the flag.
func (l *languages) Set(s string) error {
	*l = nil
	for _, name := range strings.Split(s, ",") {
		known := exec.Language(strings.TrimSpace(name))
		if known != exec.Ein && known != exec.Python {
			return errors.New("expected ein, python or both with a comma")
		}
		if !slices.Contains(*l, known) {
			*l = append(*l, known)
		}
	}
	slices.Sort(*l)
	return nil
}

func (a *app) benchExecCommand() *cobra.Command {
	f := &execFlags{
		lang:   languages{exec.Ein},
		maxOps: exec.DefaultOps, maxMemory: exec.DefaultBytes, maxSource: exec.DefaultSource,
		timeout: duration(exec.DefaultTimeout),
	}
	cmd := &cobra.Command{
		Use:   "exec --instances FILE --replies FILE",
		Short: "Run and score replies that are programs",
		Long: `Runs replies that are programs, scores what they give, and prints a table. A file
of replies is JSONL, {"id": the instance, "reply": the text of the model}; "mode",
ein or python, says what the reply is in, and "finish" why the model stopped.

The program of a reply is the last complete fenced block marked with the language;
without one, the last complete block without a mark, then the last complete one;
without blocks, in Ein the text from its first statement to its last, in Python
all of it. An Ein program is checked in the core profile, and its cost is bounded
before it runs, in this process. What it prints is the answer: 0 or 1, a number, a
0/1 vector over the nodes, the number of a node, or two values. Outcomes, beside
those of ein bench score:

  no_program     a reply without a program
  parse_error    text that is no program
  type_error     names, shapes, or constructs that are not allowed
  over_limit     too long or too costly
  runtime_error  failed as it ran
  bad_output     an output that is no answer to the question

A wrong program is run again with the true edges: it read the graph wrong
(graph_reading), its logic is wrong (logic), or both; no_graph is one that has no
graph in it. constant_output marks Ein programs whose output depends on no graph.

With --lang python the replies are Python programs; each prints one JSON value,
with the numbers of nodes in place of their labels. They are run in a sandbox, made
by bubblewrap or by Landlock, that is attacked first; the table names it. Where none
holds, no program is run, and the exit code is 5. With --lang ein,python
a reply is in what its mode says; without a mode, in what its block is marked
with; without a mark, in Ein when it has the form of it and imports nothing, else
in Python. The sandbox is then opened when the first Python program comes.

Of several replies with one id the first counts; an instance without a reply
counts as no_answer. With -o, one record for each instance is written: {"id",
"category","level","lang","outcome","strict","lenient","answer","reason",
"error_class","code","message","ops","constant_output","attribution"}.
` + restartHelp,
		Example: `  ein bench exec --instances heldout.jsonl --replies replies.jsonl
  ein bench exec --instances heldout.jsonl --replies replies.jsonl --lang ein,python -o scores.jsonl --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.json = f.json
			ctx, stop := a.context(0)
			defer stop()
			if err := a.interrupted(ctx, a.benchExec(ctx, f)); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.lang, "lang", "languages of the programs: ein, python or ein,python")
	flags.Var(&f.maxOps, "max-ops", "most operations of an Ein program")
	flags.Var(&f.maxMemory, "max-memory", "most memory of an Ein program")
	flags.Var(&f.maxSource, "max-source", "longest text of an Ein program")
	flags.Var(&f.timeout, "timeout", "most time for the run of a program")
	flags.BoolVar(&f.restart, "restart", false, "begin a file anew that was begun before")
	flags.BoolVar(&f.json, "json", false, "print the table as one JSON object")
	f.box.add(cmd)
	a.joinFlags(cmd, &f.instances, &f.replies, &f.out)
	complete(cmd, "lang", "ein", "python", "ein,python")
	return cmd
}

// joinFlags is the files of a verb that joins replies with their instances.
func (a *app) joinFlags(cmd *cobra.Command, instances, replies, out *string) {
	flags := cmd.Flags()
	flags.StringVar(instances, "instances", "", "`file` of instances (- is standard input)")
	flags.StringVar(replies, "replies", "", "`file` of replies (- is standard input)")
	flags.StringVarP(out, "output", "o", "", "`file` for the records, one a line")
}

func (f *execFlags) limits() exec.Limits {
	return exec.Limits{Source: int(f.maxSource), Ops: uint64(f.maxOps), Bytes: uint64(f.maxMemory), Timeout: time.Duration(f.timeout)}
}

// from is what the records depend on, beside the files.
func (f *execFlags) from() []part.Field {
	list := []part.Field{
		{Name: "verb", Value: "exec"}, {Name: "lang", Value: f.lang.String()}, {Name: "max-ops", Value: f.maxOps.String()},
		{Name: "max-memory", Value: f.maxMemory.String()}, {Name: "max-source", Value: f.maxSource.String()}, {Name: "timeout", Value: f.timeout.String()},
	}
	if slices.Contains(f.lang, exec.Python) {
		list = append(list, part.Field{Name: "python", Value: f.box.python}, part.Field{Name: "sandbox", Value: f.box.backend})
	}
	return list
}

func (a *app) benchExec(ctx context.Context, f *execFlags) error {
	box, err := f.box.lazy(ctx, a, time.Duration(f.timeout))
	if err != nil {
		return err
	}
	defer box.close()
	if len(f.lang) == 1 && f.lang[0] == exec.Python {
		if _, err := box.open(); err != nil {
			return a.noSandbox(ctx, err)
		}
	}
	report, bugs, outside := exec.NewReport(), 0, 0
	notes, err := joined(ctx, a, join[*exec.Record]{
		instances: f.instances, replies: f.replies, out: f.out, from: f.from(), restart: f.restart,
		newWorker: func() func(context.Context, *exec.Item) (*exec.Record, error) { return f.worker(box) },
		again: func(line []byte) (*exec.Record, error) {
			rec := &exec.Record{}
			return rec, json.Unmarshal(line, rec)
		},
		id: func(rec *exec.Record) string { return rec.ID },
	}, func(w io.Writer, it *exec.Item, rec *exec.Record) error {
		switch {
		case it.Error != "" || rec.Outcome != answer.InfraError:
		case rec.Language == exec.Ein:
			if bugs++; bugs == 1 {
				a.printf("ein: %s: %s\n", rec.ID, rec.Message)
			}
		default:
			if outside++; outside == 1 {
				a.printf("ein: %s: %s\n", rec.ID, rec.Message)
			}
		}
		report.Add(rec)
		return writeJSON(w, rec)
	})
	var missing *noSandboxError
	switch {
	case errors.As(err, &missing):
		return a.noSandbox(ctx, missing.err)
	case err != nil:
		return err
	}
	report.Finish(notes)
	if f.json {
		err = a.wrote(writeJSON(a.out, struct {
			*exec.Report
			Sandbox *proof `json:"sandbox,omitempty"`
		}{report, box.proof()}))
	} else {
		err = a.print(report.Text() + box.text() + notes.Text())
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

// cachedPrograms is how many compiled programs each worker keeps: models give the
// same program for one instance again, and for others with the same graph.
const cachedPrograms = 256

// worker judges programs.
func (f *execFlags) worker(box *lazySandbox) func(context.Context, *exec.Item) (*exec.Record, error) {
	judge := diagnose.NewJudge(exec.New(exec.Options{Limits: f.limits(), Cache: cachedPrograms}), box)
	return func(ctx context.Context, it *exec.Item) (*exec.Record, error) {
		l, err := f.language(it)
		if err != nil {
			return nil, err
		}
		program := *it
		program.Mode = string(l)
		v, err := judge.Reply(ctx, &program)
		if err == nil && v.Outcome == answer.InfraError && it.Error == "" {
			err = box.missing()
		}
		if err != nil {
			return nil, err
		}
		return diagnose.ExecRecord(it.Question, l, v), nil
	}
}

// language is what the program of a reply is in.
func (f *execFlags) language(it *exec.Item) (exec.Language, error) {
	l := exec.Language(it.Mode)
	if l == exec.Ein || l == exec.Python {
		if !slices.Contains(f.lang, l) {
			return "", &languageError{it.Line, l}
		}
		return l, nil
	}
	if len(f.lang) == 1 {
		return f.lang[0], nil
	}
	if l, ok := exec.Detect(it.Reply); ok {
		return l, nil
	}
	return exec.Ein, nil
}

// languageError is a reply in a language that was not asked for.
type languageError struct {
	line int
	lang exec.Language
}

func (e *languageError) Error() string {
	return fmt.Sprintf("the reply has the mode %s, which --lang leaves out", e.lang)
}

// join is a job on replies and their instances.
type join[T any] struct {
	instances, replies, out string
	newWorker               func() func(context.Context, *exec.Item) (T, error)
	// Of a verb that writes one record for each instance, and goes on with them.
	from    []part.Field
	restart bool
	again   func(line []byte) (T, error) // reads a record; nil when the verb cannot go on
	id      func(T) string
}

// joined works on replies and their instances, and writes what emit gives to the
// file of the job, or nowhere.
func joined[T any](ctx context.Context, a *app, j join[T], emit func(io.Writer, *exec.Item, T) error) (*replies.Notes, error) {
	switch {
	case j.instances == "" || j.replies == "":
		return nil, a.usage("both --instances and --replies are needed")
	case j.out == "-":
		return nil, a.usage("standard output is for the table: give -o a file")
	case j.out != "" && (sameFile(j.instances, j.out) || sameFile(j.replies, j.out)):
		return nil, a.usage("%s would be overwritten, and it is to be read", j.out)
	}
	index, err := a.readInstances(ctx, j.instances)
	if err != nil {
		return nil, err
	}
	in, err := a.open(ctx, j.replies)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("running "+in.name, in.size)
	var notes *replies.Notes
	write := func(r *records) (err error) {
		notes, err = exec.Each(ctx, index, p.reader(in), runtime.GOMAXPROCS(0), j.worker(r), func(it *exec.Item, x T) error { return j.emit(a, r, it, x, emit) })
		p.done()
		var bad *replies.Error
		var other *languageError
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case errors.As(err, &other):
			return inputProblem(newFinding("E0701", diag.Error, in.name, other.line, 0, other.Error(), "Give `--lang ein,python`."))
		case errors.As(err, &bad):
			return inputProblem(newFinding("E0701", diag.Error, in.name, bad.Line, 0, "the line is no reply: "+cause(bad.Err).Error(),
				`A line of a file of replies is {"id": ..., "reply": ...}.`))
		}
		return err
	}
	inputs := [2]string{j.instances, j.replies}
	if j.again == nil && j.out != "" {
		err = a.writeOnce(j.out, write)
	} else {
		err = a.writeRecords(ctx, j.out, inputs, j.restart, j.from, write)
	}
	return notes, a.unwritten(j.out, err)
}

// unwritten says which file could not be written, unless err tells something else.
func (a *app) unwritten(out string, err error) error {
	var told status
	var input *problem
	var box *noSandboxError
	if err == nil || out == "" || errors.As(err, &told) || errors.As(err, &input) || errors.As(err, &box) {
		return err
	}
	return fmt.Errorf("cannot write %s: %w", out, cause(err))
}

// worker leaves the items out whose records are there.
func (j *join[T]) worker(r *records) func() func(context.Context, *exec.Item) (T, error) {
	return func() func(context.Context, *exec.Item) (T, error) {
		work := j.newWorker()
		return func(ctx context.Context, it *exec.Item) (x T, err error) {
			if it.At < r.done() {
				return x, nil
			}
			return work(ctx, it)
		}
	}
}

// emit emits a result, or the record that was there, which is not written again.
func (j *join[T]) emit(a *app, r *records, it *exec.Item, x T, emit func(io.Writer, *exec.Item, T) error) error {
	line, ok, err := r.again()
	switch {
	case err != nil:
		return err
	case !ok:
		return emit(r, it, x)
	}
	if x, err = j.again(line); err != nil || j.id(x) != it.Question.ID {
		return a.notOurs(j.out, it.Question.ID)
	}
	return emit(io.Discard, it, x)
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
