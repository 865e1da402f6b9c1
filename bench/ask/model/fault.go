package model

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// fault is what the body of a failure says. Its class takes precedence over the status's class.
type fault struct {
	body       bool // it is in the format of the provider
	class      Class
	code       string
	message    string
	hint       string
	retryAfter time.Duration
}

// What to do, in one line.
const (
	hintKey       = "Check the key: it is missing, wrong or for another provider."
	hintModel     = "Check the model's name, and whether this key may use the model."
	hintParameter = "Leave this parameter out; with --base-url, name the profile of the model by --profile (ein bench models lists them)."
	hintTooLong   = "The prompt and the output budget do not fit in the model's context."
	hintQuota     = "Add credit or raise the spend limit, then resume: no answer is lost."
	hintBaseURL   = "Check the base URL: this address does not use the provider's format."
	hintServer    = "Check that the server is running and that the base URL points to it."
)

var errNoCandidates = errors.New("it has no candidates, no promptFeedback and no usageMetadata")

// statuses holds the class of each status, for bodies that say nothing else.
var statuses = map[int]fault{
	http.StatusBadRequest:            {class: Rejected},
	http.StatusUnauthorized:          {class: Denied, hint: hintKey},
	http.StatusPaymentRequired:       {class: Quota},
	http.StatusForbidden:             {class: Denied, hint: "The key is valid but may not do this: check its permissions and the regions that the provider serves."},
	http.StatusNotFound:              {class: Denied, hint: hintModel},
	http.StatusMethodNotAllowed:      {class: Denied, hint: hintBaseURL},
	http.StatusRequestTimeout:        {class: Transport},
	http.StatusConflict:              {class: Overloaded},
	http.StatusGone:                  {class: Denied, hint: hintModel},
	http.StatusRequestEntityTooLarge: {class: Rejected, hint: hintTooLong},
	http.StatusUnprocessableEntity:   {class: Rejected},
	http.StatusTooEarly:              {class: Overloaded},
	http.StatusTooManyRequests:       {class: RateLimit},
}

// failure returns the error of an unsuccessful status.
func failure(w wire, status int, h http.Header, body []byte, now time.Time) *Error {
	f := w.fault(status, body)
	known, ok := statuses[status]
	switch {
	case f.class != "":
	case ok:
		f.class = known.class
	case status >= 500:
		f.class = Overloaded
	default:
		f.class, f.hint = Denied, hintBaseURL
	}
	switch {
	case f.hint != "":
	case status == http.StatusNotFound && !f.body, status/100 == 3:
		f.hint = hintBaseURL
	case f.class == Quota:
		f.hint = hintQuota
	case f.class == known.class:
		f.hint = known.hint
	}
	if status/100 == 3 {
		f.message = "the server redirects to " + h.Get("Location") + "; keys are not sent to other addresses"
	}
	e := &Error{Class: f.class, Status: status, Code: short(f.code), Message: short(f.message), Hint: f.hint}
	e.Message = cmp.Or(e.Message, preview(body))
	// What a server says of trying again goes before its status, but not before
	// money and keys.
	switch h.Get("X-Should-Retry") {
	case "true":
		if e.Class == Rejected || e.Class == Denied && status == http.StatusBadRequest {
			e.Class, e.Hint = Overloaded, ""
		}
	case "false":
		if e.Passes() {
			e.Class = Rejected
		}
	}
	if e.Class == RateLimit {
		e.RetryAfter = retryAfter(h, f.retryAfter, now)
	} else if e.Passes() {
		e.RetryAfter = stated(h, f.retryAfter, now)
	}
	return e
}

// preview returns the beginning of a body in an unknown format.
func preview(body []byte) string {
	s := strings.TrimSpace(string(body))
	if s == "" {
		return "the body is empty"
	}
	head := strings.ToLower(strings.TrimSpace(s[:min(len(s), 256)]))
	if strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") || strings.HasPrefix(head, "<head") { // of a proxy or a gateway
		s = "an HTML page" + title(s)
	}
	return cmp.Or(short(s), "the body has no printable text")
}

// title is the title of such a page, for the message.
func title(page string) string {
	_, rest, _ := strings.Cut(page, "<title>")
	s, _, found := strings.Cut(rest, "</title>")
	if !found {
		return ""
	}
	return fmt.Sprintf(" with the title %q", short(strings.TrimSpace(s)))
}

// maxMessage is the number of characters kept of a provider's message.
const maxMessage = 400

// short makes a text one line of bounded length.
func short(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxMessage*utf8.UTFMax)], "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > maxMessage {
		s = string(r[:maxMessage]) + "..."
	}
	return s
}
