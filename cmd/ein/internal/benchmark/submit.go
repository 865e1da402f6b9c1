package benchmark

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ein/internal/job"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// submitFlags holds the flags of ein bench submit.
type submitFlags struct {
	engine, dir, output string
	shards, rounds      int
	dryRun              bool
	every               time.Duration
	jobs                int
	options             []string
	image, claim, mount string

	self    *cobra.Command
	program string        // this one
	command []string      // the verb and what follows
	ended   chan struct{} // of local: closed when nothing runs any more
	refused atomic.Value  // why no round makes a shard, a string: its command is wrong
}

// submitVerb declares ein bench submit.
func submitVerb(a *cli.App) *cobra.Command {
	f := &submitFlags{engine: "local", shards: runtime.GOMAXPROCS(0), rounds: 3, every: 5 * time.Second, jobs: runtime.GOMAXPROCS(0), image: "ein", mount: "/work"}
	cmd := &cobra.Command{
		Use:   "submit --engine ENGINE --shards N -o FILE -- VERB ...",
		Short: "Run a command in shards on many machines",
		Long: `Runs ein bench VERB (generate, verify, score, exec, eval or audit) in N shards, follows
them, reruns those that did not finish, and merges them as ein bench merge does. If it is
stopped, the same command resumes; finished shards are kept.

  local   processes on this machine, --jobs at a time
  slurm   an array job: needs sbatch and squeue, and the folder of the shards and this
          program on all nodes; --option adds an #SBATCH line
  k8s     an indexed job: needs kubectl, and an --image with this program; the volume of
          --claim is mounted at --mount, which must be this folder

--dry-run prints the script or the manifest and starts nothing. The shards go to --dir,
by default FILE.shards, with the output of each in a .log file (k8s: kubectl logs).`,
		Example: `  ein bench submit --engine slurm --shards 64 -o train.jsonl -- generate --split train --per-category 100000
  ein bench submit --shards 8 -o scores.jsonl -- exec --instances in.jsonl --replies replies.jsonl --lang python
  ein bench submit --engine k8s --shards 64 --dry-run -o train.jsonl -- generate --split train`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error {
			if len(args) > 2 && args[0] == "ein" && args[1] == "bench" {
				args = args[2:]
			}
			f.command = args
			return submit(ctx, a, f)
		}),
	}
	f.self = cmd
	flags := cmd.Flags()
	cli.One("local", "slurm", "k8s").Flag(cmd, &f.engine, "engine", "local, slurm or k8s")
	cli.Int(1, job.MaxShards).Flag(cmd, &f.shards, "shards", "`number` of shards")
	flags.StringVarP(&f.output, "output", "o", "", "`file` to write; for eval, the folder of the run")
	flags.StringVar(&f.dir, "dir", "", "`folder` of the shards (default FILE.shards)")
	cli.Int(1, 100).Flag(cmd, &f.rounds, "rounds", "maximum `times` to try a shard")
	cli.Duration.Flag(cmd, &f.every, "every", "how often to check progress")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the script or the manifest, and start nothing")
	cli.Int(1, job.MaxShards).Flag(cmd, &f.jobs, "jobs", "maximum `shards` at a time, for local and k8s")
	flags.StringArrayVar(&f.options, "option", nil, "`option` of sbatch, as in --partition=long; repeatable")
	flags.StringVar(&f.image, "image", f.image, "container `image`, for k8s")
	flags.StringVar(&f.claim, "claim", "", "`name` of the volume claim, for k8s")
	flags.StringVar(&f.mount, "mount", f.mount, "`path` of the volume in the container, for k8s")
	cli.Required(cmd, "output")
	return cmd
}

// An engine runs shards on some machines. It is asked only whether anything still runs, never what
// came of it: a shard is made when its record is in the folder, which every engine's machines can
// write.
type engine interface {
	// text is what is submitted for some shards.
	text(missing []int) (string, error)
	// start gives the shards away; the name is what follow asks for.
	start(ctx context.Context, text string, missing []int) (name string, err error)
	// runs says whether any of them is still waited for.
	runs(ctx context.Context, name string) (bool, error)
}

// submit runs the shards that are missing, in up to --rounds rounds, and merges all. What is
// missing is read from the folder of the shards and never from the engine, so it does not matter
// which call or machine made a shard.
func submit(ctx context.Context, a *cli.App, f *submitFlags) error {
	if sharded[f.command[0]] == nil {
		return a.Usage("ein bench %s cannot be done in shards: there are generate, verify, score, exec, eval and audit", f.command[0])
	}
	f.dir = cmp.Or(f.dir, f.output+".shards")
	if err := f.check(a); err != nil {
		return err
	}
	var err error
	if f.program, err = os.Executable(); err != nil {
		return fmt.Errorf("this program is not known: %w", err)
	}
	e := map[string]engine{"local": &local{submitFlags: f, app: a}, "slurm": &slurm{f}, "k8s": &kubernetes{f}}[f.engine]
	if f.dryRun {
		missing := f.missing()
		if len(missing) == 0 {
			a.Note("all shards are in %s", f.dir)
			return nil
		}
		text, err := e.text(missing)
		if err != nil {
			return err
		}
		return a.Print(text)
	}
	if err := cli.Folder(f.dir); err != nil {
		return err
	}
	for round := range f.rounds {
		missing := f.missing()
		if len(missing) == 0 {
			break
		}
		if round > 0 {
			a.Printf("ein: %s again: %s\n", words.Plural(len(missing), "shard"), job.Lists(missing))
		}
		if err := f.round(ctx, a, e, missing); err != nil {
			return err
		}
		if why := f.refused.Load(); why != nil {
			return a.Usage("ein bench %s: %s", f.command[0], why)
		}
	}
	if missing := f.missing(); len(missing) > 0 {
		said := f.log(missing[0]) + " and others say why"
		if f.engine == "k8s" {
			said = "`kubectl logs " + f.last() + "` says why"
		}
		return a.Outside("%s not made; %s, and the same command tries them again\n  --array=%s\n%s", words.Plural(len(missing), "shard was", "shards were"),
			said, job.Lists(missing), f.said(missing[0]))
	}
	return merge(ctx, a, &mergeFlags{output: f.output}, []string{f.dir})
}

// check refuses a command that is none, and a folder with the shards of another one: these are no
// result of this command. The command is parsed as the verb itself would parse it, so that a slip
// is found before N jobs start.
func (f *submitFlags) check(a *cli.App) error {
	bench, s := &cobra.Command{Use: "bench"}, &sharding{}
	bench.PersistentFlags().AddFlagSet(f.self.Root().PersistentFlags())
	verb := sharded[f.command[0]](a, s)
	bench.AddCommand(verb)
	if err := verb.ParseFlags(f.command[1:]); err != nil {
		return a.Usage("ein bench %s: %v", f.command[0], err)
	}
	for _, name := range []string{"shard", "output", "out"} {
		if verb.Flags().Changed(name) {
			return a.Usage("--%s is given by ein bench submit", name)
		}
	}
	there, err := job.ReadPlan(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var line []string
	if err == nil {
		line, err = s.command(f.command)
	}
	if err == nil {
		err = there.Same(f.dir, &job.Plan{Command: line, Shards: f.shards, Total: there.Total, From: there.From})
	}
	if other, ok := errors.AsType[*job.Other](err); ok {
		return begunOtherwise(a, other, "or another --dir")
	}
	return err
}

// missing returns the shards that are not there or not complete.
func (f *submitFlags) missing() (list []int) {
	m := &merged{dirs: []string{f.dir}}
	var err error
	m.plan, err = job.ReadPlan(f.dir)
	for i := 1; i <= f.shards; i++ {
		if err == nil {
			if _, _, failed := m.find(i); failed == nil {
				continue
			}
		}
		list = append(list, i)
	}
	return list
}

// submitted is the file that holds the name of the last job: the same command follows that job if
// it still runs.
const submitted = "submitted"

// last returns the name of that job, if it is one of this engine.
func (f *submitFlags) last() string {
	b, err := os.ReadFile(filepath.Join(f.dir, submitted))
	name, ours := strings.CutPrefix(string(b), f.engine+" ")
	if err != nil || !ours {
		return ""
	}
	return name
}

// round submits shards, or finds the job of an earlier call, and waits for its end. Ten failures in
// a row to ask the engine end it.
func (f *submitFlags) round(ctx context.Context, a *cli.App, e engine, missing []int) error {
	name := f.last()
	if name != "" {
		if going, err := e.runs(ctx, name); err != nil || !going {
			name = ""
			f.refused = atomic.Value{} // what was wrong may be right now
		} else {
			a.Printf("ein: going on with %s %s\n", f.engine, name)
		}
	}
	if name == "" {
		text, err := e.text(missing)
		if err == nil {
			name, err = e.start(ctx, text, missing)
		}
		if err != nil {
			return a.Outside("%s: %v", f.engine, err)
		}
		if err := a.WriteFile(filepath.Join(f.dir, submitted), []byte(f.engine+" "+name)); err != nil {
			return err
		}
	}
	line := a.Rarely("shards")
	defer line.Done()
	show, began, failures := line.Counter(f.shards-len(missing)), f.there(), 0
	for {
		going, err := e.runs(ctx, name)
		if err == nil {
			failures = 0
		} else if failures++; failures == 10 {
			return a.Outside("%s cannot be asked: %v", f.engine, err)
		}
		if err == nil && !going {
			return nil
		}
		show(f.there()-began, len(missing))
		select {
		case <-ctx.Done():
			_, _ = e.runs(ctx, name) // processes of this machine end first
			line.Done()
			return a.Outside("interrupted; run the same command to keep following the %s job", f.engine)
		case <-f.ended:
			return nil
		case <-time.After(f.every):
		}
	}
}

// there counts the shards whose records say that they are complete.
func (f *submitFlags) there() int {
	list, _ := fs.Glob(os.DirFS(f.dir), "*.ok") // none in a folder that cannot be read
	return len(list)
}

// log is the file with the output of a shard.
func (f *submitFlags) log(i int) string { return job.ShardFile(f.dir, i) + ".log" }

// said returns the end of that output.
func (f *submitFlags) said(i int) string {
	b, _ := os.ReadFile(f.log(i)) // it may be on another machine
	list := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.TrimPrefix(strings.Join(list[max(0, len(list)-8):], "\n"), "ein: ")
}

// wrong are the exit codes of a command that no machine can run: of ein, of a shell that does not
// find it or may not run it, and of a container that does not start.
var wrong = []int{int(cli.ExitUsage), 126, 127, 128}

// line returns the arguments that make a shard.
func (f *submitFlags) line(shard string) []string {
	to := "--output="
	if f.command[0] == "eval" {
		to = "--out="
	}
	return append(append([]string{"bench"}, f.command...), "--shard="+shard, to+f.dir)
}

// local runs the shards as processes of this machine. It cannot be followed by a later call: its
// processes end with this one.
type local struct {
	*submitFlags
	app  *cli.App
	wait sync.WaitGroup
}

// text is the command lines that start runs.
func (e *local) text(missing []int) (string, error) {
	var b strings.Builder
	for _, i := range missing {
		fmt.Fprintf(&b, "%s\n", quoted(append([]string{e.program}, e.line(job.Shard{I: i, N: e.shards}.String())...)))
	}
	return b.String(), nil
}

// start makes the missing shards, --jobs at a time, and returns at once. It closes ended when no
// process is left.
func (e *local) start(ctx context.Context, _ string, missing []int) (string, error) {
	next := make(chan int, len(missing))
	for _, i := range missing {
		next <- i
	}
	close(next)
	for range min(e.jobs, len(missing)) {
		e.wait.Go(func() {
			for i := range next {
				if ctx.Err() == nil && e.refused.Load() == nil {
					e.shard(ctx, i)
				}
			}
		})
	}
	ended := make(chan struct{})
	e.ended = ended
	go func() {
		e.wait.Wait()
		close(ended)
	}()
	return "processes of this machine", nil
}

// shard makes one shard. Of its exit status only that of a wrong command matters: missing looks for
// the record. A process that is told to end has a minute to write what it has.
func (e *local) shard(ctx context.Context, i int) {
	log, err := os.Create(e.log(i))
	if err != nil {
		e.app.Printf("ein: %v\n", err)
		return
	}
	defer func() { _ = log.Close() }()
	cmd := exec.CommandContext(ctx, e.program, e.line(job.Shard{I: i, N: e.shards}.String())...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	err = cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == int(cli.ExitUsage) {
		e.refused.Store(e.said(i))
	} else if err != nil {
		_, _ = fmt.Fprintf(log, "ein: %v\n", err)
	}
}

// runs reports whether processes are left. When the call is interrupted it first waits for them.
func (e *local) runs(ctx context.Context, _ string) (bool, error) {
	if ctx.Err() != nil {
		e.wait.Wait() // they have been told
	}
	select {
	case <-e.ended:
		return false, nil
	default:
		return e.ended != nil, nil
	}
}

// slurm submits an array job.
type slurm struct{ *submitFlags }

// text returns a batch script of an array job whose tasks are the missing shards. Each takes its
// number from Slurm (--shard=auto).
func (e *slurm) text(missing []int) (string, error) {
	dir, err := filepath.Abs(e.dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n#SBATCH --job-name=ein-%s\n#SBATCH --array=%s\n#SBATCH --output=%s\n", e.command[0], job.Lists(missing), filepath.Join(dir, "%5a.log"))
	// A node that is lost, or a time that is over, costs what its shards have not written.
	b.WriteString("#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --signal=B:TERM@60\n")
	for _, o := range e.options {
		fmt.Fprintf(&b, "#SBATCH %s\n", o)
	}
	fmt.Fprintf(&b, "export EIN_SHARDS=%d\nexec %s\n", e.shards, quoted(append([]string{e.program}, e.line("auto")...)))
	return b.String(), nil
}

// start submits the script, and gives the number of the job.
func (e *slurm) start(ctx context.Context, text string, _ []int) (string, error) {
	out, err := e.give(ctx, text, "submit.sh", "sbatch", "--parsable")
	id, _, _ := strings.Cut(out, ";") // the cluster follows
	return id, err
}

// runs reports whether a task of the array waits or runs. If none does, it looks for a task that
// could not be run, which Slurm remembers for some minutes.
func (e *slurm) runs(ctx context.Context, id string) (bool, error) {
	out, err := output(ctx, "squeue", "--noheader", "--jobs="+id, "--format=%i")
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return false, nil
	}
	if err != nil || strings.TrimSpace(out) != "" {
		return true, err
	}
	out, _ = output(ctx, "squeue", "--noheader", "--states=all", "--jobs="+id, "--Format=ArrayTaskID,exit_code")
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 2 {
			i, _ := strconv.Atoi(f[0])
			if code, err := strconv.Atoi(f[1]); err == nil && slices.Contains(wrong, code>>8) { // as wait(2) has it
				e.refused.Store(e.said(i))
			}
		}
	}
	return false, nil
}

// kubernetes creates an indexed job.
type kubernetes struct{ *submitFlags }

// text returns the manifest of an indexed job, in JSON, which kubectl takes as well as YAML.
func (e *kubernetes) text([]int) (string, error) {
	type object = map[string]any
	container := object{
		"name": "ein", "image": e.image, "command": append([]string{"ein"}, e.line("auto")...), "workingDir": e.mount,
		"env": []object{{"name": "EIN_SHARDS", "value": fmt.Sprint(e.shards)}},
	}
	// A pod is told to end some time before it is killed.
	pod := object{"restartPolicy": "Never", "terminationGracePeriodSeconds": 60, "containers": []object{container}}
	if e.claim != "" {
		container["volumeMounts"] = []object{{"name": "work", "mountPath": e.mount}}
		pod["volumes"] = []object{{"name": "work", "persistentVolumeClaim": object{"claimName": e.claim}}}
	}
	policy := object{"rules": []object{{"action": "FailJob", "onExitCodes": object{"operator": "In", "values": wrong}}}}
	b, err := json.MarshalIndent(object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"generateName": "ein-" + e.command[0] + "-"},
		// Shards that are there end at once, so that all are asked for in each round.
		"spec": object{"completions": e.shards, "parallelism": min(e.jobs, e.shards), "completionMode": "Indexed", "backoffLimitPerIndex": 3, "podFailurePolicy": policy, "template": object{"spec": pod}},
	}, "", "  ")
	return string(b) + "\n", err
}

// start creates the job, and gives its name as kubectl takes it.
func (e *kubernetes) start(ctx context.Context, text string, _ []int) (string, error) {
	return e.give(ctx, text, "job.json", "kubectl", "create", "--output=name", "--filename")
}

// runs reports whether the job has neither completed nor failed. Which shards it made is not
// asked: their records say.
func (e *kubernetes) runs(ctx context.Context, name string) (bool, error) {
	out, err := output(ctx, "kubectl", "get", name, "--output=json")
	if err != nil {
		return false, err
	}
	var got struct {
		Status struct {
			Conditions []struct{ Type, Status, Reason, Message string }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return false, fmt.Errorf("kubectl did not return JSON: %w", err)
	}
	for _, c := range got.Status.Conditions {
		if (c.Type == "Complete" || c.Type == "Failed") && c.Status == "True" {
			if c.Reason == "PodFailurePolicy" {
				e.refused.Store(c.Message)
			}
			return false, nil
		}
	}
	return true, nil
}

// give writes what is submitted to a file beside the shards, and runs the command that takes it.
func (f *submitFlags) give(ctx context.Context, text, file, command string, args ...string) (string, error) {
	file = filepath.Join(f.dir, file)
	if err := job.ReplaceBytes(file, []byte(text)); err != nil {
		return "", err
	}
	out, err := output(ctx, command, append(args, file)...)
	return strings.TrimSpace(out), err
}

// output runs a command and returns its standard output.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no %s on this machine; --dry-run prints what it would be given", name)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, shown(strings.ReplaceAll(strings.TrimSpace(stderr.String()), "\n", "; ")))
	}
	return string(out), err
}

// plain matches a word that a shell leaves as it is.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-\w=./,:+@%]+$`) })

// quoted joins words, quoted for a shell.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		if list[i] = w; !plain().MatchString(w) {
			list[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(list, " ")
}
