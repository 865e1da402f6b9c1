package answer

import (
	"errors"
	"strings"
)

// Reason is why a reply has no answer that could be right or wrong.
type Reason string

// The reasons. NoReply and the last three make the outcome NoAnswer, all others
// FormatError.
const (
	NoReply      Reason = "no_reply"        // nothing but white space
	TooLong      Reason = "too_long"        // more than MaxReply bytes
	NoObject     Reason = "no_json"         // no JSON object
	NoField      Reason = "no_answer_field" // objects, none with a member answer
	DuplicateKey Reason = "duplicate_key"   // a name twice in one object
	BadText      Reason = "invalid_text"    // a string that is not Unicode
	TooDeep      Reason = "too_deep"        // nested in more than 32 levels
	WrongType    Reason = "wrong_type"      // an answer of another JSON type

	Truncated Reason = "truncated_by_budget" // the tokens were used up before the answer
	Refused   Reason = "refusal"             // the model declined
	Filtered  Reason = "content_filter"      // the provider held the text back
)

var reasons = map[Reason]string{
	NoReply:      "there is no reply",
	TooLong:      "the reply is too long",
	NoObject:     "there is no JSON object",
	NoField:      `no JSON object has a member "answer"`,
	DuplicateKey: "an object has two members of the same name",
	BadText:      "a string is not Unicode",
	TooDeep:      "the nesting is too deep",
	WrongType:    "the answer is of another JSON type",
	Truncated:    "the tokens were used up before there was an answer",
	Refused:      "the model declined to answer",
	Filtered:     "the provider held the answer back",
}

func (r Reason) Error() string { return reasons[r] }

// Unfinished returns the reason that a provider gives, by its finish reason, for a
// reply without an answer; it is false for every finish reason that explains
// nothing, such as "stop" and "".
func Unfinished(finish string) (Reason, bool) {
	why, ok := unfinished[finish]
	return why, ok
}

var unfinished = map[string]Reason{"length": Truncated, "refusal": Refused, "content_filter": Filtered}

// MaxReply bounds the length of a reply in bytes: reasoning of a million tokens
// has about four million.
const MaxReply = 4 << 20

// answerKey is the member that holds the answer.
const answerKey = "answer"

// ParseReply finds the answer in the text of a model: the member "answer" of the
// last JSON object of the text that has one. The error is a Reason.
//
// Objects are looked for from left to right. What is inside of an object, in a
// string or nested, is not looked at again; where a brace does not begin an
// object, the search goes on behind it. An object with an answer that is flawed
// counts as well, so that nothing before or inside it is taken instead. An object
// nested too deeply ends the search.
//
// The time is linear. Of two objects that were begun and are both unfinished at
// some place, one is nested in the other, or what is a string in one is none in
// the other; so that there are at most twice maxDepth.
func ParseReply(reply string) (JSON, error) {
	if strings.TrimSpace(reply) == "" {
		return JSON{}, NoReply
	}
	if len(reply) > MaxReply {
		return JSON{}, TooLong
	}
	var found JSON
	reason := NoObject
	for at := 0; ; {
		brace := strings.IndexByte(reply[at:], '{')
		if brace < 0 {
			break
		}
		at += brace
		r := reader{s: reply, at: at}
		object, err := r.value()
		if errors.Is(err, TooDeep) {
			return JSON{}, TooDeep
		}
		if err != nil {
			at++
			continue
		}
		at = r.at
		if a, ok := object.Member(answerKey); ok {
			found, reason = a, r.flaw
		} else if reason == NoObject {
			reason = NoField
		}
	}
	// A name spelled in escapes is the same name to JSON, but nobody who means to
	// answer spells it so.
	if reason == "" && !strings.Contains(reply, answerKey) {
		reason = NoField
	}
	if reason != "" {
		return JSON{}, reason
	}
	return found, nil
}
