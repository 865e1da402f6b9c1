package model

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is the longest wait that is believed. A larger one is taken as not said:
// no provider means it.
const longest = 31 * 24 * time.Hour

// serverNow is the time of a response by the clock of its server, which the times in it
// are by: a machine whose clock is wrong would wait for hours, or not at all. Dates are
// whole seconds, so that of clocks that agree the own one is better.
func serverNow(h http.Header, now time.Time) time.Time {
	const agree = 2 * time.Second
	if t, err := http.ParseTime(h.Get("Date")); err == nil && t.Sub(now).Abs() > agree {
		return t
	}
	return now
}

// retryAfter is how long a provider that limits wants to be left alone: what it says
// in so many words, and where it does not, the largest of the times after which its
// limits are whole again. 0 is not said.
func retryAfter(h http.Header, inBody time.Duration, now time.Time) time.Duration {
	if d := stated(h, inBody, now); d > 0 {
		return d
	}
	return reset(h, now)
}

// stated is what a provider says in so many words: Retry-After-Ms, Retry-After, and the
// RetryInfo of a body, in this order. Limits do not count: providers state them in
// every response, also in one whose failure has nothing to do with them.
func stated(h http.Header, inBody time.Duration, now time.Time) time.Duration {
	if d := seconds(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	if v := h.Get("Retry-After"); v != "" {
		if d := seconds(v, time.Second); d > 0 {
			return d
		}
		if t, err := http.ParseTime(v); err == nil {
			if d := believable(t.Sub(now)); d > 0 {
				return d
			}
		}
	}
	return believable(inBody)
}

// reset is the time until the tightest limit is whole again.
func reset(h http.Header, now time.Time) time.Duration {
	var most time.Duration
	for name, values := range h {
		if len(values) == 0 {
			continue
		}
		name, v := strings.ToLower(name), values[0]
		switch {
		case strings.HasPrefix(name, "x-ratelimit-reset-"):
			d, err := time.ParseDuration(v)
			if err != nil {
				d = seconds(v, time.Second)
			}
			most = max(most, believable(d))
		case strings.HasPrefix(name, "anthropic-ratelimit-") && strings.HasSuffix(name, "-reset"):
			if t, err := time.Parse(time.RFC3339, v); err == nil {
				most = max(most, believable(t.Sub(now)))
			}
		}
	}
	return most
}

// seconds reads a number of units, which may have a fraction; 0 when it is none.
func seconds(s string, unit time.Duration) time.Duration {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(x) || x <= 0 || x > float64(longest/unit) {
		return 0
	}
	return time.Duration(x * float64(unit))
}

func believable(d time.Duration) time.Duration {
	if d <= 0 || d > longest {
		return 0
	}
	return d
}

// limits is what is left of the rate limits: the least of what is said.
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
