package page

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

var hostile = []string{
	`</script><script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`"><svg onload=alert(1)>`,
	`<!--<script>`, `]]>`, `&lt;b&gt; &amp; &#x3c;`, `javascript:alert(1)`, "` ${1} `",
	"\u202egnp.exe\u2066", "a\u2028b\u2029c", "\x00\x07\x1b[31m", "\xff\xfe\xc3", "\ufeff\u200b",
	strings.Repeat("<", 1<<20),
	strings.Repeat("\u202e", 400_000),
}

// TestHostile: text from outside stays text, between tags and in an attribute, for
// a browser and for a reader of XML.
func TestHostile(t *testing.T) {
	for _, text := range hostile {
		var p Page
		p.Element(`<svg title="`, text, `">`)
		p.Element("<text>", text, "</text></svg>")
		if strings.ContainsAny(p.String(), "\u202e\u2066\u2028\u2029\u200b\ufeff\x00\x07\x1b") {
			t.Errorf("%.40q: there are characters that turn or hide text", text)
		}
		d, tags, inside := xml.NewDecoder(&p), 0, ""
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%.40q: %v", text, err)
			}
			switch x := token.(type) {
			case xml.StartElement:
				tags++
				for _, a := range x.Attr {
					if a.Name.Local != "title" || a.Value != Visible(text) {
						t.Errorf("%.40q: an attribute is %s=%.80q", text, a.Name.Local, a.Value)
					}
				}
			case xml.CharData:
				inside += string(x)
			}
		}
		if tags != 2 || inside != Visible(text) {
			t.Errorf("%.40q: %d tags around %.80q", text, tags, inside)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"a\tb\n":                "a\tb\n",
		"naïve → 日本":            "naïve → 日本",
		"\u202eabc":             "⟨U+202E⟩abc",
		"\x00":                  "⟨U+0000⟩",
		"a\xffb":                "a⟨FF⟩b",
		"x\u2028y":              "x⟨U+2028⟩y",
		"👩\u200d🔬":              "👩\u200d🔬",
		"\ufffd":                "\ufffd",
		"\r\n":                  "⟨U+000D⟩\n",
		"a\u00adb\u200b\ufeffc": "a⟨U+00AD⟩b⟨U+200B⟩⟨U+FEFF⟩c",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}
