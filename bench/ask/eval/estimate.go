package eval

import (
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

// Estimate is what an evaluation is expected to take.
type Estimate struct {
	Requests int   `json:"requests"`
	Input    int64 `json:"input_tokens"`
	Output   int64 `json:"output_tokens"`
	// MostOutput is all requests at MaxTokens; 0 when there is no such bound.
	MostOutput int64   `json:"most_output_tokens,omitempty"`
	Cost       float64 `json:"cost,omitempty"`      // dollars; 0 without a price
	MostCost   float64 `json:"most_cost,omitempty"` // with a token for each byte
}

// perMessage is how many tokens a chat puts around a message.
const perMessage = 4

// thoughts is how many tokens of visible reasoning are expected: several sentences about each of
// the few nodes of a graph.
const thoughts = 400

// EstimateRun estimates the replies to rows, without reasoning that the prompt does not request:
// nobody knows how long a model thinks.
func EstimateRun(o *Options, rows []run.Row) Estimate {
	e := Estimate{Requests: len(rows)}
	bytes := int64(0)
	unknown := false // what tools say, and with it the input at most
	for i := range rows {
		bytes += int64(o.bytes(&rows[i]))
		in, out := estimate(o, rows[i].Instance, rows[i].Mode)
		e.Input += in
		e.Output += out
		turns := 1
		if rows[i].Mode == prompt.Tool {
			turns, unknown = o.Turns, true
		}
		e.MostOutput += int64(turns * o.Params.MaxTokens)
	}
	if p := o.price(); p != nil {
		e.Cost = (float64(e.Input)*p.Input + float64(e.Output)*p.Output) / 1e6
		if e.MostOutput > 0 && !unknown {
			e.MostCost = most(p, bytes, e.MostOutput)
		}
	}
	return e
}

// estimate returns how many tokens one request takes.
func estimate(o *Options, in *instance.Instance, mode prompt.Mode) (input, output int64) {
	input = prompt.Tokens(o.Prompts[mode]) + prompt.Tokens(in.Question) + 2*perMessage
	output = perMessage
	switch mode {
	case prompt.Ein:
		output += prompt.Tokens(in.EinProgram)
	case prompt.Tool: // a program that runs, and an answer
		program := prompt.Tokens(in.EinProgram)
		input = 2*input + program
		output += program + prompt.Tokens(string(in.Answer)) + perMessage
	case prompt.Python:
		output += prompt.Tokens(in.PythonProgram)
	case prompt.Rules:
		rules, _ := in.Rules() // what no program can be made of has no tokens
		output += prompt.Tokens(rules)
	case prompt.CoT:
		output += thoughts + prompt.Tokens(string(in.Answer))
	default:
		output += prompt.Tokens(string(in.Answer))
	}
	if most := int64(o.Params.MaxTokens); most > 0 {
		output = min(output, most)
	}
	return input, output
}
