package benchmark

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ein"
	"ein/bench/ask/eval"
	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/bind"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/version"
	"ein/internal/words"
	"ein/serve"
	"ein/serve/mcp"

	"ein/cmd/ein/internal/cli"
	"ein/internal/lists"
)

// evalFlags holds the flags of ein bench eval; most are fields of the options that they set. Those
// that change no reply may differ when a run is resumed; eval compares all others with run.json.
type evalFlags struct {
	*sharding
	eval.Options
	folder          string // of --out: of shards, or the run
	open            model.Options
	name            string // of the model
	instances       string
	prompts         string
	prices, record  string
	profiles        string
	box             boxFlags
	dryRun, noScore bool
	show            int
	extra           string
	headers         []string
	wait            time.Duration
}

// evalVerb declares ein bench eval.
func evalVerb(a *cli.App, s *sharding) *cobra.Command {
	f := &evalFlags{
		sharding: s,
		Options:  eval.Options{Modes: []prompt.Mode{prompt.Direct}, Samples: 1, Turns: eval.DefaultTurns, Schedule: eval.Schedule{Max: eval.DefaultMax, Start: eval.DefaultStart, Retries: eval.DefaultRetries}},
		open:     model.Options{Timeout: model.DefaultTimeout, Processes: 1},
	}
	cmd := &cobra.Command{
		Use:   "eval --model PROVIDER:NAME --instances FILE --out DIR",
		Short: "Ask a model the questions, and store and score its replies",
		Long: `Asks a model every instance in every mode and encoding, and prints a table. The
providers are ` + strings.Join(model.Providers(), ", ") + `.
Keys come from the environment or from --key-file, and are written nowhere.

The folder of --out is a run: run.json (the settings, with the requests as they are
sent), instances.jsonl, replies.jsonl, scores.jsonl and log.jsonl. A reply counts once
it is on disk. If a run stops for any reason, the same command resumes it and asks only
for what is missing. Settings that affect replies cannot change within a run.

Transient errors are retried; a wrong key or an empty account stops the run. An interrupt
stops sending and waits for replies under way; a second one does not wait.

--prices names a file of prices in dollars for a million tokens, such as
{"openai:some-model*": {"input": 1.25, "cached_input": 0.125, "output": 10}}.
It is needed for costs. --max-cost needs it too, and --max-tokens: a request is sent
only if the run stays within the limit in the worst case.

In the mode ein-tool, the model may call the tools check and run of ein mcp, sees
diagnostics and values, and then answers, within --turns requests.

With --batch, requests go to the provider's batch API, which answers within a day at
half the price. An interrupt leaves the batches running, and the same command collects
the answers later; --no-wait does not wait at all.

The exit code is 5 when replies are missing, or not scored because there is no sandbox, and 4
when --max-cost ends the run. The table then covers the replies so far.

With --shard I/N, this is one of N parts, a run of its own in the folder of --out;
ein bench merge makes one run of them. --max-cost and --concurrency cover all parts.`,
		Example: `  ein bench eval --model baseline:oracle-ein --mode direct,ein --instances heldout.jsonl --out runs/oracle
  ein bench eval --model openai:some-model --base-url http://localhost:8000/v1 --mode cot --instances heldout.jsonl --out runs/local
  ein bench eval --model openai:some-model --instances heldout.jsonl --out runs/x --prices prices.json --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.merged != nil {
				return a.Do(func(ctx context.Context, _ []string) error { return f.mergeRuns(ctx, a) })(cmd, nil)
			}
			return a.Fail(evaluate(a, f, cmd.Flags().Changed("processes")))
		},
	}
	flags, heading := cmd.Flags(), cli.Headings(cmd)
	const same = " (changes no reply)"
	flags.StringVar(&f.name, "model", "", "model to ask, as `PROVIDER:NAME`")
	instancesFlag(cmd, &f.instances)
	flags.StringVar(&f.folder, "out", "", "`folder` of the run")
	f.flag(cmd)
	cli.Some(cmd, &f.Modes, "mode", prompt.Modes(), "`modes` to ask in, with commas: direct, cot, ein, python, rules, ein-tool")
	cli.Some(cmd, &f.Encodings, "encoding", surface.Encodings(), "`encodings` of the graph, with commas: nl, json, matrix (default that of the file)")
	cli.Int(1, run.MaxSamples).Flag(cmd, &f.Samples, "samples", "`number` of replies to each question")
	cli.Int(2, run.MaxTurns).Flag(cmd, &f.Turns, "turns", "maximum `requests` for a reply in the mode ein-tool")
	cli.Int(1, run.MaxSamples).Flag(cmd, &f.Source.Surfaces, "surfaces", "`number` of surfaces of each structure: labels, domain, style and order of the edges (default: as in the file)")
	cli.Int(1, math.MaxInt).Flag(cmd, &f.Source.Limit, "limit", "maximum `number` of instances, taken evenly from the levels and their categories (default all)")
	cli.Some(cmd, &f.Source.Categories, "categories", category.Names(), "only these `categories`, with commas (default all)")
	promptsFlag(cmd, &f.prompts)
	flags.BoolVar(&f.AcceptVersion, "accept-version", false, "resume although the prompts, requests or scoring have changed, and record both")
	heading("What is asked")

	cli.Opt(cli.Real("0 or more", func(x float64) bool { return x >= 0 })).Flag(cmd, &f.Params.Temperature, "temperature", "temperature (default: the provider's)")
	cli.Opt(cli.Real("more than 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })).Flag(cmd, &f.Params.TopP, "top-p", "nucleus sampling (default: the provider's)")
	cli.Int(1, math.MaxInt).Flag(cmd, &f.Params.MaxTokens, "max-tokens", "maximum `tokens` of a reply, including reasoning")
	cli.Opt(cli.Int[int64](math.MinInt64, math.MaxInt64)).Flag(cmd, &f.Params.Seed, "seed", "`seed` of the first sample; later samples count up from it")
	flags.StringArrayVar(&f.Params.Stop, "stop", nil, "`text` at which a reply ends; repeatable")
	flags.StringVar(&f.Params.Effort, "effort", "", "`effort` of reasoning, such as low")
	cli.Opt(cli.Int(-1, math.MaxInt)).Flag(cmd, &f.Params.Thinking, "thinking", "reasoning budget in `tokens`; 0 turns it off, -1 leaves it to the model")
	flags.BoolVar(&f.Params.ReasoningText, "reasoning-text", false, "request the text of the reasoning, or a summary, and keep it with the replies")
	flags.StringVar(&f.Params.ServiceTier, "service-tier", "", "service `tier` of the provider, such as flex")
	flags.StringVar(&f.extra, "extra-body", "", "`JSON` object whose members are added to requests, such as {\"top_k\": 20}")
	heading("Sampling")

	flags.StringVar(&f.BaseURL, "base-url", "", "`URL` of a compatible server")
	flags.StringVar(&f.open.KeyFile, "key-file", "", "`file` with the key (default: from the environment)")
	flags.StringVar(&f.open.Profile, "profile", "", "`name` of the model profile (default: from the name of the model)")
	flags.StringVar(&f.profiles, "profiles", "", "`file` of profiles that take precedence over the built-in ones (see ein bench models)")
	flags.StringArrayVar(&f.headers, "header", nil, "`NAME: VALUE` to send with each request; the value is written nowhere; repeatable")
	cli.Duration.Flag(cmd, &f.open.Timeout, "timeout", "maximum time for a reply or, with --stream, between two pieces of it")
	flags.BoolVar(&f.open.Stream, "stream", false, "stream replies, for those that take minutes"+same)
	cli.Duration.Flag(cmd, &f.wait, "wait-for-server", "wait at most this long for the server to come up")
	flags.BoolVar(&f.open.NoContextCheck, "no-context-check", false, "accept replies to prompts that the server seems to have truncated")
	heading("The provider")

	flags.StringVar(&f.prices, "prices", "", "`file` of prices")
	cli.Real("more than 0 dollars", func(x float64) bool { return x > 0 }).Flag(cmd, &f.MaxCost, "max-cost", "maximum `dollars` for the whole run")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be asked and what it would cost, and send nothing")
	cli.Int(0, math.MaxInt).Flag(cmd, &f.show, "show", "with --dry-run: `number` of request bodies to print")
	heading("Costs")

	const most = 10_000
	cli.Int(1, math.MaxInt).Flag(cmd, &f.Batch, "batch", "send this many `requests` at once to the provider's batch API, or to a program of exec"+same)
	flags.BoolVar(&f.Leave, "no-wait", false, "with --batch: submit, collect what is ready, and do not wait")
	cli.Int(1, most).Flag(cmd, &f.Schedule.Max, "concurrency", "maximum `requests` at a time"+same)
	cli.Int(1, math.MaxInt).Flag(cmd, &f.Schedule.Start, "start", "initial `requests` at a time"+same)
	cli.Int(0, math.MaxInt).Flag(cmd, &f.Schedule.Retries, "retries", "maximum `retries` of a request"+same)
	cli.Int(1, most).Flag(cmd, &f.open.Processes, "processes", "`number` of exec programs to run at once"+same)
	flags.StringVar(&f.Cache, "cache", "", "`folder` of replies shared by runs")
	flags.StringVar(&f.record, "record", "", "`folder` to record exchanges in, for replay:DIR")
	heading("Pace and storage")

	f.box.add(cmd)
	flags.BoolVar(&f.noScore, "no-score", false, "do not score the replies")
	a.JSONFlag(cmd, "print the results as one JSON object")
	heading("Scoring")
	cli.Required(cmd, "model", "instances", "out")
	cli.CompleteLater(cmd, "profile", func() []string {
		return lists.Map(model.Profiles(nil), func(p model.Profile) string { return p.Name })
	})
	return cmd
}

// finish turns the flags into options and opens the model. Everything that can be wrong with a
// command line is found here, before a folder is made or a request is sent. processes reports
// whether --processes was given, which only programs of exec take.
func (f *evalFlags) finish(a *cli.App, processes bool) (err error) {
	provider, _, _ := strings.Cut(f.name, ":")
	switch {
	case f.record != "" && f.Batch > 0:
		return a.Usage("--record does not work with --batch: it records single requests")
	case f.Batch > 0 && slices.Contains(f.Modes, prompt.Tool):
		return a.Usage("--batch does not work with --mode ein-tool, which takes several turns; run that mode separately")
	case f.open.Stream && f.Batch > 0:
		return a.Usage("--stream does not work with --batch: a batch is answered as a whole")
	case f.extra != "" && f.MaxCost > 0:
		return a.Usage("--extra-body does not work with --max-cost: it may ask for more than the limit allows")
	case f.Leave && f.Batch == 0:
		return a.Usage("--no-wait is for --batch")
	case f.Leave && provider == "exec":
		return a.Usage("--no-wait works only with a provider's batches: those of exec:COMMAND end with this command")
	case f.record != "" && f.Cache != "":
		return a.Usage("--record does not work with --cache: the recording would lack cached replies")
	case processes && provider != "exec":
		return a.Usage("--processes is for exec:COMMAND; --concurrency bounds the requests to %s", provider)
	case slices.Contains([]string{"baseline", "exec"}, provider) && (f.BaseURL != "" || f.open.KeyFile != "" || f.open.Profile != ""):
		return a.Usage("--base-url, --key-file and --profile are for a provider's server: %s has none", provider)
	case f.MaxCost > 0 && f.prices == "":
		return a.Usage("--max-cost needs --prices, a file with the price of the model")
	case f.show > 0 && !f.dryRun:
		return a.Usage("--show is for --dry-run: a run keeps the body of a request in run.json")
	case f.MaxCost > 0 && f.Params.MaxTokens == 0:
		return a.Usage("--max-cost needs --max-tokens: without it, the cost of a reply has no bound")
	}
	ctx, stop := a.Context(0)
	defer stop()
	f.Version, f.Warn = version.String(), func(s string) { a.Note("%s", shown(s)) }
	f.Schedule.Retries = cmp.Or(f.Schedule.Retries, -1)
	if f.Prompts, err = prompts(a, f.prompts, f.Modes); err != nil {
		return err
	}
	if err := f.choose(ctx, a); err != nil {
		return err
	}
	if f.extra != "" {
		f.Params.Extra = json.RawMessage(f.extra)
		var object map[string]json.RawMessage
		err := compact.Wrong(json.Unmarshal(f.Params.Extra, &object))
		if err == nil && object == nil {
			err = errors.New("expected a JSON object, found null")
		}
		if err != nil {
			return a.Usage("--extra-body is not a JSON object: %v", err)
		}
	}
	if err := f.readHeaders(a); err != nil {
		return err
	}
	f.open.BaseURL, f.open.Env, f.open.Stderr, f.open.Instances = f.BaseURL, a.Env, a.Err, f.Instances
	if f.open.Profiles, err = readProfiles(ctx, a, f.profiles); err != nil {
		return err
	}
	if f.Model, err = model.Open(f.name, f.open); err != nil {
		return a.Usage("%s", shown(err.Error()))
	}
	if _, grouper := f.Model.(model.Grouper); f.Batch > 0 && !grouper {
		if _, err := model.Batches(f.Model); err != nil {
			_ = model.Close(f.Model)
			return a.Usage("--batch: %s", shown(err.Error()))
		}
	}
	if f.record != "" && !f.dryRun {
		recorded, err := model.Record(f.Model, f.record, f.open)
		if err != nil {
			_ = model.Close(f.Model)
			return a.Usage("--record: %s", shown(err.Error()))
		}
		f.Model = recorded
	}
	if f.prices != "" {
		if err := a.Through(ctx, "reading", f.prices, func(in *cli.File) error { return f.readPrice(a, in) }); err != nil {
			_ = model.Close(f.Model)
			return err
		}
	}
	return nil
}

// readHeaders parses --header. Only the names are recorded: values may be secrets.
func (f *evalFlags) readHeaders(a *cli.App) error {
	f.open.Headers = http.Header{}
	for _, line := range f.headers {
		name, value, ok := strings.Cut(line, ":")
		if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); !ok || name == "" || strings.ContainsAny(line, "\r\n") {
			return a.Usage("--header: expected NAME: VALUE on one line")
		}
		f.open.Headers.Add(name, strings.TrimSpace(value))
	}
	f.Headers = slices.Sorted(maps.Keys(f.open.Headers))
	return nil
}

// choose reads the instances and selects those to ask. The order matters: the shard is cut out of
// the questions that all shards agree on, and surfaces and encodings multiply what is in it.
func (f *evalFlags) choose(ctx context.Context, a *cli.App) error {
	sum := sha256.New()
	list, err := instanceList(ctx, a, f.instances, sum)
	if err != nil {
		return err
	}
	f.Source.File, f.Source.SHA256 = filepath.Base(f.instances), hex.EncodeToString(sum.Sum(nil))
	f.Dir = f.folder
	chosen, err := eval.Select(list, f.Source.Categories, f.Source.Limit)
	if err == nil {
		f.Source.Count = len(chosen)
		if f.on() {
			if chosen, err = f.part(a, chosen); err != nil {
				return err
			}
		}
		chosen, err = eval.Surfaces(chosen, f.Source.Surfaces)
	}
	if err == nil {
		f.Instances, f.Encodings, err = eval.Encode(chosen, f.Encodings)
	}
	if err != nil {
		return cli.Input("", f.instances, 0, err.Error(), "")
	}
	return nil
}

// part returns the instances of the shard and gives its run a folder of its own. A shard gets its
// share of the limits on cost and on calls in flight. So the shards together keep to the limits of
// one command, whichever of them run at the same time.
func (f *evalFlags) part(a *cli.App, all []*instance.Instance) ([]*instance.Instance, error) {
	if err := f.begin(a, f.folder, int64(len(all)), []job.Field{{Name: "instances", Value: f.Source.SHA256}}); err != nil {
		return nil, err
	}
	if len(all) < f.N {
		return nil, a.Usage("--shard: there are %s, and a shard has one at least", words.Plural(len(all), "instance"))
	}
	from, to := f.Of(int64(len(all)))
	f.Dir, f.Source.Shard = job.ShardFile(f.folder, f.I), f.String()
	f.MaxCost *= float64(to-from) / float64(len(all))
	f.Schedule.Max = max(1, f.Schedule.Max/f.N)
	return all[from:to], nil
}

// replies names the file that the record of a shard vouches for.
func (f *evalFlags) replies() string { return filepath.Join(f.Dir, run.RepliesFile) }

// mergeRuns merges the runs of the shards into one and scores it.
func (f *evalFlags) mergeRuns(ctx context.Context, a *cli.App) error {
	dirs := lists.Map(f.merged.files, filepath.Dir)
	if err := run.Merge(f.folder, dirs); err != nil {
		return cannotRun(a, err)
	}
	if f.noScore {
		return nil
	}
	return scoreRun(ctx, a, f.folder, &f.box, evalResult{Version: 1})
}

// readPrice sets the price of the model from a file of prices. A model without one is an error
// only if --max-cost, which could not be kept, is given.
func (f *evalFlags) readPrice(a *cli.App, in *cli.File) error {
	prices, err := eval.ReadPrices(in)
	if err != nil {
		return cli.Input("", in.Name(), 0, bind.Cause(err).Error(), "")
	}
	f.Price = prices.For(f.Model.Name())
	switch {
	case f.Price != nil:
	case f.MaxCost > 0:
		return cli.Input("", in.Name(), 0, "it has no price for "+f.Model.Name()+", which --max-cost needs",
			`A price is {"`+f.Model.Name()+`": {"input": ..., "output": ...}}, in dollars for a million tokens.`)
	default:
		a.Note("%s has no price of %s; costs are not known", in.Name(), f.Model.Name())
	}
	return nil
}

// evaluate asks what is missing in a run, scores it, and says what to do next. processes reports
// whether --processes was given. Missing replies have the exit code [cli.ExitOutside], as the
// same command asks for them again.
func evaluate(a *cli.App, f *evalFlags, processes bool) error {
	if err := f.finish(a, processes); err != nil {
		return err
	}
	defer func() { _ = model.Close(f.Model) }()
	if slices.Contains(f.Modes, prompt.Tool) {
		ctx, stop := a.Context(0)
		defer stop()
		tools, err := openTools(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tools.Close() }() // nothing is under way
		f.Tools = tools
	}
	if f.on() && f.finished(a, f.folder, f.replies()) {
		return nil
	}
	for _, note := range model.Notes(f.Model, time.Now()) {
		a.Note("%s", shown(note))
	}
	if eval.Repeats(&f.Options) {
		a.Note("at temperature 0 the %d samples of a question are one request, sent %d times; replies may all be the same\n"+
			"Ask for a temperature, or where the model takes one a --seed, or for one sample.", f.Samples, f.Samples)
	}
	if f.dryRun {
		return dryRun(a, f)
	}
	told := fmt.Sprintf("waiting up to %v for replies on their way, which are paid for; interrupt again to leave them", eval.DefaultDrain)
	if _, grouper := f.Model.(model.Grouper); f.Batch > 0 && !grouper {
		told = "batches go on at the provider"
	}
	ctx, stop, done := interrupts(a, told)
	f.Stop = stop
	if f.wait > 0 {
		// No reply is under way yet, so the first interrupt ends the wait at once.
		waiting, cancel := context.WithTimeout(ctx, f.wait)
		go func() {
			select {
			case <-stop:
				cancel()
			case <-waiting.Done():
			}
		}()
		err := model.WaitFor(waiting, f.Model)
		cancel()
		if err != nil {
			done()
			return a.Outside("the server did not come up in time: %s", shown(err.Error()))
		}
	}
	line := a.Rarely("asking")
	f.Accuracy = !f.noScore
	f.Progress = func(p eval.Progress) {
		line.Tell(func(time.Duration) string { return progressText(&p, f.Price != nil) })
	}
	sum, err := eval.Run(ctx, f.Options)
	line.Done()
	done()
	result := evalResult{Version: 1, Summary: &sum}
	var early *eval.StopError
	switch {
	case errors.As(err, &early):
		return endedEarly(a, f, result, early)
	case err != nil:
		return cannotRun(a, err)
	}
	if sum.Before > 0 && sum.Asked+sum.Cached > 0 {
		a.Printf("ein: resumed: %d replies kept, %d new\n", sum.Before, sum.Asked+sum.Cached)
	}
	err = scored(a, f, result, !f.noScore && !f.on())
	if f.on() && sum.Missing == 0 {
		from, to := f.Of(int64(f.Source.Count))
		return cmp.Or(err, f.sharding.finish(a, f.folder, f.replies(), &job.Done{From: from, To: to, Items: sum.Questions}))
	}
	if sum.Missing > 0 {
		a.Printf("ein: %s missing: %d rejected, %d failed after retries; the first: %s\n",
			words.Plural(sum.Missing, "reply is", "replies are"), sum.Rejected, sum.GaveUp, shown(sum.FirstFailure))
		if sum.FirstHint != "" {
			a.Printf("%s\n", shown(sum.FirstHint))
		}
		a.Printf("The same command asks again; see %s.\n", filepath.Join(f.Dir, run.LogFile))
		err = cmp.Or[error](err, cli.Status(cli.ExitOutside))
	} else if err == nil && !a.JSON {
		next := "ein bench report " + f.Dir + ", ein bench diagnose " + f.Dir
		if f.noScore {
			next = "ein bench score " + f.Dir
		}
		a.Printf("%s in %s; next: %s\n", words.Plural(sum.Questions, "reply", "replies"), f.Dir, next)
	}
	return err
}

// scored prints the result, after scoring the run if score is set.
func scored(a *cli.App, f *evalFlags, result evalResult, score bool) error {
	switch {
	case score:
		ctx, stop := a.Context(0)
		defer stop()
		return scoreRun(ctx, a, f.Dir, &f.box, result)
	case a.JSON:
		return a.PrintJSON(result)
	}
	return nil
}

// progressText returns the line of progress.
func progressText(p *eval.Progress, priced bool) string {
	s := fmt.Sprintf("%d/%d replies", p.Questions-p.Missing, p.Questions)
	if p.Batches == 0 {
		s += fmt.Sprintf(", %.1f/s", p.Rate)
	}
	if p.Judged > 0 {
		s += fmt.Sprintf(", %.1f %% right of %d", 100*float64(p.Right)/float64(p.Judged), p.Judged)
	}
	if priced {
		s += fmt.Sprintf(", $%.4f", p.Cost)
	}
	if p.Left > 0 {
		s += fmt.Sprintf(", %v left", p.Left.Round(time.Second))
	}
	if p.Batches > 0 {
		s += fmt.Sprintf(", %d in %s", p.Flying, words.Plural(p.Batches, "batch", "batches"))
	} else {
		s += fmt.Sprintf(", %d of %d on their way", p.Flying, p.Limit)
	}
	s += fmt.Sprintf(", %d retries", p.Retries)
	if p.Paused > 0 {
		s += fmt.Sprintf(", paused for %v", p.Paused.Round(time.Second))
	}
	return s
}

// endedEarly reports why a run stopped before it was complete.
func endedEarly(a *cli.App, f *evalFlags, result evalResult, e *eval.StopError) error {
	a.Printf("ein: %s\n", shown(e.Error()))
	if e.Hint != "" {
		a.Printf("%s\n", shown(e.Hint))
	}
	there := result.Summary.Questions - result.Summary.Missing
	if result.Summary.Questions == 0 {
		a.Printf("Nothing was sent or written.\n")
	} else {
		a.Printf("%d of %s there; the same command with --out %s resumes.\n", there, words.Plural(result.Summary.Questions, "reply is", "replies are"), f.Dir)
	}
	// Who interrupts wants the end: programs may take minutes to be run.
	score := there > 0 && !f.noScore && !f.on()
	if score && (e.Reason == eval.Interrupted || e.Reason == eval.Batched) {
		a.Printf("Table of the replies so far: ein bench score %s\n", f.Dir)
		score = false
	}
	result.Stopped = e.Reason
	var told cli.Status // the reason of the end goes before what scoring lacks
	if err := scored(a, f, result, score); err != nil && !errors.As(err, &told) {
		return err
	}
	if e.Reason == eval.Budget {
		return cli.Status(cli.ExitLimit)
	}
	return cli.Status(cli.ExitOutside)
}

// dryRun prints the cost of what a run would send, after as many request bodies as --show says.
// It sends nothing.
func dryRun(a *cli.App, f *evalFlags) error {
	rows, err := eval.Missing(&f.Options)
	if err != nil {
		return cannotRun(a, err)
	}
	e := eval.EstimateRun(&f.Options, rows)
	for i := range rows[:min(f.show, len(rows))] {
		body, err := f.Request(&rows[i])
		if err != nil {
			return cannotRun(a, err)
		}
		a.Printf("%s, %s, sample %d:\n%s\n", rows[i].ID, rows[i].Mode, rows[i].Sample, body)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s: %s, %s, %s\n", words.Plural(e.Requests, "request", "requests"), f.Model.Name(),
		words.Plural(f.Source.Count, "instance", "instances"), cli.Join(f.Modes, " and "), words.Plural(f.Samples, "sample", "samples"))
	if n := f.Source.Surfaces; n > 1 {
		fmt.Fprintf(&b, "each instance with %d surfaces\n", n)
	}
	fmt.Fprintf(&b, "about %s tokens in and %s out, by the length of the texts", words.Count(e.Input), words.Count(e.Output))
	if e.MostOutput > 0 {
		fmt.Fprintf(&b, "; at most %s out", words.Count(e.MostOutput))
	}
	b.WriteString("\nReasoning that the prompt does not request is extra.\n")
	switch {
	case f.Price == nil:
		b.WriteString("The cost is unknown: there is no price.\n")
	case e.MostCost > 0:
		fmt.Fprintf(&b, "about $%.4f, at most about $%.4f\n", e.Cost, e.MostCost)
	default:
		fmt.Fprintf(&b, "about $%.4f\n", e.Cost)
	}
	if f.MaxCost > 0 && max(e.Cost, e.MostCost) > f.MaxCost {
		fmt.Fprintf(&b, "--max-cost %g may end the run before it is complete.\n", f.MaxCost)
	}
	b.WriteString("Nothing was sent.\n")
	return a.Result(struct {
		Version int `json:"version"`
		eval.Estimate
	}{1, e}, b.String)
}

// evalResult is the result in JSON.
type evalResult struct {
	Version int           `json:"version"`
	Summary *eval.Summary `json:"summary,omitempty"` // of the asking
	Stopped eval.Reason   `json:"stopped,omitempty"`
	Lines   []*eval.Line  `json:"lines,omitempty"`
}

// scoreRun scores a run and prints its table or, with --json, the result and the lines of that
// table. Scoring reads the run from its folder, also when it has just been asked: what is scored is
// what is on disk. Without a sandbox the other modes are scored, and the exit code says that some
// are not.
func scoreRun(ctx context.Context, a *cli.App, dir string, flags *boxFlags, result evalResult) error {
	box := flags.lazy(ctx, 0)
	defer box.Close()
	r, err := readRun(a, dir, run.ReadReplies)
	if err != nil {
		return err
	}
	o := run.JudgeOptions{}
	var why error // Python is not scored
	if run.NeedsPython(r) {
		if _, why = box.Open(); why == nil {
			o.Python = box
		}
	}
	line := a.Rarely("scoring")
	o.Progress = line.Counter(0)
	var scored *run.Judged
	if ctx.Err() == nil {
		scored, err = run.Judge(ctx, dir, o)
	}
	line.Done()
	var bug *verdict.BugError
	switch {
	case ctx.Err() != nil:
		return a.Outside("interrupted; the replies are kept, and `ein bench score %s` scores them", dir)
	case errors.As(err, &bug):
		a.Printf("ein: a bug in ein kept a reply from being scored: %v\n", bug)
		return cli.Status(cli.ExitBug)
	case err != nil:
		return cannotRun(a, err)
	}
	result.Lines = eval.Lines(scored.Run)
	err = a.Result(result, func() string { return eval.Text(scored.Run) })
	switch {
	case err != nil:
		return err
	case why != nil:
		what := "are not scored"
		if scored.Unscored == 0 {
			what = "keep the scores that they have"
		}
		return a.Outside("the replies in the mode python %s: %v", what, why)
	case scored.Failed > 0:
		return a.Outside("the sandbox failed on %s; the first: %s", words.Plural(scored.Failed, "program"), shown(scored.First))
	}
	return nil
}

// openTools gives models the tools of ein mcp, under its limits but for a smaller output, since
// each element costs the model tokens.
func openTools(ctx context.Context) (*mcp.Tools, error) {
	s := serve.New(serve.Options{Limits: ein.Limits{MaxOps: verdict.DefaultOps, MaxBytes: 256 << 20, MaxOutputElements: 4096}, Timeout: verdict.DefaultTimeout})
	return mcp.Connect(ctx, mcp.New(s, nil, nil), "check", "run")
}

// interrupts catches the interrupts of a run: the first closes the channel, so that calls in flight
// can finish, and the second cancels the context. The function that it returns gives the signals
// back.
func interrupts(a *cli.App, told string) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := make(chan struct{})
	got := make(chan os.Signal, 2)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-got:
		}
		close(stop)
		a.Printf("\nein: interrupted: %s\n", told)
		select {
		case <-ctx.Done():
		case <-got:
			cancel(errors.New("interrupted twice"))
		}
	}()
	return ctx, stop, func() { signal.Stop(got); cancel(nil) }
}
