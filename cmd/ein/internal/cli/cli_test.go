package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func TestColored(t *testing.T) {
	for _, test := range []struct {
		mode     Color
		terminal bool
		env      string // NAME=value, separated by blanks
		want     bool
	}{
		{ColorAuto, false, "", false},
		{ColorAuto, true, "", true},
		{ColorAuto, true, "TERM=dumb", false},
		{ColorAuto, true, "NO_COLOR=1", false},
		{ColorAuto, true, "NO_COLOR=", true},
		{ColorAuto, false, "FORCE_COLOR=1", true},
		{ColorAuto, false, "FORCE_COLOR=0", false},
		{ColorAuto, false, "CLICOLOR_FORCE=1 TERM=dumb", true},
		{ColorAuto, true, "NO_COLOR=1 FORCE_COLOR=1", false},
		{ColorAlways, false, "NO_COLOR=1", true},
		{ColorNever, true, "FORCE_COLOR=1", false},
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(test.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		a := &App{Color: test.mode, Terminal: test.terminal, Env: func(name string) string { return env[name] }}
		if got := a.Colored(); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func TestFlags(t *testing.T) {
	for s, want := range map[string]uint64{"1": 1, "64MiB": 64 << 20, "1.5GiB": 3 << 29, "2 KiB": 2048, "1e6": 1e6} {
		if b, err := Size.Parse(s); err != nil || b != want {
			t.Errorf("%s: %d, %v", s, b, err)
		}
	}
	for _, s := range []string{"", "0", "-1", "MiB", "64MB", "1e30", "NaN", "Inf"} {
		if _, err := Size.Parse(s); err == nil {
			t.Errorf("%q is a size", s)
		}
		if _, err := Count.Parse(s); err == nil {
			t.Errorf("%q is a number", s)
		}
	}
	if _, err := Count.Parse("2e18"); err == nil { // a machine would do fewer operations
		t.Error("2e18 is a number")
	}
	if got := Size.Text(3 << 19); got != "1536KiB" {
		t.Errorf("%s", got)
	}
	if _, err := Int(1, 9).Parse("10"); err == nil || err.Error() != "expected 1 to 9" {
		t.Error(err)
	}
	for _, s := range []string{"0", "1", "NaN", "Inf", "x"} {
		if _, err := Share.Parse(s); err == nil {
			t.Errorf("%q is a share", s)
		}
	}
}

// TestSome takes values apart, in one flag and in several.
func TestSome(t *testing.T) {
	for args, want := range map[string]string{
		"": "[a]", "--x b,a": "[b a]", "--x b --x a": "[b a]", "--x c": "expected one of a, b", "--x a,a": "a is there twice",
	} {
		list := []string{"a"}
		cmd := &cobra.Command{Run: func(*cobra.Command, []string) {}, SilenceErrors: true, SilenceUsage: true}
		Some(cmd, &list, "x", []string{"a", "b"}, "letters")
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err != nil && !strings.HasSuffix(err.Error(), want) || err == nil && fmt.Sprint(list) != want {
			t.Errorf("%s: %v, %v", args, list, err)
		}
	}
}

// TestProgress reads 100 bytes in ten seconds, after a wait of a minute that does not
// count.
func TestProgress(t *testing.T) {
	var err bytes.Buffer
	now := time.Unix(0, 0)
	p := (&App{Err: &err, Terminal: true}).Progress("reading x")
	p.start, p.last, p.now = now, now, func() time.Time { return now }
	now = now.Add(time.Minute)
	if n, e := io.Copy(io.Discard, p.Reader(&slowReader{10, &now}, 100)); n != 100 || e != nil {
		t.Fatal(n, e)
	}
	p.Done()
	if got := err.String(); !strings.HasPrefix(got, "\rreading x [##                  ]  10%, 10 bytes of 100 bytes\r") || !strings.Contains(got, "\rreading x [##########          ]  50%, 50 bytes of 100 bytes, 10 bytes/s, 5s left") || !strings.HasSuffix(got, "\r") {
		t.Errorf("%q", got)
	}
	err.Reset()
	p = (&App{Err: &err}).Progress("reading x")
	if _, e := io.Copy(io.Discard, p.Reader(&slowReader{10, &now}, 100)); e != nil || err.Len() != 0 {
		t.Error("progress without a terminal")
	}
}

// TestShare is a run that takes ten seconds for its certificate, on a narrow terminal.
func TestShare(t *testing.T) {
	var err bytes.Buffer
	now := time.Unix(0, 0)
	p := (&App{Err: &err, Terminal: true, Columns: 60}).Progress("")
	p.start, p.last, p.now = now, now, func() time.Time { now = now.Add(time.Second); return now }
	what := "T = tc(A): tc (bits)"
	for done := range uint64(11) {
		if done == 8 {
			what = strings.Repeat("é", 70)
		}
		p.Share(func() string { return what }, 100*done, 1000)
	}
	p.Done()
	lines := strings.Split(err.String(), "\r")
	if len(lines) != 13 || lines[0] != "" || lines[3] != "[######              ]  30%, at most 9s left: T = tc(A): tc" || !strings.HasSuffix(lines[9], "left: "+strings.Repeat("é", 13)) || utf8.RuneCountInString(lines[9]) != 59 || strings.TrimSpace(lines[11]) != "" || lines[12] != "" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

type slowReader struct {
	left int
	now  *time.Time
}

func (r *slowReader) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.left--
	*r.now = r.now.Add(time.Second)
	return copy(b, "0123456789"), nil
}

// TestOutput writes before and after the context ends, with a reader and without.
func TestOutput(t *testing.T) {
	why := errors.New("over")
	ctx, end := context.WithCancelCause(context.Background())
	var b bytes.Buffer
	r, unread := io.Pipe()
	defer func() { _ = r.Close() }()
	results, last := &Output{W: &b, Ctx: ctx}, &Output{W: &b, Ctx: ctx, Longer: time.Hour}
	blocked, silent := &Output{W: unread, Ctx: ctx}, &Output{W: unread, Ctx: ctx, Longer: 1}
	if _, err := results.Write([]byte("a")); err != nil {
		t.Error(err)
	}
	time.AfterFunc(time.Millisecond, func() { end(why) })
	if _, err := blocked.Write([]byte("x")); !errors.Is(err, why) || blocked.Written != 0 {
		t.Errorf("%v after %d bytes", err, blocked.Written)
	}
	if _, err := results.Write([]byte("b")); !errors.Is(err, why) || results.Written != 1 {
		t.Errorf("%v after %d bytes", err, results.Written)
	}
	if _, err := last.Write([]byte("c")); err != nil || b.String() != "ac" {
		t.Errorf("%v, %q", err, b.String())
	}
	for range 2 {
		if _, err := silent.Write([]byte("x")); !errors.Is(err, why) {
			t.Error(err)
		}
	}
}
