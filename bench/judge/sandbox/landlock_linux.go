//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed" // the Python half
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

//go:embed landlock.py
var confine string

// landlock starts interpreters that confine themselves, by Landlock, the filter of system calls and
// resource limits, before they get a program.
//
// The interpreter does this, rather than a process that then becomes one, since it can first load
// what it needs. Starting a process of our own under the limit of memory sometimes fails: a Go
// program reserves more than it uses.
type landlock struct {
	args    []string
	read    []string // what a program may read
	filter  []byte
	abi     int // the newest version to use
	version int
	spawner
}

// newLandlock asks the kernel for Landlock and prepares what all interpreters get. Whether the
// sandbox holds is for the probes to say.
func newLandlock(_ context.Context, files *layout) (*landlock, error) {
	// With no flag but this one, the call says which version there is.
	const askVersion = 1
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion)
	if errno != 0 {
		return nil, &Unavailable{Backend: Landlock, Step: "asking the kernel for Landlock", Err: errno,
			Remedy: "Landlock is part of Linux from 5.13 on, when it is built in and named in the kernel's parameter lsm=."}
	}
	l := &landlock{args: files.python(driver + "\n" + confine + "\nmain(*arguments, confine=prepare())\n"),
		filter: filter(), abi: newestABI, version: int(version), spawner: newSpawner()}
	for _, p := range files.binds {
		l.read = append(l.read, p.from)
	}
	return l, nil
}

// newestABI is the newest version of Landlock known here. A later one is used as if it were this
// one.
const newestABI = 6

func (l *landlock) name() string { return Landlock }

func (l *landlock) versions(v *Versions) { v.Landlock = min(l.version, l.abi) }

func (l *landlock) apart() bool { return false }

// start starts an interpreter, which confines itself to what the preset says.
func (l *landlock) start(ctx context.Context, limits Policy) (*guest, error) {
	preset, err := json.Marshal(struct {
		Read   []string `json:"read"`
		Filter string   `json:"filter"`
		ABI    int      `json:"abi"`
		Capset int      `json:"capset"`
	}{l.read, hex.EncodeToString(l.filter), l.abi, unix.SYS_CAPSET})
	if err != nil {
		return nil, failed(ctx, Landlock, "saying what may be read", err, "")
	}
	cmd := exec.Command(l.args[0], append(l.args[1:len(l.args):len(l.args)], arguments(limits)...)...)
	cmd.Env = environment
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	return l.launch(ctx, l.name(), cmd, false, preset, limits)
}
