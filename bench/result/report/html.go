package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"ein/bench/ask/run"
	"ein/internal/chart"
	"ein/internal/page"
	"ein/internal/table"
	"ein/internal/words"
)

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

// style returns the style sheet: the colours of both themes and of the figures, and the page's own
// rules.
func style() string {
	dark := "color-scheme:dark;--panel:#1d2126;--edge:#3a4048;--link:#7ab8f5;--good:#4fd1a1;--bad:#ff9a6b;--shade:#fff3;" + chart.Variables(true)
	light := chart.Variables(false)
	return ":root{" + light + "}\n" + chart.Classes() + "\n" + pageCSS +
		"@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){" + dark + "}}\n" +
		"@media screen{:root[data-theme=dark]{" + dark + "}}\n"
}

// policy allows the page its own script and style and nothing else: no other script, no request, no
// form.
func policy(css, js string) string {
	hash := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(css) + "; script-src " + hash(js) + "; base-uri 'none'; form-action 'none'"
}

// HTML writes the report as one page that loads nothing.
func (r *Report) HTML(w io.Writer) error {
	data, left, err := r.browser()
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(data) // which escapes <, >, & and the line separators of JavaScript
	if err != nil {
		return err
	}
	p := &page.Page{}
	css := style()
	p.Tag("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.Element(`<meta http-equiv="Content-Security-Policy" content="`, policy(css, pageJS), "\">\n")
	p.Tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>" + r.title() + "</title>\n")
	p.Tag("<style>" + css + "</style>\n</head>\n<body>\n")
	p.Tag("<header><h1>" + r.title() + "</h1><button id=\"theme\" type=\"button\" hidden>Theme</button></header>\n")
	r.navigation(p, len(data.Replies) > 0)
	p.Tag("<main>\n")
	if r.Options.Live != nil {
		r.section(p, r.Options.Live)
	}
	r.summary(p)
	for i := range r.Sections {
		r.section(p, &r.Sections[i])
	}
	if len(data.Replies) > 0 {
		replies(p, left)
		p.Tag("<script type=\"application/json\" id=\"data\">")
		p.Write(encoded)
		p.Tag("</script>\n")
	}
	p.Tag("</main>\n<footer>Made by ein bench report. Intervals are 95 %: Wilson for shares, at the effective number of answers where they are clustered; a jackknife over structures for tokens.</footer>\n")
	p.Tag("<script>" + pageJS + "</script>\n</body>\n</html>\n")
	_, err = w.Write(p.Bytes())
	return err
}

func (r *Report) title() string {
	if r.Options.Only == Comparison {
		return "ClosureBench leaderboard"
	}
	return "ClosureBench report"
}

// navigation writes the links to the sections; browser says that there are replies to browse.
func (r *Report) navigation(p *page.Page, browser bool) {
	p.Tag("<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#runs\">Runs</a></li>\n")
	for i := range r.Sections {
		s := &r.Sections[i]
		p.Tag("<li><a href=\"#" + s.ID + "\">")
		p.Element("", s.Short, "</a></li>\n")
	}
	if browser {
		p.Tag("<li><a href=\"#replies\">Replies</a></li>\n")
	}
	p.Tag("</ul></nav>\n")
}

// summary writes what to know before the tables: the notes, and the runs with their settings.
func (r *Report) summary(p *page.Page) {
	p.Tag("<section id=\"runs\"><h2>Runs</h2>\n")
	p.Element("<p>", "Accuracy is "+r.Options.Scoring()+" unless a table says otherwise.", "</p>\n")
	if len(r.Notes) > 0 {
		p.Tag("<div class=\"notes\" role=\"note\"><strong>Before comparing</strong><ul>\n")
		for _, n := range r.Notes {
			p.Element("<li>", n, "</li>\n")
		}
		p.Tag("</ul></div>\n")
	}
	if len(r.Runs) > 0 {
		rows := [][]string{{"run", "model", "modes", "encodings", "samples", "instances", "replies"}}
		for _, x := range r.Runs {
			c := &x.Config
			rows = append(rows, []string{filepath.Base(x.Dir), brief(c.Model), words.Joined(c.Modes), words.Joined(c.Encodings), strconv.Itoa(max(1, c.Samples)),
				fmt.Sprintf("%d of %s", c.Instances.Count, c.Instances.File), fmt.Sprintf("%d of %d", x.Replies(), len(x.Rows))})
		}
		t := table.Of(rows)
		t.Title = "Runs"
		for i := range t.Columns {
			t.Columns[i].Words = true
		}
		t.HTML(p)
		for _, x := range r.Runs {
			configuration(p, x)
		}
	}
	p.Tag("</section>\n")
}

// maxPrompt is the number of bytes shown of a prompt.
const maxPrompt = 64 << 10

// configuration writes everything that a run depends on, folded.
func configuration(p *page.Page, x *run.Run) {
	p.Element("<details class=\"config\"><summary>Configuration of ", brief(filepath.Base(x.Dir)+" ("+x.Config.Model+")"), "</summary><dl>\n")
	entry := func(k, v string) {
		if v != "" {
			p.Element("<dt>", k, "</dt>")
			p.Element("<dd>", v, "</dd>\n")
		}
	}
	c := &x.Config
	entry("ein", c.Ein)
	entry("base URL", c.BaseURL)
	entry("instances", fmt.Sprintf("%s, SHA-256 %s", c.Instances.File, c.Instances.SHA256))
	entry("categories", strings.Join(c.Instances.Categories, ", "))
	if b, err := json.Marshal(c.Params); err == nil && string(b) != "{}" {
		entry("parameters", string(b))
	}
	if c.Price != nil {
		entry("price per million tokens", fmt.Sprintf("$%g input, $%g output", c.Price.Input, c.Price.Output))
	}
	for _, m := range c.Modes {
		if s := c.Prompts[m]; s != "" {
			p.Element("<dt>", "prompt, "+string(m), "</dt><dd>")
			p.Element("<pre class=\"wrap\" tabindex=\"0\">", shorten(s, maxPrompt), "</pre></dd>\n")
		}
	}
	p.Tag("</dl></details>\n")
}

// section writes the figures and tables of a section. Each figure is there twice, for wide and
// for narrow screens; the style sheet shows one.
func (r *Report) section(p *page.Page, s *Section) {
	p.Tag("<section id=\"" + s.ID + "\">")
	p.Element("<h2>", s.Title, "</h2>\n")
	if s.Text != "" {
		p.Element("<p>", s.Text, "</p>\n")
	}
	for _, f := range s.Figures {
		p.Element("<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", "Figure: "+f.Title, "\">")
		p.Write(chart.Inline(f))
		p.Write(chart.Narrow(f))
		p.Element("</div><figcaption>", f.Caption, "</figcaption></figure>\n")
	}
	for _, t := range s.Tables {
		p.Element("<h3 id=\"table-"+t.ID+"\">", t.Title, "</h3>\n")
		p.Element("<p class=\"caption\">", t.Caption, "</p>\n")
		t.shown().HTML(p)
	}
	p.Tag("</section>\n")
}

// replies writes the browser of replies, which the script fills.
func replies(p *page.Page, left string) {
	p.Tag("<section id=\"replies\"><h2>Replies</h2>\n")
	if left != "" {
		p.Element("<p class=\"notes\">", left, "</p>\n")
	}
	p.Tag("<noscript><p>The browser of replies needs JavaScript.</p></noscript>\n<div id=\"browser\" hidden><div class=\"filters\" role=\"search\">\n")
	p.Tag("<label>Search<input id=\"f-text\" type=\"search\" autocomplete=\"off\" placeholder=\"words in question, reply, id\"></label>\n")
	for _, f := range []struct{ id, shown, first string }{{"arm", "A: model, mode", "all"}, {"versus", "B, beside A", "none"}, {"pair", "A and B", "any"},
		{"mode", "Mode", "all"}, {"level", "Level", "all"}, {"category", "Category", "all"}, {"outcome", "Outcome", "all"}, {"sort", "Order", "by question"}} {
		p.Tag("<label>" + f.shown + "<select id=\"f-" + f.id + "\"><option value=\"\">" + f.first + "</option></select></label>\n")
	}
	p.Tag("</div>\n<p id=\"count\" class=\"soft\" role=\"status\" aria-live=\"polite\"></p>\n<div id=\"list\"></div>\n<p class=\"more\"><button id=\"more\" type=\"button\" hidden>Show more</button></p>\n</div></section>\n")
}
