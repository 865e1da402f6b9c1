// Package prompt builds prompts, and turns instances into training data. Evaluation and
// training share it, so that a model is trained on what it is asked later.
//
// A [Mode] is how a model is asked: for the answer, for a chain of thought, for a program,
// or for an answer with tools. [Prompts] has the system prompt of each mode; the user's
// message is the question of the instance. [DefaultPrompts] state the same conventions in
// all modes, [PaperPrompts] are the paper's, and Override replaces some by files.
//
// A [Target] is what a training example replies; its Mode says which prompt goes with it.
// [Reply] writes the reply: the answer as JSON, the program stored in the instance, or what
// is derived from it:
//
//   - [Steps], the reasoning of a solver of its own, which shares no code with the
//     programs. It fails rather than teach steps that lead to another answer.
//   - The Ein program with labels for node numbers, in which [Anchors] finds the numbers
//     that are nodes.
//
// [Chat] joins system message, question and reply, and [Write] writes them as a record in a
// [Format], one line for each target, with the [Canary] if the options have it. [Lengths]
// counts tokens by the rule of thumb of [Tokens], without any model's vocabulary.
//
// Nothing here asks a model or reads a reply.
package prompt

import (
	"fmt"
	"io"
	"unicode/utf8"

	"ein/bench/question/instance"
	"ein/internal/compact"
	"ein/internal/table"
	"ein/internal/words"
)

// Canary marks the released data of the benchmark. A text that contains it, or a
// model that completes it, has seen that data.
const Canary = "closurebench:7c1e9b52-40d3-4f8a-9d6e-2b83a5f0c714"

// Target is what a model learns to write.
type Target string

// The targets: the answer as JSON, the same after the steps that lead to it, or a
// program.
const (
	TargetAnswer Target = "answer"
	TargetCoT    Target = "cot"
	TargetEin    Target = "ein"
	TargetLabels Target = "ein-labels" // with the labels of nodes in place of their numbers
	TargetPython Target = "python"
	TargetRules  Target = "rules"
)

// Targets returns all targets.
func Targets() []Target {
	return []Target{TargetAnswer, TargetCoT, TargetEin, TargetLabels, TargetPython, TargetRules}
}

// Mode returns the mode in which a model is asked for a target.
func (t Target) Mode() Mode {
	switch t {
	case TargetAnswer:
		return Direct
	case TargetLabels:
		return Ein
	}
	return Mode(t)
}

// Format is the shape of a record.
type Format string

// The formats: a list of chat messages; two strings; or two lists of messages.
const (
	Messages         Format = "messages"
	PromptCompletion Format = "prompt-completion"
	Conversational   Format = "conversational"
)

// Formats returns all formats.
func Formats() []Format { return []Format{Messages, PromptCompletion, Conversational} }

// Options say what to write for each instance: one record for each target.
type Options struct {
	Targets []Target
	Format  Format
	Prompts Prompts
	Canary  string  // "" for none
	Lengths Lengths // of what was written
}

// CharsPerToken is how tokens are estimated without the vocabulary of any model.
const CharsPerToken = 4

// Tokens estimates how many tokens a text has.
func Tokens(s string) int64 {
	return int64((utf8.RuneCountInString(s) + CharsPerToken - 1) / CharsPerToken)
}

// Lengths counts the tokens of records by target.
type Lengths map[Target]*length

// length is the tokens of the records of one target.
type length struct {
	records         int
	prompt, reply   int64
	longest, answer int64 // the most of a record, and of a reply
}

// add counts a conversation of a system message, a prompt and a reply.
func (l *Lengths) add(t Target, chat []Message) {
	if *l == nil {
		*l = Lengths{}
	}
	if (*l)[t] == nil {
		(*l)[t] = &length{}
	}
	x := (*l)[t]
	prompt, reply := Tokens(chat[0].Content)+Tokens(chat[1].Content), Tokens(chat[2].Content)
	x.records++
	x.prompt, x.reply = x.prompt+prompt, x.reply+reply
	x.longest, x.answer = max(x.longest, prompt+reply), max(x.answer, reply)
}

// Text returns a table of the lengths.
func (l Lengths) Text() string {
	rows := [][]string{{"tokens, about", "records", "prompt", "reply", "longest reply", "longest record"}}
	for _, t := range Targets() {
		if x := l[t]; x != nil {
			n := int64(x.records)
			rows = append(rows, []string{string(t), words.Count(x.records), words.Count(x.prompt / n), words.Count(x.reply / n), words.Count(x.answer), words.Count(x.longest)})
		}
	}
	return table.Of(rows).Text()
}

// Message is one of a chat.
type Message struct {
	Role    string `json:"role" parquet:"role"`
	Content string `json:"content" parquet:"content"`
}

// Chat returns the messages of an instance: the system message, the question and the reply.
func Chat(in *instance.Instance, target Target, prompts Prompts) ([]Message, error) {
	reply, err := Reply(in, target)
	return []Message{{"system", prompts[target.Mode()]}, {"user", in.Question}, {"assistant", reply}}, err
}

// record has the fields of all formats; a line omits those that its format does not use.
type record struct {
	ID         string    `json:"id"`
	Target     Target    `json:"target"`
	Messages   []Message `json:"messages,omitempty"`
	Prompt     any       `json:"prompt,omitempty"` // a string or messages, as Completion
	Completion any       `json:"completion,omitempty"`
	Canary     string    `json:"canary,omitempty"`
}

// Write writes the records of an instance, one a line.
func Write(w io.Writer, in *instance.Instance, opt *Options) error {
	for _, target := range opt.Targets {
		chat, err := Chat(in, target, opt.Prompts)
		if err != nil {
			return err
		}
		opt.Lengths.add(target, chat)
		r := record{ID: in.ID, Target: target, Canary: opt.Canary}
		asked, said := chat[:2], chat[2:]
		switch opt.Format {
		case Messages:
			r.Messages = chat
		case Conversational:
			r.Prompt, r.Completion = asked, said
		case PromptCompletion:
			r.Prompt, r.Completion = asked[0].Content+"\n\n"+asked[1].Content+"\n\n", said[0].Content
		default:
			return fmt.Errorf("there is no format %q", opt.Format)
		}
		if err := compact.Write(w, &r); err != nil {
			return err
		}
	}
	return nil
}

// Reply returns the reply to be learned, in the form that the prompt of its mode asks for.
func Reply(in *instance.Instance, target Target) (string, error) {
	answer := `{"answer": ` + string(in.Answer) + `}`
	switch target {
	case TargetAnswer:
		return answer, nil
	case TargetCoT:
		steps, err := Steps(in)
		return steps + "\n" + answer, err
	case TargetEin:
		return fenced("ein", in.EinProgram), nil
	case TargetLabels:
		program, err := labelled(in)
		return fenced("ein", program), err
	case TargetPython:
		return fenced("python", in.PythonProgram), nil
	case TargetRules:
		program, err := in.Rules()
		return fenced("ein", program), err
	}
	return "", fmt.Errorf("there is no target %q", target)
}

func fenced(lang, program string) string {
	if len(program) == 0 || program[len(program)-1] != '\n' {
		program += "\n"
	}
	return "```" + lang + "\n" + program + "```"
}
