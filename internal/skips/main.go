// Command skips reads the output of go test -json and prints it as go test does,
// including the output of failed tests. It fails if a test failed, or if a test was
// skipped that the list does not name: a test that never runs shows nothing.
//
//	go test -json ./... | go run ./internal/skips testdata/skips.txt
//
// A line of the list is the package, the test and, after a #, the reason.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

func main() {
	list, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(2)
	}
	ok, err := check(os.Stdin, os.Stdout, string(list))
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// check copies what matters of the events in r to w. It reports whether every
// test passed or is listed as skipped.
func check(r io.Reader, w io.Writer, list string) (ok bool, err error) {
	allowed := map[string]bool{}
	for line := range strings.Lines(list) {
		test, reason, found := strings.Cut(strings.TrimSpace(line), "#")
		fields := strings.Fields(test)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 || !found || strings.TrimSpace(reason) == "" {
			return false, fmt.Errorf("%q: expected PACKAGE TEST # reason", strings.TrimSpace(line))
		}
		allowed[fields[0]+" "+fields[1]] = true
	}
	ok = true
	said := map[string][]string{} // output by package and test
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil { // what a compiler says
				_, _ = w.Write(line)
				ok = false
				continue
			}
			name := e.Package + " " + e.Test
			switch e.Action {
			case "output", "build-output":
				if e.Test == "" {
					_, _ = io.WriteString(w, e.Output)
				} else {
					said[name] = append(said[name], e.Output)
				}
			case "fail", "build-fail":
				ok = false
				_, _ = io.WriteString(w, strings.Join(said[name], ""))
			case "skip":
				if e.Test != "" && !allowed[name] {
					ok = false
					_, _ = fmt.Fprintf(w, "skipped, and not listed: %s\n%s", name, strings.Join(said[name], ""))
				}
			}
			if e.Action != "output" {
				delete(said, name)
			}
		}
		if err == io.EOF {
			return ok, nil
		}
		if err != nil {
			return false, err
		}
	}
}
