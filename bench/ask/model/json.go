package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"ein/internal/compact"
)

// scalar returns the text of a JSON string or number, "" for anything else.
func scalar(b json.RawMessage) string {
	var s string
	if json.Unmarshal(b, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(b, &n) == nil {
		return n.String()
	}
	return ""
}

// tokens is a count of tokens, which some gateways write as 12.0 or "12".
type tokens int64

// UnmarshalJSON implements json.Unmarshaler.
func (t *tokens) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	x, err := strconv.ParseFloat(scalar(b), 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) >= 1<<53 {
		return fmt.Errorf("%s is no number of tokens", preview(b))
	}
	*t = tokens(x)
	return nil
}

func counted(input, cached, output, reasoning tokens) Usage {
	return Usage{Input: int64(input), CachedInput: int64(cached), Output: int64(output), Reasoning: int64(reasoning)}
}

// merge adds the members of one object to another, and of objects inside it to theirs. A member
// that both have is an error, since one of them would be lost.
func merge(a, b json.RawMessage) (json.RawMessage, error) {
	var x, y map[string]json.RawMessage
	if err := json.Unmarshal(a, &x); err != nil || x == nil {
		return nil, fmt.Errorf("%s is not an object", preview(a))
	}
	if err := json.Unmarshal(b, &y); err != nil || y == nil {
		return nil, fmt.Errorf("%s is not an object", preview(b))
	}
	for name, v := range y {
		if was, both := x[name]; both {
			var err error
			if v, err = merge(was, v); err != nil {
				return nil, fmt.Errorf("%q is already in the request, as %s", name, preview(was))
			}
		}
		x[name] = v
	}
	return compact.JSON(x)
}
