package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/ask/eval"
	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/sft"
	"ein/bench/question/surface"
	"ein/internal/version"
	"ein/lang/diag"
)

// evalFlags are what the flags ask for, most of it where it is used.
type evalFlags struct {
	eval.Options
	open                      model.Options
	name                      string // of the model
	instances                 string
	modes, encodings          []string
	temperature, topP         float64
	thinking                  int
	seed                      int64
	timeout                   duration
	promptDir, prices, record string
	box                       boxFlags
	dryRun, noScore, json     bool
}

func (a *app) benchEvalCommand() *cobra.Command {
	f := &evalFlags{timeout: duration(model.DefaultTimeout)}
	cmd := &cobra.Command{
		Use:   "eval --model PROVIDER:NAME --instances FILE --out DIR",
		Short: "Ask a model, and keep and score what it says",
		Long: `Asks a model every instance in every mode and encoding, and prints a table. The
providers are ` + strings.Join(model.Providers(), ", ") + `.
Keys are taken from the environment or from --key-file, and are written nowhere.

The folder of --out is a run: run.json (what is asked, with the requests as they are
sent), instances.jsonl, replies.jsonl, scores.jsonl and log.jsonl. A reply counts once
it is on disk. A run that was stopped, by whatever, is resumed by the same command:
it asks only for what is missing. A run with other settings is refused, but for
those that change no reply.

The number of requests at a time begins at --start and grows to --concurrency; it
falls when the provider says that it is too much. What may pass is tried again; a
wrong key or an empty account stops the run. An interrupt stops asking and waits for
the replies on their way; a second one does not wait.

--prices names a file with dollars for a million tokens. It gives the costs, and
--max-cost needs it. With --max-tokens the run cannot exceed --max-cost; without,
replies on their way can. The file is
{"openai:some-model*": {"input": 1.25, "cached_input": 0.125, "output": 10}}.

With exec:COMMAND one program runs, or as many as --processes says. With --cache,
complete replies are also kept in a folder that runs share. With --record, every
exchange is kept in a folder that replay:DIR answers from.

Replies in the mode python are run in a sandbox; where there is none they are not
scored, and the exit code is 5. It is also 5 when replies are missing, and 4 when
--max-cost ends the run. The table is then of the replies that are there, and says how
many are missing; after an interrupt ` + "`ein bench score DIR`" + ` makes it.`,
		Example: `  ein bench eval --model baseline:oracle-ein --mode direct,ein --instances heldout.jsonl --out runs/oracle
  ein bench eval --model openai:some-model --base-url http://localhost:8000/v1 --mode cot --instances heldout.jsonl --out runs/local
  ein bench eval --model openai:some-model --instances heldout.jsonl --out runs/x --prices prices.json --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = f.json
			if err := a.benchEval(cmd, f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "model", "", "model to ask, as `PROVIDER:NAME`")
	flags.StringVar(&f.instances, "instances", "", "`file` of instances (- is standard input)")
	flags.StringVar(&f.Dir, "out", "", "`folder` of the run")
	flags.StringSliceVar(&f.modes, "mode", []string{string(sft.Direct)}, "`modes` to ask in, with commas: direct, cot, ein, python")
	flags.StringSliceVar(&f.encodings, "encoding", nil, "`encodings` of the graph, with commas: nl, json, matrix (default that of the file)")
	flags.IntVar(&f.Samples, "samples", 1, "`number` of replies to each question")
	flags.IntVar(&f.Source.Limit, "limit", 0, "`number` of instances at most, taken from the categories in turn (default all)")
	flags.StringSliceVar(&f.Source.Categories, "categories", nil, "only these `categories`, with commas (default all)")
	flags.Float64Var(&f.temperature, "temperature", 0, "temperature (default that of the provider)")
	flags.Float64Var(&f.topP, "top-p", 0, "nucleus sampling (default that of the provider)")
	flags.IntVar(&f.Params.MaxTokens, "max-tokens", 0, "most `tokens` of a reply, reasoning included")
	flags.Int64Var(&f.seed, "seed", 0, "`seed` of the first sample; the next have the next numbers")
	flags.StringArrayVar(&f.Params.Stop, "stop", nil, "`text` at which a reply ends; repeatable")
	flags.StringVar(&f.Params.Effort, "effort", "", "`effort` of reasoning, such as low")
	flags.IntVar(&f.thinking, "thinking", 0, "budget of reasoning in `tokens`; 0 is off, -1 up to the model")
	flags.StringVar(&f.BaseURL, "base-url", "", "`URL` of a compatible server")
	flags.StringVar(&f.open.KeyFile, "key-file", "", "`file` with the key (default: from the environment)")
	flags.StringVar(&f.open.Profile, "profile", "", "`name` of the profile that says what the model takes (default by the name of the model)")
	flags.Var(&f.timeout, "timeout", "most time for a reply")
	flags.BoolVar(&f.open.NoContextCheck, "no-context-check", false, "accept replies to prompts that a server seems to have cut")
	flags.StringVar(&f.promptDir, "prompts", "", "`folder` with other prompts")
	flags.StringVar(&f.prices, "prices", "", "`file` of prices")
	flags.Float64Var(&f.MaxCost, "max-cost", 0, "most `dollars` for the whole run")
	flags.StringVar(&f.Cache, "cache", "", "`folder` of replies that runs share")
	flags.StringVar(&f.record, "record", "", "`folder` for the exchanges, for replay:DIR")
	flags.IntVar(&f.open.Processes, "processes", 1, "`number` of programs of exec that run at once")
	flags.IntVar(&f.Schedule.Max, "concurrency", eval.DefaultMax, "most `requests` at a time")
	flags.IntVar(&f.Schedule.Start, "start", eval.DefaultStart, "`requests` at a time, at first")
	flags.IntVar(&f.Schedule.Retries, "retries", eval.DefaultRetries, "most `retries` of a request")
	f.box.add(cmd)
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be asked and cost, and ask nothing")
	flags.BoolVar(&f.noScore, "no-score", false, "do not score the replies")
	flags.BoolVar(&f.json, "json", false, "print the results as one JSON object")
	for _, name := range []string{"concurrency", "start", "retries", "processes"} {
		flags.Lookup(name).Usage += " (changes no reply)"
	}
	for _, name := range []string{"model", "instances", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic("BUG: ein: " + err.Error())
		}
	}
	complete(cmd, "mode", stringsOf(sft.Modes())...)
	complete(cmd, "encoding", stringsOf(surface.Encodings())...)
	complete(cmd, "profile", slices.Concat(model.Profiles("openai"), model.Profiles("anthropic"), model.Profiles("gemini"))...)
	return cmd
}

// someOf turns the values of a flag into what they name.
func someOf[T ~string](a *app, flag string, values []string, known []T) ([]T, error) {
	var out []T
	for _, v := range values {
		switch x := T(v); {
		case !slices.Contains(known, x):
			return nil, a.usage("--%s: there is no %q; there are %s", flag, v, strings.Join(stringsOf(known), ", "))
		case slices.Contains(out, x):
			return nil, a.usage("--%s: %s is there twice", flag, v)
		default:
			out = append(out, x)
		}
	}
	return out, nil
}

// check finds what is wrong with the values of the flags.
func (f *evalFlags) check(a *app, changed func(string) bool) error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for _, c := range []struct {
		flag string
		ok   bool
		want string
	}{
		{"samples", f.Samples >= 1 && f.Samples <= run.MaxSamples, fmt.Sprintf("1 to %d", run.MaxSamples)},
		{"limit", f.Source.Limit >= 0, "0 or more instances"},
		{"temperature", finite(f.temperature) && f.temperature >= 0, "0 or more"},
		{"top-p", !changed("top-p") || f.topP > 0 && f.topP <= 1, "more than 0 and at most 1"},
		{"max-tokens", f.Params.MaxTokens >= 0 && (f.Params.MaxTokens > 0 || !changed("max-tokens")), "1 or more tokens"},
		{"thinking", f.thinking >= -1, "a number of tokens, 0 or -1"},
		{"max-cost", finite(f.MaxCost) && (f.MaxCost > 0 || !changed("max-cost")), "more than 0 dollars"},
		{"concurrency", f.Schedule.Max >= 1 && f.Schedule.Max <= 10_000, "1 to 10000"},
		{"start", f.Schedule.Start >= 1, "1 or more"},
		{"retries", f.Schedule.Retries >= 0, "0 or more"},
		{"processes", f.open.Processes >= 1 && f.open.Processes <= 10_000, "1 to 10000"},
	} {
		if !c.ok {
			return a.usage("--%s: expected %s", c.flag, c.want)
		}
	}
	if f.record != "" && f.Cache != "" {
		return a.usage("--record with --cache: what is in the cache would be missing in the recording")
	}
	if provider, _, _ := strings.Cut(f.name, ":"); changed("processes") && provider != "exec" {
		return a.usage("--processes is for exec:COMMAND; --concurrency bounds the requests to %s", provider)
	}
	if f.MaxCost > 0 && f.prices == "" {
		return a.usage("--max-cost needs --prices, a file with the price of the model")
	}
	return nil
}

// finish makes options of the flags. The model is open then.
func (f *evalFlags) finish(a *app, changed func(string) bool) error {
	if err := f.check(a, changed); err != nil {
		return err
	}
	ctx, stop := a.context(0)
	defer stop()
	if _, err := f.box.lazy(ctx, a, 0); err != nil {
		return err // before anything is paid for
	}
	f.Prompts, f.Version, f.Warn = sft.DefaultPrompts(), version.String(), func(s string) { a.printf("ein: note: %s\n", shown(s)) }
	if f.Schedule.Retries == 0 {
		f.Schedule.Retries = -1
	}
	if changed("temperature") {
		f.Params.Temperature = &f.temperature
	}
	if changed("top-p") {
		f.Params.TopP = &f.topP
	}
	if changed("seed") {
		f.Params.Seed = &f.seed
	}
	if changed("thinking") {
		f.Params.Thinking = &f.thinking
	}
	var err error
	if f.Modes, err = someOf(a, "mode", f.modes, sft.Modes()); err != nil {
		return err
	}
	encodings, err := someOf(a, "encoding", f.encodings, surface.Encodings())
	if err != nil {
		return err
	}
	if f.promptDir != "" {
		if err := f.Prompts.Override(os.DirFS(f.promptDir)); err != nil {
			return inputProblem(newFinding("", diag.Error, f.promptDir, 0, 0, fmt.Sprintf("the folder of prompts cannot be used: %v", cause(err)), ""))
		}
	}
	if err := a.selectInstances(ctx, f, encodings); err != nil {
		return err
	}
	f.open.BaseURL, f.open.Env, f.open.Timeout, f.open.Stderr, f.open.Instances = f.BaseURL, a.env, time.Duration(f.timeout), a.err, f.Instances
	if f.Model, err = model.Open(f.name, f.open); err != nil {
		return a.usage("%s", shown(err.Error()))
	}
	if f.record != "" && !f.dryRun {
		recorded, err := model.Record(f.Model, f.record, f.open)
		if err != nil {
			_ = model.Close(f.Model)
			return a.usage("--record: %s", shown(err.Error()))
		}
		f.Model = recorded
	}
	if f.prices != "" {
		if err := a.readPrice(ctx, f); err != nil {
			_ = model.Close(f.Model)
			return err
		}
	}
	return nil
}

// shown is text of a provider or a file as a terminal may have it.
func shown(s string) string {
	s, _ = diag.Display(s)
	return s
}

func (a *app) selectInstances(ctx context.Context, f *evalFlags, encodings []surface.Encoding) error {
	sum := sha256.New()
	list, err := a.instanceList(ctx, f.instances, sum)
	if err != nil {
		return err
	}
	f.Source.File, f.Source.SHA256 = filepath.Base(f.instances), hex.EncodeToString(sum.Sum(nil))
	chosen, err := eval.Select(list, f.Source.Categories, f.Source.Limit)
	if err == nil {
		f.Source.Count = len(chosen)
		f.Instances, f.Encodings, err = eval.Encode(chosen, encodings)
	}
	if err != nil {
		return inputProblem(newFinding("", diag.Error, f.instances, 0, 0, err.Error(), ""))
	}
	return nil
}

func (a *app) readPrice(ctx context.Context, f *evalFlags) error {
	in, err := a.open(ctx, f.prices)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	prices, err := eval.ReadPrices(in)
	if err != nil {
		return inputProblem(newFinding("", diag.Error, in.name, 0, 0, cause(err).Error(), ""))
	}
	f.Price = prices.For(f.Model.Name())
	switch {
	case f.Price != nil:
	case f.MaxCost > 0:
		return inputProblem(newFinding("", diag.Error, in.name, 0, 0, "there is no price of "+f.Model.Name()+" in it, which --max-cost needs",
			`A price is {"`+f.Model.Name()+`": {"input": ..., "output": ...}}, in dollars for a million tokens.`))
	default:
		a.printf("ein: note: %s has no price of %s; costs are not known\n", in.name, f.Model.Name())
	}
	return nil
}

func (a *app) benchEval(cmd *cobra.Command, f *evalFlags) error {
	if err := f.finish(a, cmd.Flags().Changed); err != nil {
		return err
	}
	defer func() { _ = model.Close(f.Model) }()
	if eval.Repeats(&f.Options) {
		a.printf("ein: note: at temperature 0 the %d samples of a question are one request, sent %d times; replies may all be the same\n"+
			"Ask for a temperature, or where the model takes one a --seed, or for one sample.\n", f.Samples, f.Samples)
	}
	if f.dryRun {
		return a.dryRun(f)
	}
	ctx, stop, done := a.interrupts()
	f.Stop = stop
	line := a.rarely()
	f.Progress = line.evalProgress(f.Price != nil)
	sum, err := eval.Run(ctx, f.Options)
	line.done()
	done()
	var early *eval.StopError
	switch {
	case errors.As(err, &early):
		return a.endedEarly(f, &sum, early)
	case err != nil:
		return a.cannotRun(err)
	}
	if sum.Before > 0 && sum.Asked+sum.Cached > 0 {
		a.printf("ein: resumed: %d replies were there, %d are new\n", sum.Before, sum.Asked+sum.Cached)
	}
	if f.noScore {
		if f.json {
			err = a.wrote(writeJSON(a.out, evalResult{Version: 1, Summary: &sum}))
		}
	} else {
		err = a.scoreRun(f.Dir, &f.box, f.json, evalResult{Version: 1, Summary: &sum})
	}
	if sum.Missing > 0 {
		a.printf("ein: %s missing: %d rejected, %d given up on; the first: %s\n",
			pluralVerb(sum.Missing, "reply is", "replies are"), sum.Rejected, sum.GaveUp, shown(sum.FirstFailure))
		if sum.FirstHint != "" {
			a.printf("%s\n", shown(sum.FirstHint))
		}
		a.printf("The same command asks for them again; see %s.\n", filepath.Join(f.Dir, run.LogFile))
		if err == nil {
			err = status(exitOutside)
		}
	} else if err == nil && !f.json {
		next := "ein bench report " + f.Dir + ", ein bench diagnose " + f.Dir
		if f.noScore {
			next = "ein bench score " + f.Dir
		}
		a.printf("%s in %s; next: %s\n", pluralVerb(sum.Questions, "reply", "replies"), f.Dir, next)
	}
	return err
}

// endedEarly tells why a run has ended before it was complete.
func (a *app) endedEarly(f *evalFlags, sum *eval.Summary, e *eval.StopError) error {
	a.printf("ein: %s\n", shown(e.Error()))
	if e.Hint != "" {
		a.printf("%s\n", shown(e.Hint))
	}
	there := sum.Questions - sum.Missing
	if sum.Questions == 0 {
		a.printf("Nothing was asked, and nothing written.\n")
	} else {
		a.printf("%d of %s there; resume with the same command.\n", there, pluralVerb(sum.Questions, "reply is", "replies are"))
	}
	// Who interrupts wants the end: programs may take minutes to be run.
	score := there > 0 && !f.noScore
	if score && e.Reason == eval.Interrupted {
		a.printf("The table of what is there: ein bench score %s\n", f.Dir)
		score = false
	}
	result := evalResult{Version: 1, Summary: sum, Stopped: e.Reason}
	if score {
		var told status // the reason of the end goes before what scoring lacks
		if err := a.scoreRun(f.Dir, &f.box, f.json, result); err != nil && !errors.As(err, &told) {
			return err
		}
	} else if f.json {
		if err := a.wrote(writeJSON(a.out, result)); err != nil {
			return err
		}
	}
	if e.Reason == eval.Budget {
		return status(exitLimit)
	}
	return status(exitOutside)
}

func (a *app) dryRun(f *evalFlags) error {
	rows, err := eval.Missing(&f.Options)
	if err != nil {
		return a.cannotRun(err)
	}
	e := eval.EstimateRun(&f.Options, rows)
	if f.json {
		return a.wrote(writeJSON(a.out, struct {
			Version int `json:"version"`
			eval.Estimate
		}{1, e}))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s: %s, %s, %s\n", pluralVerb(e.Requests, "request", "requests"), f.Model.Name(),
		pluralVerb(f.Source.Count, "instance", "instances"), strings.Join(stringsOf(f.Modes), " and "), pluralVerb(f.Samples, "sample", "samples"))
	fmt.Fprintf(&b, "about %s tokens in and %s out, by the length of the texts", formatCount(uint64(e.Input)), formatCount(uint64(e.Output)))
	if e.MostOutput > 0 {
		fmt.Fprintf(&b, "; at most %s out", formatCount(uint64(e.MostOutput)))
	}
	b.WriteString("\nReasoning that the prompt does not ask for comes on top.\n")
	switch {
	case f.Price == nil:
		b.WriteString("The cost is not known: there is no price.\n")
	case e.MostCost > 0:
		fmt.Fprintf(&b, "about $%.4f, at most about $%.4f\n", e.Cost, e.MostCost)
	default:
		fmt.Fprintf(&b, "about $%.4f\n", e.Cost)
	}
	if f.MaxCost > 0 && max(e.Cost, e.MostCost) > f.MaxCost {
		fmt.Fprintf(&b, "--max-cost %g may end the run before it is complete.\n", f.MaxCost)
	}
	b.WriteString("Nothing was sent.\n")
	return a.print(b.String())
}

// evalResult is the results for machines.
type evalResult struct {
	Version int           `json:"version"`
	Summary *eval.Summary `json:"summary,omitempty"` // of the asking
	Stopped eval.Reason   `json:"stopped,omitempty"`
	Lines   []*eval.Line  `json:"lines,omitempty"`
}

// scoreRun scores a run and prints its table, or the result with the lines of it.
func (a *app) scoreRun(dir string, flags *boxFlags, asJSON bool, result evalResult) error {
	ctx, stop := a.context(0)
	defer stop()
	box, err := flags.lazy(ctx, a, 0)
	if err != nil {
		return err
	}
	defer box.close()
	r, err := a.readWith(dir, run.ReadReplies)
	if err != nil {
		return err
	}
	o := run.JudgeOptions{}
	var why error // Python is not scored
	if run.NeedsPython(r) {
		if _, why = box.open(); ctx.Err() != nil {
			return a.unscored(dir)
		}
		if why == nil {
			o.Python = box
		}
	}
	line := a.rarely()
	o.Progress = line.counter("scoring")
	scored, err := run.Judge(ctx, dir, o)
	line.done()
	var bug *verdict.BugError
	switch {
	case ctx.Err() != nil:
		return a.unscored(dir)
	case errors.As(err, &bug):
		a.printf("ein: a bug in ein kept a reply from being scored: %v\n", bug)
		return status(exitBug)
	case err != nil:
		return a.cannotRun(err)
	}
	if asJSON {
		result.Lines = eval.Lines(scored.Run)
		err = a.wrote(writeJSON(a.out, result))
	} else {
		err = a.print(eval.Text(scored.Run))
	}
	switch {
	case err != nil:
		return err
	case why != nil:
		what := "are not scored"
		if scored.Unscored == 0 {
			what = "keep the scores that they have"
		}
		a.printf("ein: the replies in the mode python %s: %v\n", what, why)
		return status(exitOutside)
	case scored.Failed > 0:
		a.printf("ein: the sandbox failed on %s; the first: %s\n", plural(scored.Failed, "program"), shown(scored.First))
		return status(exitOutside)
	}
	return nil
}

// unscored tells that scoring was interrupted, which loses nothing but time.
func (a *app) unscored(dir string) error {
	a.printf("ein: interrupted; the replies are kept, and `ein bench score %s` scores them\n", dir)
	return status(exitOutside)
}

// interrupts is the interrupts of a run: the first closes the channel, the second
// ends the context.
func (a *app) interrupts() (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := make(chan struct{})
	got := make(chan os.Signal, 2)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-got:
			}
			if n == 0 {
				close(stop)
				a.printf("\nein: interrupted: waiting for replies on their way, which are paid for; interrupt again to leave them\n")
				continue
			}
			cancel(errors.New("interrupted twice"))
		}
	}()
	return ctx, stop, func() { signal.Stop(got); cancel(nil) }
}
