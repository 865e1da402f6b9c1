package instance

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/internal/compact"
	"ein/internal/lists"
)

// noDigest is the end of an instance's line before it has a digest.
const noDigest = `,"digest":""}` + "\n"

// seal sets the digest and gives the line. The digest is the SHA-256 of the line
// without its newline and its last member.
func (in *Instance) seal() ([]byte, error) {
	in.Digest = ""
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // wordings and programs have < and >
	if err := e.Encode(in); err != nil {
		return nil, err
	}
	line := b.Bytes()
	body := line[:len(line)-len(noDigest)]
	h := sha256.New()
	h.Write(body)
	h.Write([]byte{'}'})
	var sum [sha256.Size]byte
	in.Digest = hex.EncodeToString(h.Sum(sum[:0]))
	line = append(body, `,"digest":"`...)
	line = append(line, in.Digest...)
	return append(line, "\"}\n"...), nil
}

// Write writes an instance as a line of JSON with its newline. It fails if the digest is not
// that of the content.
func Write(w io.Writer, in *Instance) error {
	sealed := *in
	line, err := sealed.seal()
	if err == nil && sealed.Digest != in.Digest {
		err = fmt.Errorf("instance %s: the digest does not match its content", in.ID)
	}
	if err == nil {
		_, err = w.Write(line)
	}
	return err
}

// maxLine bounds a line. The longest, of 1,000 nodes and a density of 1, has
// under 100 MB.
const maxLine = 256 << 20

// Read reads lines. It is strict: an unknown field, a value of the wrong type, an invalid graph or
// a digest that does not match the rest is an error with the line number, and ends the sequence.
func Read(r io.Reader) iter.Seq2[*Instance, error] { return read(r, Parse) }

// Pass is Read for who keeps nothing of an instance: it is overwritten, its strings and lists too,
// when the next one is asked for.
func Pass(r io.Reader) iter.Seq2[*Instance, error] { return read(r, new(cursor).parse) }

func read(r io.Reader, parse func(line []byte) (*Instance, error)) iter.Seq2[*Instance, error] {
	return func(yield func(*Instance, error) bool) {
		n := 0
		for line, err := range Lines(r) {
			var in *Instance
			if n++; err == nil {
				if in, err = parse(line); err != nil {
					err = fmt.Errorf("line %d: %w", n, err)
				}
			}
			if !yield(in, err) || err != nil {
				return
			}
		}
	}
}

// Lines is the lines of a file of instances, each until the next one is asked for. An error
// says which line it is about, and ends them.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 64<<10), maxLine)
		n := 1
		for ; lines.Scan(); n++ {
			if !yield(lines.Bytes(), nil) {
				return
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("it is longer than %d bytes", maxLine)
		}
		if err != nil {
			yield(nil, fmt.Errorf("line %d: %w", n, err))
		}
	}
}

// Parse reads one line, as Read does: only lines as they were written. The digest must match the
// members, and the members must describe a possible case.
func Parse(line []byte) (*Instance, error) { return new(cursor).parse(line) }

func (c *cursor) parse(line []byte) (*Instance, error) {
	in, err := c.decode(line)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("%q: %w", clip(in.ID), err)
	}
	return in, nil
}

// Decode reads one line in any form of JSON. If only the digest is wrong, it returns the instance as
// well as the error.
func Decode(line []byte) (*Instance, error) { return new(cursor).decode(line) }

func (c *cursor) decode(line []byte) (*Instance, error) {
	line, err := compact.Text(line)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, errors.New("it is empty, expected an instance")
	}
	if in, ok := c.written(line); ok {
		return in, nil
	}
	return decodeAny(line)
}

// decodeAny is Decode, slowly.
func decodeAny(line []byte) (*Instance, error) {
	in := &Instance{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return nil, syntax(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the object")
	}
	sealed := *in
	if _, err := sealed.seal(); err != nil {
		return nil, syntax(err)
	}
	if sealed.Digest != in.Digest {
		return in, fmt.Errorf("the digest of %q does not match its content: the line was changed or is incomplete", clip(in.ID))
	}
	return in, nil
}

// syntax takes the names of Go's types out of an error of encoding/json.
func syntax(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("it is a JSON %s, expected an object", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("the field %q is a JSON %s, which it cannot be", wrong.Field, wrong.Value)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errors.New("the object is cut off")
	}
	return fmt.Errorf("not an instance: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// Rules returns a program of facts, rules and queries that gives the answer, by labels. It
// follows from the instance and is not part of it.
func (in *Instance) Rules() (string, error) {
	cat, err := Category(in.Category)
	if err != nil {
		return "", err
	}
	c, err := in.Case()
	if err != nil {
		return "", fmt.Errorf("%s: %w", in.ID, err)
	}
	return cat.Facts(&c, in.Nodes), nil
}

// Reference returns the right answer, with what its question leaves open.
func (in *Instance) Reference() (answer.Reference, error) {
	asked := answer.Asked{Labels: in.Nodes, Fixed: answer.FixedWording(in.ID, in.Version)}
	if s := value(in.Query.Source); s >= 0 && s < len(in.Nodes) {
		asked.Source = in.Nodes[s]
	}
	return answer.NewReference(in.Answer, category.Result(in.ResultType), asked)
}

// check reports an instance that has no case.
func (in *Instance) check() error {
	if err := checkGraph(in.N, in.Directed, in.Edges); err != nil {
		return err
	}
	if in.two() {
		if err := checkGraph(in.N, in.Directed, in.Edges2); err != nil {
			return err
		}
	}
	if len(in.Nodes) != in.N {
		return fmt.Errorf("%d labels for %d nodes", len(in.Nodes), in.N)
	}
	for _, node := range []int{value(in.Query.Source), value(in.Query.Target)} {
		if node != category.None && (node < 0 || node >= in.N) {
			return fmt.Errorf("the query is about node %d of %d", node, in.N)
		}
	}
	return nil
}

// two reports whether the question is about two graphs.
func (in *Instance) two() bool {
	k, err := Category(in.Category)
	return err == nil && k.Family == category.TwoGraphs
}

// Case returns the graph and the query of an instance.
func (in *Instance) Case() (category.Case, error) {
	if err := in.check(); err != nil {
		return category.Case{}, err
	}
	c := category.Case{G: toGraph(in.N, in.Directed, in.Edges), Query: category.Query{
		Source: value(in.Query.Source), Target: value(in.Query.Target), Threshold: value(in.Query.Threshold),
		MinIn: value(in.Query.MinInDegree), MinOut: value(in.Query.MinOutDegree),
		MaxOut: in.Query.MaxOutDegree, Aggregate: in.Query.Aggregate, Direction: in.Query.Direction, Steps: in.Query.Steps,
	}}
	if in.two() {
		c.G2 = toGraph(in.N, in.Directed, in.Edges2)
	}
	return c, nil
}

func value(p *int) int {
	if p == nil {
		return category.None
	}
	return *p
}

// checkGraph holds edges to what a Graph promises.
func checkGraph(n int, directed bool, edges [][2]int) error {
	if n < 1 || n > MaxNodes {
		return fmt.Errorf("%d nodes: expected 1 to %d", n, MaxNodes)
	}
	for i, e := range edges {
		switch {
		case min(e[0], e[1]) < 0 || max(e[0], e[1]) >= n:
			return fmt.Errorf("the edge %v has a node that is not one of the %d", e, n)
		case e[0] == e[1] || !directed && e[0] > e[1]:
			return fmt.Errorf("the edge %v is a self-loop or turned around", e)
		case i > 0 && (edges[i-1][0] > e[0] || edges[i-1][0] == e[0] && edges[i-1][1] >= e[1]):
			return fmt.Errorf("the edge %v is twice or out of order", e)
		}
	}
	return nil
}

func toGraph(n int, directed bool, edges [][2]int) graph.Graph {
	return graph.Graph{N: n, Directed: directed, Edges: lists.Map(edges, func(e [2]int) graph.Edge { return graph.Edge{From: e[0], To: e[1]} })}
}

func fromGraph(g *graph.Graph) [][2]int {
	return lists.Map(g.Edges, func(e graph.Edge) [2]int { return [2]int{e.From, e.To} })
}
