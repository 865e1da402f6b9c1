package project

import (
	"fmt"
	"strconv"
	"strings"
)

// Add returns the text of a file that also binds an input of one program. Everything else stays as
// it is. It is an error if the text binds the input already, or has settings for the program in
// another form than a table of its own.
func Add(text []byte, program, input, data string) ([]byte, error) {
	line := fmt.Sprintf("%s = %s\n", input, strconv.Quote(data))
	var out strings.Builder
	added := false
	for l := range strings.Lines(string(text)) {
		out.WriteString(l)
		head, _, _ := strings.Cut(strings.TrimSpace(l), "#")
		if head = strings.TrimSpace(head); !added && (head == fmt.Sprintf("[programs.%q.inputs]", program) || head == fmt.Sprintf("[programs.'%s'.inputs]", program)) {
			if !strings.HasSuffix(l, "\n") {
				out.WriteByte('\n')
			}
			out.WriteString(line)
			added = true
		}
	}
	if !added {
		if len(text) > 0 {
			out.WriteString(strings.Repeat("\n", 2-min(1, strings.Count(string(text[len(text)-1:]), "\n"))))
		}
		fmt.Fprintf(&out, "[programs.%s.inputs]\n%s", strconv.Quote(program), line)
	}
	if _, before := Parse(Name, text); before != nil {
		return nil, fmt.Errorf("%s has an error: %s", Name, before.First().Message)
	}
	if _, list := Parse(Name, []byte(out.String())); list != nil {
		return nil, fmt.Errorf("%s says of %s something that this does not go with; add `%s` there by hand: %s", Name, program, strings.TrimSpace(line), list.First().Message)
	}
	return []byte(out.String()), nil
}
