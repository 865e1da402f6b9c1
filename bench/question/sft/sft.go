// Package sft turns instances into training data: what a model is told, what it
// is asked, and what it should have said.
package sft

import (
	"encoding/json"
	"fmt"
	"io"

	"ein/bench/question/instance"
)

// Canary marks the released data of the benchmark. A text that contains it, or a
// model that completes it, has seen that data.
const Canary = "closurebench:7c1e9b52-40d3-4f8a-9d6e-2b83a5f0c714"

// Target is what the model learns to write.
type Target string

// The targets: the answer as JSON, or a program.
const (
	TargetAnswer Target = "answer"
	TargetEin    Target = "ein"
	TargetPython Target = "python"
)

// Targets is all targets.
func Targets() []Target { return []Target{TargetAnswer, TargetEin, TargetPython} }

// Format is the shape of a record.
type Format string

// The formats: a list of chat messages, or two strings.
const (
	Messages         Format = "messages"
	PromptCompletion Format = "prompt-completion"
)

// Formats is all formats.
func Formats() []Format { return []Format{Messages, PromptCompletion} }

// Options say what is written of each instance: one record for each target.
type Options struct {
	Targets []Target
	Format  Format
	Prompts Prompts
	Canary  string // "" for none
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// record has the fields of one format; what the other has is left out.
type record struct {
	ID         string    `json:"id"`
	Target     Target    `json:"target"`
	Messages   []message `json:"messages,omitempty"`
	Prompt     string    `json:"prompt,omitempty"`
	Completion string    `json:"completion,omitempty"`
	Canary     string    `json:"canary,omitempty"`
}

// Write writes the records of an instance, one a line.
func Write(w io.Writer, in *instance.Instance, opt *Options) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // programs are full of < and >
	for _, target := range opt.Targets {
		mode, reply, err := lesson(in, target)
		if err != nil {
			return err
		}
		r := record{ID: in.ID, Target: target, Canary: opt.Canary}
		system := opt.Prompts[mode]
		switch opt.Format {
		case Messages:
			r.Messages = []message{{"system", system}, {"user", in.Question}, {"assistant", reply}}
		case PromptCompletion:
			r.Prompt, r.Completion = system+"\n\n"+in.Question+"\n\n", reply
		default:
			return fmt.Errorf("there is no format %q", opt.Format)
		}
		if err := e.Encode(&r); err != nil {
			return err
		}
	}
	return nil
}

// lesson is the mode a target is asked for in and the reply to be learned, in
// the form that the prompt of the mode asks for.
func lesson(in *instance.Instance, target Target) (Mode, string, error) {
	switch target {
	case TargetAnswer:
		return Direct, `{"answer": ` + string(in.Answer) + `}`, nil
	case TargetEin:
		return Ein, fenced("ein", in.EinProgram), nil
	case TargetPython:
		return Python, fenced("python", in.PythonProgram), nil
	}
	return "", "", fmt.Errorf("there is no target %q", target)
}

func fenced(lang, program string) string {
	if len(program) == 0 || program[len(program)-1] != '\n' {
		program += "\n"
	}
	return "```" + lang + "\n" + program + "```"
}
