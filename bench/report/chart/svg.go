package chart

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// SVG is a figure by itself, in colours for white paper.
func SVG(f *Figure) []byte { return render(f, false) }

// Inline is a figure as part of a page of HTML, coloured by the classes and
// variables of that page.
func Inline(f *Figure) []byte { return render(f, true) }

func render(f *Figure, inline bool) []byte {
	s := layout(f)
	var b bytes.Buffer
	w, h := short(s.width), short(s.height)
	id := "figure-" + f.ID
	if inline {
		fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title">`, w, h, id)
	} else {
		fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title" font-family="&quot;Liberation Sans&quot;, Arial, Helvetica, sans-serif">`, w, h, w, h, id)
	}
	fmt.Fprintf(&b, `<title id="%s-title">%s</title>`, id, escape(f.Title))
	if !inline {
		fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="%s"/>`, w, h, hex(lightColor(paper)))
	}
	for i := range s.ops {
		s.ops[i].svg(&b, inline)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (o *op) svg(b *bytes.Buffer, inline bool) {
	tag := "path"
	if o.text != "" {
		tag = "text"
	}
	b.WriteString("<" + tag)
	if o.text != "" {
		fmt.Fprintf(b, ` x="%s" y="%s" font-size="%s"`, short(o.at.x), short(o.at.y), short(o.size))
		switch o.anchor {
		case middle:
			b.WriteString(` text-anchor="middle"`)
		case end:
			b.WriteString(` text-anchor="end"`)
		}
		if o.angle != 0 {
			fmt.Fprintf(b, ` transform="rotate(%s %s %s)"`, short(o.angle), short(o.at.x), short(o.at.y))
		}
	} else {
		b.WriteString(` d="`)
		for i, p := range o.path {
			b.WriteString("ML"[min(i, 1) : min(i, 1)+1])
			b.WriteString(short(p.x) + " " + short(p.y))
		}
		if o.closed {
			b.WriteString("Z")
		}
		b.WriteString(`"`)
	}
	o.paint(b, inline)
	switch {
	case o.text != "":
		b.WriteString(">" + escape(o.text) + "</text>")
	case o.tip != "":
		b.WriteString("><title>" + escape(o.tip) + "</title></path>")
	default:
		b.WriteString("/>")
	}
}

func (o *op) paint(b *bytes.Buffer, inline bool) {
	if inline {
		var classes []string
		if o.fill != none {
			classes = append(classes, "f-"+o.fill.name())
		}
		if o.stroke != none {
			classes = append(classes, "l-"+o.stroke.name())
		}
		fmt.Fprintf(b, ` class="%s"`, strings.Join(classes, " "))
	} else {
		if o.fill != none {
			fmt.Fprintf(b, ` fill="%s"`, hex(lightColor(o.fill)))
		}
		if o.stroke != none {
			fmt.Fprintf(b, ` stroke="%s"`, hex(lightColor(o.stroke)))
		}
	}
	if o.fill == none {
		b.WriteString(` fill="none"`)
	}
	if o.stroke != none {
		fmt.Fprintf(b, ` stroke-width="%s"`, short(o.width))
		if len(o.dash) > 0 {
			var list []string
			for _, d := range o.dash {
				list = append(list, short(d))
			}
			fmt.Fprintf(b, ` stroke-dasharray="%s"`, strings.Join(list, " "))
		}
	}
}

// short is a coordinate to a hundredth of a point.
func short(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// escape makes a text safe between tags and in attributes. Characters that XML
// does not have become the replacement character.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '"':
			b.WriteString("&quot;")
		case '\'':
			b.WriteString("&#39;")
		default:
			if r < 0x20 && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
				r = 0xfffd
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
