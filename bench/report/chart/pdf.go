package chart

import (
	"bytes"
	"io"
	"math"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// made is the time of making that the library writes into a file.
var made = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}`)

// PDF writes a figure with its font embedded, in colours for white paper. The
// bytes depend on the figure alone: the time of making is 2000-01-01.
func PDF(w io.Writer, f *Figure) error {
	s := layout(f)
	c := vgpdf.New(vg.Points(s.width), vg.Points(s.height))
	for i := range s.ops {
		s.ops[i].pdf(c, s.height)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	data := made.ReplaceAllFunc(b.Bytes(), func(old []byte) []byte {
		return append(old[:len(old)-14:len(old)-14], "20000101000000"...)
	})
	_, err := w.Write(data)
	return err
}

func (o *op) pdf(c vg.Canvas, height float64) {
	c.Push()
	defer c.Pop()
	if o.text != "" {
		o.pdfText(c, height)
		return
	}
	var path vg.Path
	for i, p := range o.path {
		at := vg.Point{X: vg.Points(p.x), Y: vg.Points(height - p.y)}
		if i == 0 {
			path.Move(at)
		} else {
			path.Line(at)
		}
	}
	if o.closed {
		path.Close()
	}
	if o.fill != none {
		c.SetColor(lightColor(o.fill))
		c.Fill(path)
	}
	if o.stroke != none {
		c.SetColor(lightColor(o.stroke))
		c.SetLineWidth(vg.Points(o.width))
		var dash []vg.Length
		for _, d := range o.dash {
			dash = append(dash, vg.Points(d))
		}
		c.SetLineDash(dash, 0)
		c.Stroke(path)
	}
}

func (o *op) pdfText(c vg.Canvas, height float64) {
	f := face()
	f.Font.Size = vg.Points(o.size)
	shift := 0.0
	switch width := f.Width(o.text).Points(); o.anchor {
	case middle:
		shift = width / 2
	case end:
		shift = width
	}
	c.SetColor(lightColor(o.fill))
	c.Translate(vg.Point{X: vg.Points(o.at.x), Y: vg.Points(height - o.at.y)})
	if o.angle != 0 {
		c.Rotate(-o.angle * math.Pi / 180)
	}
	c.FillString(f, vg.Point{X: vg.Points(-shift)}, encode(o.text))
}

// windows1252 is where the encoding of the embedded font differs from Latin-1.
var windows1252 = map[rune]byte{'–': 0x96, '−': 0x96, '—': 0x97, '‘': 0x91, '’': 0x92, '“': 0x93, '”': 0x94, '…': 0x85, '•': 0x95, '€': 0x80}

// encode writes a text in the encoding of the embedded font; what that does not
// have is a question mark.
func encode(s string) string {
	var out []byte
	for _, r := range s {
		b, ok := windows1252[r]
		switch {
		case ok:
			out = append(out, b)
		case r >= 0x20 && r < 0x7f, r >= 0xa0 && r <= 0xff:
			out = append(out, byte(r))
		default:
			out = append(out, '?')
		}
	}
	return string(out)
}
