package chart

import (
	"fmt"
	"math"
)

// dots draws Dots: rows as bands, series side by side within a row so that intervals do not hide
// each other.
func (s *scene) dots(f *Figure) {
	series := f.Panels[0].Series
	left, right := s.rowLabels(f), s.width-margin-14
	y := margin + 8
	if len(series) > 1 {
		y = s.legend(series, left, y, right, false)
	}
	step := math.Max(22, 9*float64(len(series))+7)
	top, bottom := y, y+step*float64(len(f.Rows))
	x := f.scale(f.X, Point.x, left, right)
	for i := range f.Rows {
		if i%2 == 0 {
			s.rect(left, top+step*float64(i), right-left, step, band, "")
		}
	}
	s.xAxis(f.X, x, top, bottom, true)
	for i := range f.Rows {
		mid := top + step*(float64(i)+0.5)
		s.rowName(f, i, left, mid)
		for k := range series {
			p := series[k].Points[i]
			if p.X.Missing() {
				continue
			}
			at := point{x.at(p.X.V), mid + (float64(k)-float64(len(series)-1)/2)*9}
			if p.X.hasInterval() {
				s.line(point{x.at(p.X.Low), at.y}, point{x.at(p.X.High), at.y}, seriesRole(series[k].style(k)), 1.5)
			}
			s.mark(at, series[k].style(k), 3.8, tip(f.Rows[i]+", "+series[k].Name, p.X, p.Note))
		}
	}
	s.height = bottom + 36
}

// lines draws Lines: panels in up to three columns, one on a narrow page, with the same axes in
// all, so that they can be compared.
func (s *scene) lines(f *Figure) {
	const gapX, gapY = 18.0, 34.0
	columns, panelHeight := min(3, len(f.Panels)), 164.0
	if s.width <= narrowWidth {
		columns = 1
	}
	if columns == 1 {
		panelHeight = 240
	}
	left, right := margin+44.0, s.width-margin
	y := s.legend(f.Panels[0].Series, left, margin+8, right, false) + 4
	width := (right - left - gapX*float64(columns-1)) / float64(columns)
	rows := (len(f.Panels) + columns - 1) / columns
	for i := range f.Panels {
		p := &f.Panels[i]
		px := left + float64(i%columns)*(width+gapX)
		py := y + float64(i/columns)*(panelHeight+gapY)
		if p.Title != "" {
			s.word(point{px, py + 9}, clip(p.Title, textSize, width), textSize, ink, start)
		}
		top, bottom := py+23, py+panelHeight
		xs, ys := f.scale(f.X, Point.x, px+12, px+width-12), f.scale(f.Y, Point.y, bottom, top)
		s.yAxis(f.Y, ys, px, px+width, i%columns == 0)
		s.xAxis(f.X, xs, bottom, bottom, i/columns == rows-1 || i+columns >= len(f.Panels))
		s.panel(p, xs, ys)
	}
	s.height = y + float64(rows)*(panelHeight+gapY) + 6
}

// panel draws one panel of Lines. The series are shifted a little against each other so that
// their intervals show, and all marks lie over all lines.
func (s *scene) panel(p *Panel, xs, ys scale) {
	n := float64(len(p.Series))
	spread := math.Min(5, 22/n)
	for k := range p.Series {
		var path []point
		style := p.Series[k].style(k)
		flush := func() {
			s.polyline(path, seriesRole(style), 1.4, dashes(style))
			path = nil
		}
		shift := (float64(k) - (n-1)/2) * spread
		for _, q := range p.Series[k].Points {
			if q.X.Missing() || q.Y.Missing() {
				flush() // a gap, not a line across it
				continue
			}
			path = append(path, point{xs.at(q.X.V) + shift, ys.at(q.Y.V)})
		}
		flush()
	}
	for k := range p.Series {
		shift, style := (float64(k)-(n-1)/2)*spread, p.Series[k].style(k)
		for _, q := range p.Series[k].Points {
			if q.X.Missing() || q.Y.Missing() {
				continue
			}
			at := point{xs.at(q.X.V) + shift, ys.at(q.Y.V)}
			if q.Y.hasInterval() {
				s.line(point{at.x, ys.at(q.Y.Low)}, point{at.x, ys.at(q.Y.High)}, seriesRole(style), 0.9)
			}
			s.mark(at, style, 3.2, tip(p.Series[k].Name, q.Y, q.Note))
		}
	}
}

// plane draws Plane: the front as steps, then points whose names are put where they cover
// nothing, or below where there is no such place.
func (s *scene) plane(f *Figure) {
	series := f.Panels[0].Series
	left, right, top, bottom := margin+44.0, s.width-margin-8, margin+4.0, 400.0
	xs, ys := f.scale(f.X, Point.x, left+8, right-8), f.scale(f.Y, Point.y, bottom, top)
	s.yAxis(f.Y, ys, left, right, true)
	s.xAxis(f.X, xs, top, bottom, true)
	s.height = bottom + 36

	var stair []point
	for i, p := range f.Front {
		at := point{xs.at(p.X.V), ys.at(p.Y.V)}
		if i > 0 {
			stair = append(stair, point{at.x, stair[len(stair)-1].y})
		}
		stair = append(stair, at)
	}
	if len(stair) > 0 {
		stair = append(stair, point{right, stair[len(stair)-1].y})
		s.polyline(stair, soft, 1.1, "3 3")
	}
	// What no name may cover: the front, and later the intervals, the marks and the other names.
	var taken []box
	for i := 1; i < len(stair); i++ {
		a, b := stair[i-1], stair[i]
		taken = append(taken, box{math.Min(a.x, b.x) - 1, math.Min(a.y, b.y) - 1, math.Max(a.x, b.x) + 1, math.Max(a.y, b.y) + 1})
	}
	type drawn struct {
		at   point
		k    int
		name string
	}
	var marks []drawn
	for k := range series {
		for _, p := range series[k].Points {
			if p.X.Missing() || p.Y.Missing() {
				continue
			}
			at := point{xs.at(p.X.V), ys.at(p.Y.V)}
			if p.X.hasInterval() {
				a, b := xs.at(p.X.Low), xs.at(p.X.High)
				s.line(point{a, at.y}, point{b, at.y}, seriesRole(k), 1)
				taken = append(taken, box{a, at.y - 1, b, at.y + 1})
			}
			if p.Y.hasInterval() {
				a, b := ys.at(p.Y.High), ys.at(p.Y.Low)
				s.line(point{at.x, a}, point{at.x, b}, seriesRole(k), 1)
				taken = append(taken, box{at.x - 1, a, at.x + 1, b})
			}
			taken = append(taken, box{at.x - 6, at.y - 6, at.x + 6, at.y + 6})
			marks = append(marks, drawn{at, k, clip(series[k].Name, smallSize, longestName)})
			s.mark(at, k, 4.6, tip(series[k].Name, p.Y, number(p.X.V)+" "+f.X.Label, p.Note))
		}
	}
	frame := box{left, top, right, bottom}
	var places []point
	crowded := false
	for _, m := range marks {
		at, place, covered := place(m.at, m.name, frame, taken)
		taken, places = append(taken, at), append(places, place)
		crowded = crowded || covered > readable
	}
	if crowded {
		s.height = s.legend(series, left, s.height+8, right, false)
		return
	}
	for i, m := range marks {
		s.word(places[i], m.name, smallSize, ink, start)
	}
}

// readable is how much of a name may lie on others, as where a few lines cross it.
const readable = 60.0

// longestName is the greatest width of a name inside a figure.
const longestName = 190.0

// box is a rectangle.
type box struct{ x0, y0, x1, y1 float64 }

// overlap is the area that two boxes share.
func (a box) overlap(b box) float64 {
	w, h := math.Min(a.x1, b.x1)-math.Max(a.x0, b.x0), math.Min(a.y1, b.y1)-math.Max(a.y0, b.y0)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h
}

// place finds room for a label near a mark: the first position of a ring that covers nothing, or
// the one that covers least; and how much it covers.
func place(at point, text string, frame box, taken []box) (box, point, float64) {
	w, h := textWidth(text, smallSize), smallSize
	best, least := box{}, math.Inf(1)
	for _, d := range []float64{8, 14, 22, 32, 44} {
		for _, p := range []point{
			{d, -h / 2}, {-d - w, -h / 2}, {-w / 2, -d - h}, {-w / 2, d}, {d * 0.7, -d*0.7 - h}, {d * 0.7, d * 0.7},
			{-d*0.7 - w, -d*0.7 - h}, {-d*0.7 - w, d * 0.7},
		} {
			b := box{at.x + p.x, at.y + p.y, at.x + p.x + w, at.y + p.y + h}
			cost := d / 100
			for _, t := range taken {
				cost += t.overlap(b)
			}
			if b.x0 < frame.x0+2 || b.x1 > frame.x1-2 || b.y0 < frame.y0 || b.y1 > frame.y1 {
				cost += 1e6
			}
			if cost < least {
				best, least = b, cost
			}
		}
	}
	return best, point{best.x0, best.y1 - h*0.22}, least
}

// stack draws Stack. A number is written on its part if it fits; that of a row with one part may
// stand beside it.
func (s *scene) stack(f *Figure) {
	const step, bar = 24.0, 15.0
	series := f.Panels[0].Series
	left, right := s.rowLabels(f), s.width-margin-14
	y := s.legend(series, left, margin+8, right, true)
	top, bottom := y, y+step*float64(len(f.Rows))
	x := f.scale(f.X, Point.x, left, right)
	s.xAxis(f.X, x, top, bottom, true)
	for i := range f.Rows {
		mid := top + step*(float64(i)+0.5)
		s.rowName(f, i, left, mid)
		sum, parts, beside := 0.0, 0, ""
		for k := range series {
			p := series[k].Points[i]
			if p.X.Missing() {
				continue
			}
			k, name := series[k].style(k), series[k].Name
			a, b := x.at(sum), x.at(sum+p.X.V)
			sum += p.X.V
			parts++
			text := fmt.Sprintf("%.3g", p.X.V)
			if p.X.V >= 1000 {
				text = thousands(p.X.V)
			}
			if beside = text; p.X.V == 0 {
				continue
			}
			s.rect(a, mid-bar/2, b-a, bar, seriesRole(k), tip(f.Rows[i]+", "+name, p.X, p.Note))
			s.line(point{b, mid - bar/2}, point{b, mid + bar/2}, paper, 0.8)
			if b-a > textWidth(text, 8.5)+8 {
				s.word(point{(a + b) / 2, mid + 3}, text, 8.5, onSeries(k), middle)
				beside = ""
			}
		}
		if parts == 0 {
			s.word(point{left + 4, mid + 3}, "no data", smallSize, soft, start)
		} else if at := x.at(sum) + 4; parts == 1 && at+textWidth(beside, 8.5) < s.width {
			s.word(point{at, mid + 3}, beside, 8.5, ink, start)
		}
	}
	s.height = bottom + 36
}

// heat draws Heat, with a key below that shows the shades from low to high.
func (s *scene) heat(f *Figure) {
	const step, riseAngle = 19.0, 40.0
	series := f.Panels[0].Series
	left := s.rowLabels(f)
	n := float64(len(series))
	names := 0.0
	for _, c := range series {
		names = math.Max(names, textWidth(c.Name, smallSize))
	}
	names = math.Min(names, longestName)
	// The names of columns are level when they fit, else they rise, and the last one
	// leans out over the right side.
	width, top := math.Min(78, (s.width-margin-left-40)/n), margin+16
	rise := names > width-6
	if rise {
		width = math.Min(78, (s.width-margin-left-names*math.Cos(riseAngle*math.Pi/180))/(n-0.5))
		top = margin + names*math.Sin(riseAngle*math.Pi/180) + 12
	}
	for k, c := range series {
		mid := left + width*(float64(k)+0.5)
		if rise {
			s.turned(point{mid - 2, top - 6}, clip(c.Name, smallSize, longestName), smallSize, ink, start, -riseAngle)
		} else {
			s.word(point{mid, top - 6}, c.Name, smallSize, ink, middle)
		}
	}
	low, high := f.extent(f.X, Point.x)
	for i := range f.Rows {
		mid := top + step*(float64(i)+0.5)
		s.rowName(f, i, left, mid)
		for k, c := range series {
			x, p := left+width*float64(k), c.Points[i]
			if p.X.Missing() {
				s.word(point{x + width/2, mid + 3}, "–", smallSize, soft, middle)
				continue
			}
			fill, text := shade((p.X.V - low) / (high - low))
			s.rect(x+0.6, mid-step/2+0.6, width-1.2, step-1.2, fill, tip(f.Rows[i]+", "+c.Name, p.X, p.Note))
			if width > textWidth("100", smallSize)+4 {
				s.word(point{x + width/2, mid + 3.2}, fmt.Sprintf("%.0f", p.X.V), smallSize, text, middle)
			}
		}
	}
	bottom := top + step*float64(len(f.Rows))
	// The key below: from low to high.
	const key = 180.0
	for i := range shades {
		fill, _ := shade((float64(i) + 0.5) / shades)
		s.rect(left+key/shades*float64(i), bottom+10, key/shades+0.3, 9, fill, "")
	}
	s.word(point{left, bottom + 31}, plain(low), smallSize, soft, start)
	s.word(point{left + key, bottom + 31}, plain(high), smallSize, soft, end)
	s.word(point{left + key + 10, bottom + 18}, f.X.Label, smallSize, ink, start)
	s.height = bottom + 38
}
