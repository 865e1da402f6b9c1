// Package verdict scores replies and explains wrong ones.
//
// A [Question] is what a reply is judged against: its reference answer, its category and, if
// errors are to be explained, its graph; an [Index] holds those of a file, by id. A [Line] is a
// reply of a file; [Join] and [Each] pair it with its question. A [Judge] turns the two into a
// [Verdict], and a [Tally] counts verdicts, by level, language and category ([Groups]).
//
// # From a reply to an outcome
//
// Reasoning is cut off first. The mode then decides: a direct answer is read and compared by package
// answer; a program is cut out of the text (extract.go), run, and its output compared like an
// answer. Ein and rules run in this process within [Limits] (ein.go), Python in a sandbox
// (python.go, sandbox.go), equal programs once (memo.go). Every reply ends in exactly one outcome:
// one of package answer, or one of those below, for a program that gives no answer. Only what is
// not the model's fault is an infra error, which counts in no share.
//
// # Why a reply is wrong
//
// A wrong program runs once more with the true edges (attribute.go): if it is then right, the graph
// was misread; if not, the logic is wrong. That needs the program's own graph: in Ein it is read
// from the source, in Python the program is observed as it runs (graphs.py). A wrong answer without a
// program is compared with the answers of many named misreadings of the question (misread.go). A
// diagnosis explains an outcome and never changes it.
//
// Scoring asks no model, and gives the same verdicts for the same replies on every machine, except
// where a time limit ends a program.
//
// The package does not know where replies come from: the verbs score, exec and diagnose
// read them from a file, package run from an evaluation.
package verdict

import (
	"ein/bench/question/answer"
	"ein/bench/question/prompt"
)

// The outcomes of programs that give no answer, beside those of package answer.
// An answer is neither right nor wrong then; a share of right answers counts them
// all as not right.
const (
	NoProgram    answer.Outcome = "no_program"    // a reply without a program in it
	ParseError   answer.Outcome = "parse_error"   // text that is no program
	TypeError    answer.Outcome = "type_error"    // names, shapes, constructs that are not allowed
	OverLimit    answer.Outcome = "over_limit"    // refused for its size or cost, or out of time
	RuntimeError answer.Outcome = "runtime_error" // failed as it ran
	BadOutput    answer.Outcome = "bad_output"    // an output that is no answer to the question
)

// Outcomes lists the outcomes of programs.
func Outcomes() []answer.Outcome {
	return []answer.Outcome{answer.StrictlyRight, answer.LenientOnly, answer.RelaxedOnly, answer.Wrong, answer.NoAnswer,
		NoProgram, ParseError, TypeError, OverLimit, RuntimeError, BadOutput, answer.InfraError}
}

// Class returns an outcome of programs that give no answer, and "" for all others.
func Class(o answer.Outcome) answer.Outcome {
	switch o {
	case NoProgram, ParseError, TypeError, OverLimit, RuntimeError, BadOutput:
		return o
	}
	return ""
}

// Missing is the reason of a question that a file of replies lacks. It counts as one
// without an answer: leaving one out must not be better than answering it wrong.
const Missing answer.Reason = "missing"

// Topic is what a question is about.
type Topic struct {
	Category string `json:"category"`
	Level    string `json:"level"`
}

// Failure is why there is no answer.
type Failure struct {
	// Class is the outcome again when a program gave no answer, so that these can be
	// told without a list of them.
	Class   answer.Outcome `json:"error_class,omitempty"`
	Code    string         `json:"code,omitempty"` // of the first error of a program that does not check
	Message string         `json:"message,omitempty"`
}

// Verdict is what a reply is worth and, if it was asked for, why it is wrong.
type Verdict struct {
	Topic
	answer.Result // the outcome is one of package answer or, of a program, of this one
	Failure
	// Of programs.
	Ops      uint64 `json:"ops,omitempty"`             // of the run, finished or not
	Constant bool   `json:"constant_output,omitempty"` // its outputs depend on no graph: the answer is typed in, or guessed
	Program  string `json:"program,omitempty"`         // as found in the reply
	// What it has read of the graph, right or wrong as it may be.
	Reading *Reading `json:"reading,omitempty"`
	// Why it is wrong: of a program, or of a direct answer.
	Attribution *Attribution `json:"attribution,omitempty"`
	Finding     *Finding     `json:"finding,omitempty"`

	printed string // by a Python program
}

// fail returns the verdict on a reply without an answer.
func (v Verdict) fail(o answer.Outcome, message string) Verdict {
	v.Outcome, v.Class, v.Message = o, Class(o), message
	return v
}

// The causes of errors that no counterfactual is asked about.
const (
	Unexplained = "unexplained" // a wrong answer that no misreading gives
	Execution   = "execution"   // a program that gives no answer
	Format      = "format"      // a reply without an answer of the right JSON type
	NoReply     = "no_answer"
)

// cause returns why a reply is wrong, "" if it is not. Of a direct answer it is the most specific
// of the findings.
func (v *Verdict) cause() string {
	switch {
	case v.Attribution != nil:
		return string(v.Attribution.Kind)
	case v.Finding != nil && len(v.Finding.Matches) > 0:
		return string(v.Finding.Matches[0].Error)
	case v.Outcome == answer.Wrong:
		return Unexplained
	case v.Outcome == answer.FormatError:
		return Format
	case v.Outcome == answer.NoAnswer:
		return NoReply
	case v.Class != "":
		return Execution
	}
	return ""
}

// program reports whether a verdict is on a program.
func (v *Verdict) program(mode prompt.Mode) bool {
	return v.Attribution != nil || v.Class != "" || languages[mode] != nil
}
