package model

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain is also the program that the tests of exec run.
func TestMain(m *testing.M) {
	if behaviour := os.Getenv("EIN_TEST_PROGRAM"); behaviour != "" {
		testProgram(behaviour)
		return
	}
	os.Exit(m.Run())
}

func testProgram(behaviour string) {
	s := bufio.NewScanner(os.Stdin)
	s.Buffer(nil, maxLine)
	if behaviour == "chatty" {
		fmt.Println("loading the model ...")
	}
	for n := 1; s.Scan(); n++ {
		if list := []struct{ User string }{}; json.Unmarshal(s.Bytes(), &list) == nil {
			replies := make([]json.RawMessage, len(list))
			for i := range list {
				if replies[i] = json.RawMessage(list[i].User); list[i].User == "few" {
					replies = replies[:i]
					break
				}
			}
			b, _ := json.Marshal(replies)
			fmt.Println(string(b))
			continue
		}
		var in struct {
			ID, User string
			Sample   int
		}
		if err := json.Unmarshal(s.Bytes(), &in); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch {
		case in.User == "die":
			fmt.Fprintln(os.Stderr, "out of memory")
			os.Exit(3)
		case in.User == "hang":
			time.Sleep(time.Hour) // a select without cases would be found to be a deadlock
		case in.User == "long":
			fmt.Println(strings.Repeat("x", maxLine+1))
		case strings.HasPrefix(in.User, "{"):
			fmt.Println(in.User)
		case in.User == "twice":
			fmt.Println(`{"reply":"one","id":"a"}` + "\n" + `{"reply":"two","id":"a"}`)
		case strings.HasPrefix(in.User, "named"):
			fmt.Printf("{\"reply\":%q,\"id\":%q}\n", in.User, in.ID)
			if in.User == "named late" {
				time.Sleep(time.Millisecond)
				fmt.Println(`{"reply":"two"}`)
			}
		case in.User == "late":
			fmt.Println(`{"reply":"one"}`)
			time.Sleep(time.Millisecond)
			fmt.Println(`{"reply":"two"}`)
		default:
			b, _ := json.Marshal(map[string]any{"reply": fmt.Sprintf("%s %s %d", in.ID, in.User, in.Sample), "usage": map[string]int{"input": n}})
			fmt.Println(string(b))
		}
		if behaviour == "once" {
			return
		}
	}
}

func testExec(t *testing.T, behaviour string, o Options) Model {
	t.Helper()
	t.Setenv("EIN_TEST_PROGRAM", behaviour)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, `exec:"`+self+`" -test.run=none`, o)
}

func TestExec(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute})
	for i := 1; i <= 3; i++ {
		got, err := m.Ask(t.Context(), &Request{ID: "a", User: "question\nof two lines", Sample: i})
		if err != nil || got.Text != fmt.Sprintf("a question\nof two lines %d", i) || got.Finish != Stop || got.Usage.Input != int64(i) {
			t.Fatalf("%d: %+v, %v", i, got, err)
		}
	}
	for _, c := range []struct {
		user    string
		class   Class
		message string
	}{
		{"die", Transport, "out of memory"},
		{"long", Protocol, "a line longer than"},
		{`{"reply":"a","finish":"done"}`, Protocol, `unknown finish "done"`},
		{`{"reply":"a","usage":{"input":-1}}`, Protocol, "a token count is negative"},
		{`{"answer":1}`, Protocol, "unknown field"},
		{`{"reply":"a"} x`, Protocol, "text follows"},
		{`{}`, Protocol, `expected either "reply" or "error"`},
		{`{"reply":"a","error":"b"}`, Protocol, `expected either "reply" or "error"`},
		{`{"error":"too long"}`, Rejected, "too long"},
		{`{"error":"busy","class":"overloaded"}`, Overloaded, "busy"},
		{`{"error":"busy","class":"lazy"}`, Protocol, `unknown class "lazy"`},
	} {
		var e *Error
		if _, err := m.Ask(t.Context(), &Request{User: c.user}); !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: %v, want %s with %q", c.user, err, c.class, c.message)
		}
		if got, err := m.Ask(t.Context(), &Request{ID: "b", User: "again"}); err != nil || got.Text != "b again 0" {
			t.Fatalf("after %s: %+v, %v", c.user, got, err)
		}
	}
	got, err := m.Ask(t.Context(), &Request{User: `{"reply":"","finish":"length","reasoning":"r","model":"m","usage":{"output":4,"reasoning":3}}`})
	if err != nil || got.Finish != Length || got.Reasoning != "r" || got.Model != "m" || got.Usage.Reasoning != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestExecAll asks many at once; one that fails is one, and a list of another length none.
func TestExecAll(t *testing.T) {
	m := testExec(t, "plain", Options{Processes: 2}).(Grouper)
	if m.Groups() != 2 {
		t.Error(m.Groups())
	}
	out, failed := m.AskAll(t.Context(), []*Request{{ID: "a", User: `{"reply":"one","id":"a"}`}, {ID: "b", User: `{"reply":"two","id":"a"}`}, {ID: "c", User: `{"error":"no"}`}})
	if failed[0] != nil || out[0].Text != "one" || failed[1] == nil || !strings.Contains(failed[1].Error(), `it answers "a", but the request was "b"`) || failed[2] == nil {
		t.Errorf("%+v, %v", out, failed)
	}
	_, failed = m.AskAll(t.Context(), []*Request{{User: `{"reply":"one"}`}, {User: "few"}})
	for _, err := range failed {
		if err == nil || !strings.Contains(err.Error(), "not a list of 2 replies") {
			t.Errorf("%v", failed)
		}
	}
	if out, failed = m.AskAll(t.Context(), []*Request{{User: `{"reply":"one"}`}}); failed[0] != nil || out[0].Text != "one" {
		t.Errorf("afterwards: %v", failed)
	}
}

// TestExecTwoLines holds that a line too many never answers the next request.
func TestExecTwoLines(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute})
	for i := range 5 {
		got, err := m.Ask(t.Context(), &Request{ID: "a", User: "twice"})
		if err != nil || got.Text != "one" {
			t.Fatalf("%+v, %v", got, err)
		}
		// Whether the second line is there before the next request or after it, the
		// request meets it.
		var e *Error
		if _, err := m.Ask(t.Context(), &Request{ID: "b", User: "q", Sample: i}); !errors.As(err, &e) || e.Class != Protocol {
			t.Fatalf("got %v", err)
		}
		if got, err = m.Ask(t.Context(), &Request{ID: "b", User: "q", Sample: i}); err != nil || got.Text != fmt.Sprintf("b q %d", i) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
}

// TestExecLateLine: so it is where no reply has an id, and the second line comes a moment later.
func TestExecLateLine(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute})
	m.(*program).stray = time.Minute // the line ends the wait
	for i := range 5 {
		got, err := m.Ask(t.Context(), &Request{ID: "a", User: "late"})
		if err != nil || got.Text != "one" {
			t.Fatalf("%+v, %v", got, err)
		}
		var e *Error
		if got, err := m.Ask(t.Context(), &Request{ID: "b", User: "q", Sample: i}); !errors.As(err, &e) || e.Class != Protocol {
			t.Fatalf("%+v, %v", got, err)
		}
	}
}

// TestExecNamed: a program that names the questions it answers is asked again at once, and a line too
// many is told apart by its name, or by having none.
func TestExecNamed(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute})
	m.(*program).stray = time.Hour // longer than a test may take
	for i := range 200 {
		if got, err := m.Ask(t.Context(), &Request{ID: fmt.Sprint(i), User: "named"}); err != nil || got.Text != "named" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	for _, next := range []string{"a", "b"} { // another sample of the same question; another question
		if got, err := m.Ask(t.Context(), &Request{ID: "a", User: "named late"}); err != nil || got.Text != "named late" {
			t.Fatalf("%+v, %v", got, err)
		}
		var e *Error
		if got, err := m.Ask(t.Context(), &Request{ID: next, User: "named", Sample: 1}); !errors.As(err, &e) || e.Class != Protocol {
			t.Fatalf("%s: %+v, %v", next, got, err)
		}
	}
}

// TestExecKeepsRunning counts the requests of a process: those one after another all
// reach the same, however many there may be.
func TestExecKeepsRunning(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute, Processes: 8})
	for i := 1; i <= 5; i++ {
		got, err := m.Ask(t.Context(), &Request{ID: "a", User: "q"})
		if err != nil || got.Usage.Input != int64(i) {
			t.Fatalf("request %d is the process's %+v, %v", i, got, err)
		}
	}
}

// TestExecOtherJSON says what a line is in the words of JSON.
func TestExecOtherJSON(t *testing.T) {
	for line, want := range map[string]string{
		`1`:             "expected a JSON object, found a number",
		`{"reply":[]}`:  `"reply" has the wrong type, a JSON array`,
		`{"replies":1}`: `unknown field "replies"`,
		`{}`:            `expected either "reply" or "error"`,
		`{"reply":"","usage":{"input":1,"cached_input":2}}`: "a token count exceeds its total",
		`{"reply":"","usage":{"output":1,"reasoning":2}}`:   "a token count exceeds its total",
	} {
		_, _, err := (&program{}).read([]byte(line), "a")
		var e *Error
		if !errors.As(err, &e) || e.Class != Protocol || !strings.Contains(e.Message, want) || strings.Contains(e.Message, "struct") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestExecClosed(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute})
	if _, err := m.Ask(t.Context(), &Request{ID: "a", User: "q"}); err != nil {
		t.Fatal(err)
	}
	if err := Close(m); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := m.Ask(t.Context(), &Request{ID: "a", User: "q"}); !errors.As(err, &e) || e.Class != Denied {
		t.Errorf("got %v", err)
	}
}

func TestExecTimeout(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: 100 * time.Millisecond})
	var e *Error
	if _, err := m.Ask(t.Context(), &Request{User: "hang"}); !errors.As(err, &e) || e.Class != Transport || !strings.Contains(e.Message, "no line within 100ms") {
		t.Errorf("got %v", err)
	}
}

// TestExecStartsAgain ends the program after each reply.
func TestExecStartsAgain(t *testing.T) {
	m := testExec(t, "once", Options{Timeout: time.Minute})
	right := 0
	for i := range 6 {
		got, err := m.Ask(t.Context(), &Request{ID: "a", User: "q", Sample: i})
		var e *Error
		switch {
		case err == nil && got.Text == fmt.Sprintf("a q %d", i):
			right++
		case !errors.As(err, &e) || e.Class != Transport:
			t.Errorf("%+v, %v", got, err)
		}
	}
	if right < 3 {
		t.Errorf("%d of 6 answered", right)
	}
}

func TestExecChatter(t *testing.T) {
	m := testExec(t, "chatty", Options{Timeout: time.Minute})
	// Its first line is the answer to nothing. When it comes too late to be told
	// apart, it is no reply.
	var e *Error
	if _, err := m.Ask(t.Context(), &Request{User: "q"}); !errors.As(err, &e) || e.Class != Protocol {
		t.Errorf("got %v", err)
	}
}

func TestExecConcurrently(t *testing.T) {
	m := testExec(t, "plain", Options{Timeout: time.Minute, Processes: 3})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			got, err := m.Ask(t.Context(), &Request{ID: "a", User: "q", Sample: i})
			if err != nil || got.Text != fmt.Sprintf("a q %d", i) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestSplit(t *testing.T) {
	for in, want := range map[string]string{
		`a b  c`:           `["a" "b" "c"]`,
		`"a b" 'c "d"' ""`: `["a b" "c \"d\"" ""]`,
		`a"b c"d`:          `["ab cd"]`,
		`C:\x\y.exe -n`:    `["C:\\x\\y.exe" "-n"]`,
	} {
		got, err := split(in)
		if s := fmt.Sprintf("%q", got); err != nil || s != want {
			t.Errorf("%s: %s, %v, want %s", in, s, err, want)
		}
	}
	for _, in := range []string{``, `  `, `"a`, `'`, `""`} {
		if got, err := split(in); err == nil {
			t.Errorf("%q: %q", in, got)
		}
	}
	if _, err := Open("exec:/no/such/program", Options{}); err == nil {
		t.Error("a command that does not exist")
	}
}
