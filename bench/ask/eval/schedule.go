package eval

import (
	"cmp"
	"math"
	"time"

	"ein/bench/ask/model"
)

// Schedule is how requests are spread over time. Zero values mean the defaults.
//
// The number of requests at a time grows to Max in seconds as long as nothing fails. Then
// it adapts as that of inspect_ai does: it falls once for each episode of rate limits, and
// grows by steps while there are none.
type Schedule struct {
	Start    int           // requests at a time, at first; DefaultStart
	Max      int           // the most of them; DefaultMax
	Cooldown time.Duration // after a cut, in which there is no other and no growth; DefaultCooldown

	// A request that may pass is tried again after Base x 2^tries, at most Cap, less up
	// to a quarter at random; and not before the provider wants it.
	Retries int           // of one request; negative is none; DefaultRetries
	Base    time.Duration // DefaultBase
	Cap     time.Duration // DefaultCap
	// MaxWait is the longest wait that a provider can ask for. A longer one stops
	// the run, so that nobody pays for a machine that waits.
	MaxWait time.Duration // DefaultMaxWait
}

// The defaults of a Schedule.
const (
	DefaultStart    = 20
	DefaultMax      = 100
	DefaultCooldown = 15 * time.Second
	DefaultRetries  = 10
	DefaultBase     = 500 * time.Millisecond
	DefaultCap      = time.Minute
	DefaultMaxWait  = 15 * time.Minute
)

// withDefaults fills in what is 0. Negative retries are none.
func (s Schedule) withDefaults() Schedule {
	s.Max = cmp.Or(s.Max, DefaultMax)
	s.Start = min(cmp.Or(s.Start, DefaultStart), s.Max)
	s.Cooldown = cmp.Or(s.Cooldown, DefaultCooldown)
	s.Retries = max(0, cmp.Or(s.Retries, DefaultRetries))
	s.Base = cmp.Or(s.Base, DefaultBase)
	s.Cap = cmp.Or(s.Cap, DefaultCap)
	s.MaxWait = cmp.Or(s.MaxWait, DefaultMaxWait)
	return s
}

// wait returns the time before a request that has failed tries times is tried again.
func (s *Schedule) wait(tries int, e *model.Error, random func() float64) time.Duration {
	const quarter = 0.25
	d := s.Cap
	if shift := tries - 1; shift < 30 && s.Base<<shift < s.Cap {
		d = s.Base << shift
	}
	d -= time.Duration(quarter * random() * float64(d))
	// All that wait for a provider must not come back at once.
	if e.RetryAfter > 0 {
		d = max(d, e.RetryAfter+time.Duration(quarter*random()*float64(s.Base)))
	}
	return d
}

// pace decides how many requests may be in flight.
type pace struct {
	Schedule
	limit    float64
	streak   int       // replies since the limit was changed
	cooldown time.Time // the end of an episode of rate limits
	pause    time.Time // nothing is asked before it
	failed   bool      // something has: from then on the limit grows with replies
}

func newPace(s Schedule) *pace { return &pace{Schedule: s, limit: float64(s.Start)} }

func (p *pace) slots() int { return max(1, int(p.limit)) }

// ramp is how long it takes to get from Start to Max requests if nothing fails.
const ramp = 5 * time.Second

const (
	cut    = 0.8  // what a rate limit leaves of the requests at a time
	growth = 0.05 // what as many replies as requests at a time add
)

// grow raises the number of requests from the beginning until something fails: if a reply takes
// minutes, growing by a step for each reply would take hours.
func (p *pace) grow(elapsed time.Duration) {
	if !p.failed {
		p.limit = max(p.limit, min(float64(p.Max), float64(p.Start)+float64(p.Max-p.Start)*float64(elapsed)/float64(ramp)))
	}
}

// replied counts a reply.
func (p *pace) replied(now time.Time, l model.Limits) {
	if l.Reset > 0 && (l.RemainingRequests == 0 || l.RemainingTokens == 0) {
		p.hold(now.Add(min(l.Reset, p.Cap)))
	}
	if now.Before(p.cooldown) {
		return
	}
	if p.streak++; p.streak >= p.slots() {
		p.streak = 0
		p.limit = min(float64(p.Max), max(p.limit*(1+growth), math.Floor(p.limit)+1))
	}
}

// limited counts a rate limit, and reports whether it begins an episode.
func (p *pace) limited(now time.Time, after time.Duration) bool {
	begins := !now.Before(p.cooldown)
	if begins {
		p.limit = max(1, p.limit*cut)
		p.streak = 0
		p.cooldown = now.Add(p.Cooldown)
	}
	if after > 0 {
		p.hold(now.Add(after))
		if end := now.Add(after); end.After(p.cooldown) {
			p.cooldown = end
		}
	}
	return begins
}

// hold starts no request before a time; of several, the latest counts.
func (p *pace) hold(until time.Time) {
	if until.After(p.pause) {
		p.pause = until
	}
}
