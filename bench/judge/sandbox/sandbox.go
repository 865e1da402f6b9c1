// Package sandbox runs untrusted Python programs, written by a model that may be
// careless or may try to cheat the scoring.
//
// [Open] makes a [Sandbox] under a [Policy], and [Sandbox.Run] runs a program in a
// process of its own. There are two ways to confine it; the first that works is used.
//
//   - Bubblewrap: namespaces of its own (user, process, network, host name, IPC,
//     cgroup). The program sees the interpreter's files, read-only, but not /proc,
//     /dev or the network.
//   - Landlock, where namespaces are forbidden, as in many containers: once the
//     interpreter has started, and before it gets a program, it drops its
//     capabilities and access to all files but its own, which it may read. It can
//     still see the name of the machine, the targets of symbolic links, and for any
//     file whether it exists, its owner and its size. It confines itself because Landlock and
//     the filter bind a process for good: one confined before it became Python would need the
//     right to start programs and load libraries.
//
// In both, a system call filter allows only what an interpreter needs to compute: it
// cannot start a process or a thread, open a socket, or open a file for writing. The
// last includes files in memory, even empty ones, whose memory no limit on the program
// would count. Resource limits bound memory, time and descriptors. With bubblewrap, a
// program can replace itself with another interpreter, under the same filter and limits.
//
// Only data comes back: the program's output and how it ended. The caller, outside,
// decides whether that is right. The interpreter reports on a separate pipe, with a
// random number drawn for the run, that the program reached its end. Neither frames nor
// the garbage collector lead a program to that number. If it finds the number in the
// memory of its process all the same, it can only have its output reported as "ok", so
// callers must treat missing output as a failure whatever the outcome says.
//
// [Open] proves all of this by attacking the sandbox, and fails if neither way stops
// every attack. No program runs without a sandbox.
//
// Interpreters wait with networkx already imported, so a program that gets one takes
// about 6 ms. Each runs one program, and starting the next one bounds the throughput:
// 13 to 15 programs a second on two cores that were busy with other work as well
// (go test -bench .).
//
// The sandbox does not protect against a kernel exploit: the kernel is shared with the
// host, and only a virtual machine would help. On the host, programs run as the user
// who runs this one, without any capability if that is root.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// Policy says what a program may use. A zero field has the default.
type Policy struct {
	Python  string // the interpreter, "python3"; it needs networkx
	Backend string // Bubblewrap or Landlock; "" is the first of them that holds

	Wall   time.Duration // from when the program is handed over, 10 s
	CPU    time.Duration // 5 s, enforced to the next full second
	Memory int64         // bytes of address space, 512 MiB; the interpreter itself has about 40
	Output int64         // bytes on standard output, and on standard error, 64 KiB each

	// Pool is how many interpreters wait, with networkx imported, for the next
	// programs: as many as there are processors. It does not bound how many
	// programs run at once, which is up to the callers of Run.
	Pool int
}

// The backends.
const (
	Bubblewrap = "bubblewrap"
	Landlock   = "landlock"
)

// MaxProgram is the greatest length of a program, in bytes.
const MaxProgram = 1 << 20

// withDefaults checks a policy and fills in what is 0.
func (p Policy) withDefaults() (Policy, error) {
	if p.Wall < 0 || p.CPU < 0 || p.Memory < 0 || p.Output < 0 || p.Pool < 0 {
		return p, errors.New("a limit of the sandbox is negative")
	}
	if p.Backend != "" && p.Backend != Bubblewrap && p.Backend != Landlock {
		return p, fmt.Errorf("there is no backend %q: it is %s or %s", p.Backend, Bubblewrap, Landlock)
	}
	p.Python, p.Pool = cmp.Or(p.Python, "python3"), cmp.Or(p.Pool, runtime.NumCPU())
	p.Wall, p.CPU = cmp.Or(p.Wall, 10*time.Second), cmp.Or(p.CPU, 5*time.Second)
	p.Memory, p.Output = cmp.Or(p.Memory, 512<<20), cmp.Or(p.Output, 64<<10)
	return p, nil
}

// Outcome is how a program ended.
type Outcome int

// The outcomes. Those that are the sandbox's doing (Timeout, OutputLimit) are
// decided by its own clocks and counters; an exit status, which a program
// chooses, decides nothing.
const (
	OK          Outcome = iota // it came to its end, or left with sys.exit(0)
	Timeout                    // it used up its time, by the clock or of the processor
	Memory                     // it failed with MemoryError
	OutputLimit                // it printed too much
	Crashed                    // an exception, a signal, os._exit; also the host's doing when its memory ran out
)

func (o Outcome) String() string {
	return [...]string{OK: "ok", Timeout: "timeout", Memory: "memory", OutputLimit: "output", Crashed: "crashed"}[o]
}

// Result is what a run of a program gave.
type Result struct {
	Stdout, Stderr string // as printed: not necessarily UTF-8
	Outcome        Outcome
	Exit           int // the exit status, which the program chooses; -1 for none
}

// Check is the outcome of one attack on the sandbox.
type Check struct {
	Name string
	Err  error // nil: it was stopped
}

// Versions are the versions that the proof of a sandbox holds for.
type Versions struct {
	Backend    string `json:"backend"`
	Bubblewrap string `json:"bubblewrap,omitempty"` // "" where it is not the backend
	Landlock   int    `json:"landlock,omitempty"`   // the version of its interface in use; 0 where it is not the backend
	Kernel     string `json:"kernel"`
	Python     string `json:"python"`
	NetworkX   string `json:"networkx"`
}

// ErrClosed is the error of a Run after Close.
var ErrClosed = errors.New("the sandbox is closed")

// Unavailable says why no program can run safely here.
type Unavailable struct {
	Backend string // "" when it is not about one
	Step    string // what failed
	Err     error
	Remedy  string
	Next    *Unavailable // of the next backend that was tried
}

// Error tells why each backend that was tried does not hold, with a remedy for each.
func (e *Unavailable) Error() string {
	var b strings.Builder
	b.WriteString("Python programs cannot be run safely here")
	sep := ": "
	for ; e != nil; e = e.Next {
		b.WriteString(sep)
		if e.Backend != "" {
			b.WriteString(e.Backend + ": ")
		}
		fmt.Fprintf(&b, "%s: %v", e.Step, e.Err)
		if e.Remedy != "" {
			b.WriteString("\n" + e.Remedy)
		}
		sep = "\n"
	}
	return b.String()
}

func (e *Unavailable) Unwrap() []error {
	list := []error{e.Err}
	if e.Next != nil {
		list = append(list, e.Next)
	}
	return list
}
