package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/surface"
	"ein/internal/page"
)

var void = map[string]bool{"meta": true, "input": true, "br": true, "link": true, "img": true, "hr": true}

// tagName matches a tag as a browser finds one, with quoted attributes.
var tagName = regexp.MustCompile(`^</?([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z][-A-Za-z0-9:]*(?:="[^"<]*")?)*)\s*/?>`)

var attributeName = regexp.MustCompile(`\s([A-Za-z][-A-Za-z0-9:]*)(?:="[^"<]*")?`)

// drawn is what figures consist of. Its places depend on the widths of names.
var drawn = map[string]bool{"path": true, "text": true, "title": true}

// skeleton returns the tags of a page with the names of their attributes, without what
// is in figures. It fails on what is not balanced, and on a < that begins no tag.
func skeleton(t testing.TB, page string) []string {
	t.Helper()
	var list, open []string
	for i := 0; i < len(page); {
		k := strings.IndexByte(page[i:], '<')
		if k < 0 {
			break
		}
		i += k
		if strings.HasPrefix(page[i:], "<!DOCTYPE html>") {
			i += len("<!DOCTYPE html>")
			continue
		}
		m := tagName.FindStringSubmatch(page[i:])
		if m == nil {
			t.Fatalf("no tag at %.80q", page[i:])
		}
		name := m[1]
		selfClosed := strings.HasSuffix(m[0], "/>")
		if strings.HasPrefix(m[0], "</") {
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
			i += len(m[0])
			continue
		}
		var names []string
		for _, a := range attributeName.FindAllStringSubmatch(m[2], -1) {
			if slices.Contains(names, a[1]) {
				t.Errorf("%s has %s twice", m[0], a[1])
			}
			names = append(names, a[1])
		}
		if !slices.Contains(open, "svg") {
			list = append(list, name+" "+strings.Join(names, " "))
		} else if !drawn[name] {
			t.Fatalf("<%s> in a figure", name)
		}
		i += len(m[0])
		if name == "script" || name == "style" {
			end := strings.Index(strings.ToLower(page[i:]), "</"+name)
			if end < 0 {
				t.Fatalf("<%s> is not closed", name)
			}
			i += end
		}
		if !selfClosed && !void[name] {
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		t.Fatalf("not closed: %v", open)
	}
	return list
}

func htmlOf(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dataOf returns the embedded data of a page, as a browser would find it.
func dataOf(t testing.TB, page string) *embedded {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	if !ok {
		t.Fatal("the page has no data")
	}
	text, _, _ := strings.Cut(rest, "</script")
	e := new(embedded)
	if err := json.Unmarshal([]byte(text), e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPage(t *testing.T) {
	page := htmlOf(t, makeReport(t, Options{Paper: true}, madeRuns(t, 1)...))
	tags := skeleton(t, page)
	for _, want := range []string{"nav aria-label", "table class", "select id", "svg class viewBox role aria-labelledby"} {
		if !slices.Contains(tags, want) {
			t.Errorf("no <%s> on the page", want)
		}
	}
	// A page that needs no network names no address but that of the SVG namespace.
	for _, a := range regexp.MustCompile(`(?:https?:)?//[a-z][^\s"'<)]*`).FindAllString(page, -1) {
		if strings.Contains(a, ".") && a != "http://www.w3.org/2000/svg" {
			t.Errorf("the page names %s", a)
		}
	}
	if strings.Contains(page, " style=") || regexp.MustCompile(`\son[a-z]+=`).MatchString(page) {
		t.Error("the policy forbids styles and handlers in attributes")
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the id %s is there twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("a link leads to #%s, which is not there", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\$\("([a-z-]+)"\)`).FindAllStringSubmatch(pageJS, -1) {
		if !ids[m[1]] {
			t.Errorf("the script asks for #%s, which is not there", m[1])
		}
	}
}

// TestScript holds the script to putting texts in place as texts.
func TestScript(t *testing.T) {
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(", "XMLHttp", "import(", "</script"} {
		if strings.Contains(pageJS, bad) {
			t.Errorf("the script has %s", bad)
		}
	}
	if strings.Contains(style(), "url(") || strings.Contains(style(), "@import") || strings.Contains(style(), "</style") {
		t.Error("the style sheet loads something, or ends early")
	}
}

var hostile = []string{
	`</script><script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`"><svg onload=alert(1)>`,
	`<!--<script>`, `]]>`, `&lt;b&gt; &amp; &#x3c;`, `javascript:alert(1)`, "` ${1} `",
	"\u202egnp.exe\u2066", "a\u2028b\u2029c", "\x00\x07\x1b[31m", "\xff\xfe\xc3", "\ufeff\u200b",
	strings.Repeat("<", 1<<20),
	strings.Repeat("\u202e", 400_000),
}

// infect puts a text wherever a run has text from outside.
func infect(r *run.Run, text string) {
	r.Config.Model = "made:" + text
	for m := range r.Config.Prompts {
		r.Config.Prompts[m] = text
	}
	for i := range r.Rows {
		in := *r.Rows[i].Instance
		in.Question, in.EinProgram, in.PythonProgram = text, text, text
		in.Nodes = slices.Clone(in.Nodes)
		for k := range in.Nodes {
			in.Nodes[k] = text
		}
		in.Answer, _ = json.Marshal(text)
		r.Rows[i].Instance = &in
		if p := r.Rows[i].Reply; p != nil {
			p.Reply, p.Reasoning, p.Model = text, text, text
			p.Turns = []run.Turn{{Text: text, Calls: []run.ToolCall{{Tool: text, Args: text, Result: text}}}}
		}
		if s := r.Rows[i].Score; s != nil {
			s.Message, s.Program, s.Code = text, text, text
			s.Answer, _ = json.Marshal(text)
			if s.Finding != nil {
				for k := range s.Finding.Matches {
					s.Finding.Matches[k].Misreading = text
				}
			}
		}
	}
}

// TestHostile puts hostile texts everywhere and looks at the tags of the page:
// they are those of the page with harmless texts.
func TestHostile(t *testing.T) {
	opt := Options{EmbedText: 4 << 10}
	one := func(text string) string {
		r := madeRun(t, "made:small", 1, surface.NL)
		r.Rows = r.Rows[:12]
		infect(r, text)
		return htmlOf(t, makeReport(t, opt, r))
	}
	want := skeleton(t, one("harmless"))
	for _, text := range hostile {
		html := one(text)
		if got := skeleton(t, html); !slices.Equal(got, want) {
			t.Errorf("%.40q changes the tags of the page", text)
		}
		if strings.ContainsAny(html, "\u202e\u2066\u2028\u2029\u200b\ufeff\x00\x07\x1b") {
			t.Errorf("%.40q: the page has characters that turn or hide text", text)
		}
		if n := strings.Count(strings.ToLower(html), "<script"); n != 2 {
			t.Errorf("%.40q: there are %d scripts", text, n)
		}
		data := dataOf(t, html)
		if got, want := data.Replies[0].Reply, page.Visible(shorten(text, opt.EmbedText)); got != want {
			t.Errorf("%.40q: the reply is shown as %.80q, want %.80q", text, got, want)
		}
		if len(html) > 4<<20 {
			t.Errorf("%.40q: the page has %d bytes", text, len(html))
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	opt := Options{EmbedText: 1 << 10}
	whole := madeRun(f, "made:small", 1, surface.NL)
	make := func(t testing.TB, text string) string {
		r := *whole
		r.Rows = slices.Clone(whole.Rows[:4])
		infect(&r, text)
		return htmlOf(t, makeReport(t, opt, &r))
	}
	want := skeleton(f, make(f, "harmless"))
	f.Fuzz(func(t *testing.T, text string) {
		if got := skeleton(t, make(t, text)); !slices.Equal(got, want) {
			t.Errorf("%q changes the tags of the page", text)
		}
	})
}

// TestEmbedded is which replies a page has.
func TestEmbedded(t *testing.T) {
	runs := madeRuns(t, 2)
	whole, left, err := makeReport(t, Options{}, runs...).browser()
	if err != nil {
		t.Fatal(err)
	}
	if left != "" {
		t.Errorf("everything fits, and the page says %q", left)
	}
	verdicts := func(e *embedded) (order []string, of map[string][]bool) {
		of = map[string][]bool{}
		for i := range e.Replies {
			base := e.Instances[e.Replies[i].Instance].Base
			if len(of[base]) == 0 {
				order = append(order, base)
			} else if order[len(order)-1] != base {
				t.Errorf("the replies to %s do not follow each other", base)
			}
			of[base] = append(of[base], e.Replies[i].Right)
		}
		return order, of
	}
	_, all := verdicts(whole)
	count := func(order []string) (differ, wrong, right int) {
		for _, base := range order {
			switch v := all[base]; {
			case !slices.Contains(v, false):
				right++
			case !slices.Contains(v, true):
				wrong++
			default:
				differ++
			}
		}
		return differ, wrong, right
	}
	for _, limit := range []int{1, 40, 133} {
		part, left, _ := makeReport(t, Options{Embed: limit}, runs...).browser()
		if len(part.Replies) != limit {
			t.Errorf("%d replies, want %d", len(part.Replies), limit)
		}
		order, _ := verdicts(part)
		want := fmt.Sprintf("This page shows %d of %d replies, to %d of %d questions", limit, len(whole.Replies), len(order), len(all))
		if !strings.HasPrefix(left, want) {
			t.Errorf("the page says %q, want %q", left, want)
		}
	}
	// One model that is wrong nearly everywhere: what it gets right is there all the same.
	bad := madeRun(t, "made:large", 4, surface.NL)
	for i := range bad.Rows {
		if s := bad.Rows[i].Score; s != nil && i%10 > 0 {
			s.Outcome = answer.Wrong
			s.Judgements = s.Outcome.Judgements()
		}
	}
	bad.Rows = slices.DeleteFunc(bad.Rows, func(r run.Row) bool { return r.Mode != bad.Config.Modes[0] })
	whole, _, _ = makeReport(t, Options{}, bad).browser()
	_, all = verdicts(whole)
	part, _, _ := makeReport(t, Options{Embed: 30}, bad).browser()
	order, _ := verdicts(part)
	if differ, wrong, right := count(order); differ != 0 || right < 5 || wrong < 2*right-2 {
		t.Errorf("of %d questions on the page, replies to %d differ, %d are wrong, %d right", len(order), differ, wrong, right)
	}
	if part, left, _ := makeReport(t, Options{EmbedBytes: 5000}, runs...).browser(); len(part.Replies) == 0 || left == "" {
		t.Errorf("a limit of bytes leaves %d replies and says %q", len(part.Replies), left)
	}
}

func TestShorten(t *testing.T) {
	if got, want := shorten("aéb", 2), "a\n… and 3 more bytes, in the run directory"; got != want {
		t.Errorf("shorten = %q, want %q", got, want)
	}
}
