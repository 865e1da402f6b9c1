package main

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const pass = `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	const skip = `{"Action":"output","Package":"p","Test":"TestB","Output":"    no python3\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
`
	const fail = `{"Action":"output","Package":"p","Test":"TestC","Output":"    wrong\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
`
	for _, test := range []struct {
		name, events, list string
		ok                 bool
		want               string
	}{
		{"pass", pass, "", true, "ok  \tp\t0.1s\n"},
		{"skip", skip + pass, "", false, "skipped, and not listed: p TestB\n    no python3\n"},
		{"listed", skip + pass, "# why\np TestB # there is no python3\n", true, "ok"},
		{"another is listed", skip, "q TestB # there\n", false, "skipped"},
		{"fail", fail, "", false, "    wrong\n"},
		{"a compiler speaks", "p.go:1:1: no\n", "", false, "p.go:1:1: no\n"},
		{"no test in a package", `{"Action":"skip","Package":"p"}`, "", true, ""},
	} {
		var out strings.Builder
		ok, err := check(strings.NewReader(test.events), &out, test.list)
		if err != nil || ok != test.ok || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: %v, %v, %q", test.name, ok, err, out.String())
		}
	}
	if _, err := check(strings.NewReader(""), &strings.Builder{}, "p TestB\n"); err == nil {
		t.Error("a skip without a reason is listed")
	}
}
