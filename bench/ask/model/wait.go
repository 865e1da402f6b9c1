package model

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is the longest wait that is believed. A larger number counts as none: no provider means
// it.
const longest = 31 * 24 * time.Hour

// serverNow returns the time of a response by its server's clock, which its other times refer to:
// otherwise a machine with a wrong clock would wait for hours, or not at all. Dates are whole
// seconds, so the own clock is better if the two agree.
func serverNow(h http.Header, now time.Time) time.Time {
	const agree = 2 * time.Second
	if t, err := http.ParseTime(h.Get("Date")); err == nil && t.Sub(now).Abs() > agree {
		return t
	}
	return now
}

// retryAfter returns how long a provider that limits requests asks to wait: the time it states, or
// else the longest time until one of its limits resets. 0 means that it does not say.
func retryAfter(h http.Header, inBody time.Duration, now time.Time) time.Duration {
	return cmp.Or(stated(h, inBody, now), reset(h, now))
}

// stated returns the wait that a provider states: Retry-After-Ms, Retry-After, or the RetryInfo of
// a body, in this order. Limits do not count: providers send them with every response, also with
// failures that have nothing to do with them.
func stated(h http.Header, inBody time.Duration, now time.Time) time.Duration {
	after := h.Get("Retry-After")
	at, _ := http.ParseTime(after) // what is none is long ago
	return cmp.Or(seconds(h.Get("Retry-After-Ms"), time.Millisecond), seconds(after, time.Second), believable(at.Sub(now)), believable(inBody))
}

// reset returns the time until the tightest limit is whole again.
func reset(h http.Header, now time.Time) time.Duration {
	var most time.Duration
	for name, values := range h {
		if len(values) == 0 {
			continue
		}
		name, v := strings.ToLower(name), values[0]
		if strings.HasPrefix(name, "x-ratelimit-reset-") {
			d, err := time.ParseDuration(v)
			if err != nil {
				d = seconds(v, time.Second)
			}
			most = max(most, believable(d))
		} else if strings.HasPrefix(name, "anthropic-ratelimit-") && strings.HasSuffix(name, "-reset") {
			if t, err := time.Parse(time.RFC3339, v); err == nil {
				most = max(most, believable(t.Sub(now)))
			}
		}
	}
	return most
}

// seconds reads a number of units, which may have a fraction; anything else is 0.
func seconds(s string, unit time.Duration) time.Duration {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(x) || x <= 0 || x > float64(longest/unit) {
		return 0
	}
	return time.Duration(x * float64(unit))
}

// believable is a time to wait that a server asks for, or 0 if it is none or absurdly long.
func believable(d time.Duration) time.Duration {
	if d <= 0 || d > longest {
		return 0
	}
	return d
}

// limits returns what is left of the rate limits, the tightest of each kind.
func limits(h http.Header, now time.Time) Limits {
	l := Limits{RemainingRequests: -1, RemainingTokens: -1, Reset: reset(h, now)}
	for name, to := range map[string]*int{
		"X-Ratelimit-Remaining-Requests":              &l.RemainingRequests,
		"Anthropic-Ratelimit-Requests-Remaining":      &l.RemainingRequests,
		"X-Ratelimit-Remaining-Tokens":                &l.RemainingTokens,
		"Anthropic-Ratelimit-Tokens-Remaining":        &l.RemainingTokens,
		"Anthropic-Ratelimit-Input-Tokens-Remaining":  &l.RemainingTokens,
		"Anthropic-Ratelimit-Output-Tokens-Remaining": &l.RemainingTokens,
	} {
		if n, err := strconv.Atoi(h.Get(name)); err == nil && n >= 0 && (*to < 0 || n < *to) {
			*to = n
		}
	}
	return l
}
