package repl

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"ein/internal/chart"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm/tensor"
)

// plot draws a value: here, or in a file when the argument ends in one.
func (s *Session) plot(ctx context.Context, arg string) Reply {
	expression, file := arg, ""
	if words := fields(arg); len(words) > 1 && strings.HasSuffix(strings.ToLower(words[len(words)-1]), ".svg") {
		file = words[len(words)-1]
		expression = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(arg), `"`), file))
		expression = strings.TrimSpace(strings.TrimSuffix(expression, `"`))
	}
	out, labels, fail := s.compute(ctx, expression)
	if fail != nil {
		return *fail
	}
	v := out.Value
	switch rank := v.Shape.Rank(); {
	case rank == 0 || rank > 2:
		return failure("`:plot` draws vectors and matrices, and `%s` is a %s", words.Shorten(expression, 40), typeWords(v.Type))
	case v.Shape.Elems() == 0:
		return failure("`%s` is empty", words.Shorten(expression, 40))
	case 8*v.Shape.Elems() > s.cfg.Limits.MaxBytes:
		r := failure("to draw `%s` takes %s of memory, the limit is %s; the flag `--max-memory` of the session sets it",
			words.Shorten(expression, 40), words.Bytes(8*v.Shape.Elems()), words.Bytes(s.cfg.Limits.MaxBytes))
		r.Limit = true
		return r
	}
	g := newGrid(v)
	g.name = words.Shorten(expression, 60)
	if n := len(labels); n == g.cols && (g.vector || n == g.rows) && !s.cfg.Numbers {
		g.labels = labels
	}
	if file == "" {
		if v.Shape.Rank() == 1 {
			return Reply{Out: g.bars(cmp.Or(s.width(), 80))}
		}
		return Reply{Out: g.blocks(cmp.Or(s.width(), 80))}
	}
	if s.cfg.Files == nil {
		return failure("this session has no access to files")
	}
	picture, what := g.svg()
	if err := s.cfg.Files.Write(file, picture); err != nil {
		return fileFailure(file, "written", err)
	}
	return Reply{Note: fmt.Sprintf("%s written to %s\n", what, file)}
}

// The sizes of pictures in files.
const (
	maxDrawnNodes = 60  // a larger 0/1 square matrix is drawn as a matrix, not as a graph
	maxCells      = 400 // a matrix of more rows or columns is drawn in blocks
)

// svg is the picture of a value in a file, and what it shows.
func (g *grid) svg() (picture []byte, what string) {
	if g.square && g.rows <= maxDrawnNodes {
		names := g.labels
		for i := len(names); i < g.rows; i++ {
			names = append(names, fmt.Sprint(i))
		}
		edge := func(from, to int) bool { return g.at[from*g.cols+to] != 0 }
		return chart.Graph(g.heading(), names, edge), fmt.Sprintf("the graph of %s", words.Plural(g.rows, "node"))
	}
	step := max(1, (max(g.rows, g.cols)+maxCells-1)/maxCells)
	note := fmt.Sprintf("least %s, greatest %s", show.Number(g.low), show.Number(g.high))
	what = "the heat map of " + g.heading()
	names := g.labels
	if step > 1 {
		blocks := fmt.Sprintf("; each square is %dx%d elements and shows the greatest in magnitude", step, step)
		note, what = note+blocks, what+blocks
	}
	if step > 1 || g.cols > maxDrawnNodes {
		names = nil
	}
	return chart.Matrix(g.heading(), note, g.scaled(step), names), what
}

// scaled is the elements in blocks: of each, the one of the greatest magnitude.
func (g *grid) scaled(step int) [][]float64 {
	list := make([][]float64, (g.rows+step-1)/step)
	for r := range list {
		list[r] = make([]float64, (g.cols+step-1)/step)
	}
	for r := range g.rows {
		for c := range g.cols {
			cell := &list[r/step][c/step]
			if x := g.at[r*g.cols+c]; math.Abs(x) > math.Abs(*cell) {
				*cell = x
			}
		}
	}
	return list
}

// grid is a vector or a matrix to draw; a vector is one row.
type grid struct {
	name       string
	rows, cols int
	square     bool // a 0/1 matrix of nodes by nodes
	vector     bool
	binary     bool
	at         []float64
	low, high  float64
	labels     []string
}

func newGrid(v *tensor.Value) *grid {
	g := &grid{rows: 1, cols: v.Shape.Dim(0), vector: v.Shape.Rank() == 1, at: v.ToDense()}
	if !g.vector {
		g.rows, g.cols = g.cols, v.Shape.Dim(1)
	}
	g.low, g.high = math.Inf(1), math.Inf(-1)
	for _, x := range g.at {
		g.low, g.high = min(g.low, x), max(g.high, x)
	}
	g.binary = g.low >= 0 && g.high <= 1 && v.Kind == tensor.Bool
	g.square = g.binary && !g.vector && g.rows == g.cols
	return g
}

func (g *grid) heading() string {
	size := fmt.Sprintf("%d", g.cols)
	if !g.vector {
		size = fmt.Sprintf("%dx%d", g.rows, g.cols)
	}
	name, _ := diag.Display(g.name)
	return name + ", " + size
}

// shades are the levels of a number between the least and the greatest.
var shades = []rune(" ░▒▓█")

// maxHeight is the number of lines of a picture.
const maxHeight = 40

// blocks draws a matrix. A 0/1 matrix has two rows in a line; any other has one,
// and two characters for each element, so that elements are about square. Where
// there is no room, a character stands for a block of elements, for the greatest
// in magnitude of them.
func (g *grid) blocks(columns int) string {
	across, down := 2, 1 // characters per element, elements per line
	if g.binary {
		across, down = 1, 2
	}
	room := max(1, (columns-2)/across)
	stepX := (g.cols + room - 1) / room
	stepY := (g.rows + maxHeight*down - 1) / (maxHeight * down)
	step := max(stepX, stepY, 1)
	cells := g.scaled(step)
	w, h := len(cells[0]), len(cells)
	var b strings.Builder
	b.WriteString(g.heading() + "\n")
	b.WriteString("┌" + strings.Repeat("─", w*across) + "┐\n")
	for r := 0; r < h; r += down {
		b.WriteString("│")
		for c := range w {
			if !g.binary {
				shade := string(g.shade(cells[r][c]))
				b.WriteString(shade + shade)
				continue
			}
			upper, lower := cells[r][c] != 0, r+1 < h && cells[r+1][c] != 0
			b.WriteRune([]rune(" ▄▀█")[2*bit(upper)+bit(lower)])
		}
		b.WriteString("│\n")
	}
	b.WriteString("└" + strings.Repeat("─", w*across) + "┘\n")
	if g.binary {
		b.WriteString("  █ 1   blank 0   two rows to a line\n")
	} else {
		b.WriteString("  " + g.legend() + "\n")
	}
	if step > 1 {
		what := "the element of the greatest magnitude in them"
		if g.binary {
			what = "1 where any of them is 1"
		}
		fmt.Fprintf(&b, "  scaled down: each cell stands for %dx%d elements and shows %s\n", step, step, what)
	}
	return b.String()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// level is where a number stands between the least and the greatest, of n levels.
func (g *grid) level(x float64, n int) int {
	if g.high == g.low {
		return n - 1
	}
	// The difference of the ends can be past the largest float.
	return min(n-1, int((x/2-g.low/2)/(g.high/2-g.low/2)*float64(n)))
}

func (g *grid) shade(x float64) rune { return shades[g.level(x, len(shades))] }

func (g *grid) legend() string {
	if g.high == g.low {
		return "█ " + show.Number(g.low) + " everywhere"
	}
	return "blank " + show.Number(g.low) + " ░▒▓ █ " + show.Number(g.high)
}

// maxBars is the number of elements of a vector that get a line of their own.
const maxBars = 40

// eighths are the parts of a character that bars end with.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// bars draws a vector, one line for each element or block of elements. Bars begin
// at 0; those of negative numbers are drawn in another pattern.
func (g *grid) bars(columns int) string {
	step := (g.cols + maxBars - 1) / maxBars
	type bar struct {
		name, number string
		x            float64
	}
	var list []bar
	names, numbers := 0, 0
	for from := 0; from < g.cols; from += step {
		to := min(from+step, g.cols)
		x := g.at[from]
		for _, y := range g.at[from:to] {
			if math.Abs(y) > math.Abs(x) {
				x = y
			}
		}
		name := fmt.Sprint(from)
		if to-from > 1 {
			name = fmt.Sprintf("%d-%d", from, to-1)
		} else if g.labels != nil {
			name, _ = diag.Display(g.labels[from])
			name = words.Shorten(name, 20)
		}
		list = append(list, bar{name, show.Number(x), x})
		_, width := diag.Display(name)
		names, numbers = max(names, width), max(numbers, len(show.Number(x)))
	}
	room := max(4, columns-names-numbers-5)
	most := max(math.Abs(g.low), math.Abs(g.high))
	var b strings.Builder
	b.WriteString(g.heading() + "\n")
	for _, l := range list {
		_, width := diag.Display(l.name)
		drawn := ""
		if most > 0 {
			eighth := int(math.Round(math.Abs(l.x) / most * float64(room) * 8))
			if l.x < 0 {
				drawn = strings.Repeat("▒", (eighth+7)/8)
			} else if drawn = strings.Repeat("█", eighth/8); eighth%8 > 0 {
				drawn += string(eighths[eighth%8])
			}
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %s%s %*s %s", strings.Repeat(" ", names-width), l.name, numbers, l.number, drawn), " ") + "\n")
	}
	if g.low < 0 {
		b.WriteString("  ▒ is negative\n")
	}
	if step > 1 {
		fmt.Fprintf(&b, "  scaled down: each bar stands for %d elements and shows the one of the greatest magnitude\n", step)
	}
	return b.String()
}
