package repl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ein/internal/chart"
	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm"
	"ein/vm/tensor"
)

// plot draws a value: here, or in a file when the argument ends in one.
func (s *Session) plot(ctx context.Context, arg string) Reply {
	if _, file, f := target(arg); f == show.SVG {
		return s.output(ctx, arg)
	} else if file != "" {
		return refusal("", "", fmt.Sprintf("`:plot` writes pictures as .svg, and `%s` ends in %s", words.Shorten(file, 40), filepath.Ext(file)),
			"Without a file it draws here; `:output` writes other formats.")
	}
	out, labels := s.compute(ctx, arg)
	s.holds(out, show.SVG, arg)
	opt := show.Options{Nodes: s.view.Nodes, Labels: labels}
	g := newGrid(out.Value, words.Shorten(syntax.OneLine(arg), 60), opt)
	if out.Value.Shape.Rank() == 1 {
		return Reply{Out: g.bars(cmp.Or(s.width(), 80))}
	}
	return Reply{Out: g.blocks(cmp.Or(s.width(), 80))}
}

// holds refuses a value that a format cannot hold, or that takes too much memory to
// be drawn.
func (s *Session) holds(out *vm.Output, f show.Format, expression string) {
	v, name := out.Value, words.Shorten(syntax.OneLine(expression), 40)
	is := stdlib.Describe(v.Shape)
	if v.Table != nil {
		is = "a relation"
	}
	var r Reply
	what, ok := f.Holds(v.Shape, v.Layout)
	switch limit := s.cfg.Limits.MaxBytes; {
	case f == show.SVG && v.Shape.Elems() == 0:
		r = failure("`%s` is empty", name)
	case f == show.SVG && !ok:
		r = failure("`:plot` draws vectors and matrices, and `%s` is %s", name, is)
	case !ok:
		r = failure("%s is for %s, and `%s` is %s", f, what, name, is)
	case 8*f.Elements(context.Background(), v) > limit:
		r = failure("to draw `%s` takes %s of memory, the limit is %s; the flag `--max-memory` of the session sets it",
			name, words.Bytes(8*v.Shape.Elems()), words.Bytes(limit))
		r.Limit = true
	default:
		return
	}
	// The command that asked gives up here, and the session shows r.
	panic(refused(r))
}

// ending matches the ending of a file name; no expression has one, except a number.
var ending = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.[A-Za-z]\w*$`) })

// target splits a file name off the end of an argument. The format is the one of its ending, "" for
// an unknown ending.
func target(arg string) (expression, file string, f show.Format) {
	list := fields(arg)
	if len(list) < 2 {
		return arg, "", ""
	}
	file = list[len(list)-1]
	if tokens := syntax.Tokens(file); !ending().MatchString(filepath.Ext(file)) || len(tokens) == 1 && tokens[0].Kind == syntax.KindNumber {
		return arg, "", ""
	}
	f, ok := show.FormatOf(filepath.Ext(file))
	if !ok {
		f = ""
	}
	expression = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(arg), `"`), file)
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(expression), `"`)), file, f
}

// output writes a value into a file.
func (s *Session) output(ctx context.Context, arg string) Reply {
	arg, settings := trailing(arg)
	opt := s.view
	for _, set := range settings {
		if err := setOption(&opt, set); err != nil {
			return failure("%v", err)
		}
	}
	expression, file, f := target(arg)
	if f == "" {
		return failure("expected an expression and a file whose ending is a format: .%s", formatList(show.Formats, ", ."))
	}
	out, labels := s.compute(ctx, expression)
	s.holds(out, f, expression)
	file = s.path(file)
	s.mayWrite(file)
	opt.Labels, opt.Full, opt.Version = labels, true, 1
	opt.Nodes = opt.Nodes && len(labels) > 0
	out.Name = words.Shorten(syntax.OneLine(expression), 60)
	var b bytes.Buffer
	what, err := Write(ctx, &b, out, f, opt)
	if err != nil {
		r := refusal(codes.E0533, "", describe.Reason(err)+", while the file was being made; it is as it was", "")
		r.Limit = !errors.Is(err, context.Canceled)
		return r
	}
	if err := s.cfg.Files.Write(file, b.Bytes()); err != nil {
		return fileFailure(file, "written", err)
	}
	return Reply{Note: fmt.Sprintf("%s written to %s\n", what, file)}
}

// modes are the formats in which results are shown.
var modes = []show.Format{show.Table, show.Object, show.CSV, show.TSV, show.Markdown}

// setMode changes how results are shown, and says how that is now. A wrong word changes nothing.
func (s *Session) setMode(_ context.Context, arg string) Reply {
	mode, view, named := s.mode, s.view, ""
	for _, word := range strings.Fields(arg) {
		switch {
		case strings.Contains(word, "="):
			if err := setOption(&view, word); err != nil {
				return failure("%v", err)
			}
		case slices.Contains(modes, show.Format(word)) && named != "":
			return failure("results are shown in one format, found `%s` and `%s`", named, word)
		case slices.Contains(modes, show.Format(word)):
			mode, named = show.Format(word), word
		default:
			return failure("there is no mode `%s`; there are %s, and %s", words.Shorten(word, 40), formatList(modes, ", "), optionForms)
		}
	}
	s.mode, s.view = mode, view
	told := "results are shown as " + string(mode)
	if mode == show.Object {
		return Reply{Note: told + ", which always has every element\n"}
	}
	if view.Sort != show.ByPlace {
		told += ", sorted by " + string(view.Sort)
	}
	if view.Top > 0 {
		told += fmt.Sprintf(", the top %d", view.Top)
	}
	if view.Precision != nil {
		told += ", with " + words.Plural(*view.Precision, "digit") + " after the point"
	}
	if !view.Nodes {
		told += ", without labels"
	}
	return Reply{Note: told + "\n"}
}

// option is a setting of how results are shown, such as top=20.
var option = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(sort|top|precision|labels)=(\S*)$`) })

const optionForms = "sort=value, name or place, top=N or all, precision=N or all, labels=yes or no"

// trailing splits settings off the end of an argument.
func trailing(arg string) (rest string, settings []string) {
	for {
		i := strings.LastIndexAny(arg, " \t") + 1
		if !option().MatchString(arg[i:]) {
			return arg, settings
		}
		arg, settings = strings.TrimRight(arg[:i], " \t"), append(settings, arg[i:])
	}
}

// setOption changes a setting that is written as NAME=VALUE.
func setOption(opt *show.Options, setting string) error {
	m := option().FindStringSubmatch(setting)
	if m == nil {
		m = make([]string, 3)
	}
	n, err := strconv.Atoi(m[2])
	number := err == nil && n >= 0
	switch key, value := m[1], m[2]; {
	case key == "sort" && (value == string(show.ByValue) || value == string(show.ByName)):
		opt.Sort = show.Order(value)
	case key == "sort" && value == "place":
		opt.Sort = show.ByPlace
	case key == "top" && (value == "all" || number && n > 0):
		opt.Top = n
	case key == "precision" && value == "all":
		opt.Precision = nil
	case key == "precision" && number && n <= 15:
		opt.Precision = &n
	case key == "labels" && (value == "yes" || value == "no"):
		opt.Nodes = value == "yes"
	default:
		return fmt.Errorf("there is no setting `%s`; there are %s", words.Shorten(setting, 40), optionForms)
	}
	return nil
}

// formatList lists formats for a message.
func formatList(list []show.Format, sep string) string {
	return strings.Join(lists.Map(list, func(f show.Format) string { return string(f) }), sep)
}

// The sizes of pictures in files.
const (
	maxDrawnNodes = 200 // a larger 0/1 square matrix is drawn as a matrix, not as a graph
	maxNames      = 60  // of the columns of a matrix
	maxCells      = 400 // a matrix of more rows or columns is drawn in blocks
)

// Write writes a value in a format that can hold it, and says what it wrote. A square 0/1 matrix is
// drawn as a graph, and so are the greatest elements of any other with opt.Top.
func Write(ctx context.Context, w io.Writer, out *vm.Output, f show.Format, opt show.Options) (what string, err error) {
	if f != show.SVG {
		return out.Name, show.Write(ctx, w, out, f, opt)
	}
	v := out.Value
	if _, square := show.DOT.Holds(v.Shape, v.Layout); square && (opt.Top > 0 || v.Kind == tensor.Bool && v.Shape.Dim(0) <= maxDrawnNodes) {
		if names, edges := show.Edges(ctx, v, opt); len(names) <= maxDrawnNodes {
			name, _ := diag.Display(out.Name)
			_, err = w.Write(chart.Graph(name+", "+v.Shape.String(), names, edges))
			return fmt.Sprintf("the graph of %s", words.Plural(len(names), "node")), err
		}
	}
	picture, what := newGrid(v, out.Name, opt).svg()
	_, err = w.Write(picture)
	return what, err
}

// svg is the picture of a matrix or a vector in a file, and what it shows.
func (g *grid) svg() (picture []byte, what string) {
	step := max(1, (max(g.rows, g.cols)+maxCells-1)/maxCells)
	note := fmt.Sprintf("least %s, greatest %s", tensor.Number(g.low), tensor.Number(g.high))
	what = "the heat map of " + g.heading()
	names := g.labels
	if step > 1 {
		blocks := fmt.Sprintf("; each square is %dx%d elements and shows the greatest in magnitude", step, step)
		note, what = note+blocks, what+blocks
	}
	if step > 1 || g.cols > maxNames {
		names = nil
	}
	return chart.Matrix(g.heading(), note, g.scaled(step), names), what
}

// scaled returns the elements in blocks: of each, the one of the greatest magnitude. A mean would
// hide a single edge among many zeros.
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
	vector     bool
	binary     bool
	at         []float64 // row by row
	low, high  float64   // of at
	labels     []string  // of nodes, where it has them
}

// newGrid makes a grid of a vector or a matrix. Labels are used only if there is one for each row
// and column.
func newGrid(v *tensor.Value, name string, opt show.Options) *grid {
	g := &grid{name: name, rows: 1, cols: v.Shape.Dim(0), vector: v.Shape.Rank() == 1, at: v.ToDense()}
	if !g.vector {
		g.rows, g.cols = g.cols, v.Shape.Dim(1)
	}
	g.low, g.high = math.Inf(1), math.Inf(-1)
	for _, x := range g.at {
		g.low, g.high = min(g.low, x), max(g.high, x)
	}
	g.binary = g.low >= 0 && g.high <= 1 && v.Kind == tensor.Bool
	if n := len(opt.Labels); opt.Nodes && n == g.cols && (g.vector || n == g.rows) {
		g.labels = opt.Labels
	}
	return g
}

// heading is what is drawn and how large it is.
func (g *grid) heading() string {
	size := fmt.Sprintf("%d", g.cols)
	if !g.vector {
		size = fmt.Sprintf("%dx%d", g.rows, g.cols)
	}
	name, _ := diag.Display(g.name)
	return name + ", " + size
}

// maxHeight is the number of lines of a picture.
const maxHeight = 40

// blocks draws a matrix. Where there is no room, a cell stands for a block of elements,
// for the greatest in magnitude of them.
func (g *grid) blocks(columns int) string {
	across, down := chart.BlockSize(g.binary)
	room := max(1, (columns-2)/across)
	stepX := (g.cols + room - 1) / room
	stepY := (g.rows + maxHeight*down - 1) / (maxHeight * down)
	step := max(stepX, stepY, 1)
	legend, what := "blank "+tensor.Number(g.low)+" ░▒▓ █ "+tensor.Number(g.high), "the element of the greatest magnitude in them"
	if g.binary {
		legend, what = "█ 1   blank 0   two rows to a line", "1 where any of them is 1"
	} else if g.high == g.low {
		legend = "█ " + tensor.Number(g.low) + " everywhere"
	}
	out := g.heading() + "\n" + chart.Blocks(g.scaled(step), g.low, g.high, g.binary) + "  " + legend + "\n"
	if step > 1 {
		out += fmt.Sprintf("  scaled down: each cell stands for %dx%d elements and shows %s\n", step, step, what)
	}
	return out
}

// maxBars is the number of elements of a vector that get a line of their own.
const maxBars = 40

// bars draws a vector, one line for each element or block of elements.
func (g *grid) bars(columns int) string {
	step := (g.cols + maxBars - 1) / maxBars
	var names, texts []string
	var numbers []float64
	for i, x := range g.scaled(step)[0] {
		from, to := i*step, min((i+1)*step, g.cols)
		name := fmt.Sprint(from)
		if to-from > 1 {
			name = fmt.Sprintf("%d-%d", from, to-1)
		} else if g.labels != nil {
			name, _ = diag.Display(g.labels[from])
			name = words.Shorten(name, 20)
		}
		names, texts, numbers = append(names, name), append(texts, tensor.Number(x)), append(numbers, x)
	}
	out := g.heading() + "\n" + chart.Bars(columns, names, texts, numbers)
	if g.low < 0 {
		out += "  ▒ is negative\n"
	}
	if step > 1 {
		out += fmt.Sprintf("  scaled down: each bar stands for %d elements and shows the one of the greatest magnitude\n", step)
	}
	return out
}
