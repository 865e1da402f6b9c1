package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"ein/internal/words"
)

// What is shown of a long job: nothing at first, then a line a few times a second, or,
// where it stays, every half minute.
const (
	progressAfter = 2 * time.Second
	progressEvery = 200 * time.Millisecond
	progressRare  = 30 * time.Second
)

// Progress is a line that says how far a job is. On a terminal, each line replaces the one before.
type Progress struct {
	a           *App
	what        string
	rare        bool       // lines where there is no terminal, too
	lock        sync.Mutex // of what follows: a file may be read beside
	start, last time.Time
	now         func() time.Time
	shown       int // characters on the line
	// The first amount that Of was given, and when: what was done to get there, such as
	// reading the input, says nothing of the rate.
	base  int64
	since time.Time
}

// Progress begins a line about a job, for terminals only.
func (a *App) Progress(what string) *Progress {
	p := &Progress{a: a, what: what, now: time.Now}
	p.start = p.now()
	p.last = p.start
	return p
}

// Rarely begins a line that is also written to logs, now and then.
func (a *App) Rarely(what string) *Progress {
	p := a.Progress(what)
	p.rare = true
	return p
}

// Tell shows a line, if it is time for one.
func (p *Progress) Tell(line func(since time.Duration) string) {
	if !p.a.Terminal && !p.rare {
		return
	}
	every := progressEvery
	if !p.a.Terminal {
		every = progressRare
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	now := p.now()
	if now.Sub(p.start) < progressAfter || now.Sub(p.last) < every {
		return
	}
	p.last = now
	if s := line(now.Sub(p.start)); p.a.Terminal {
		p.put(s)
	} else {
		p.a.Printf("ein: %s\n", s)
	}
}

const barWidth = 20

// Of shows how much of a job is done, and how long the rest takes at the rate since its first call.
// show writes amounts.
func (p *Progress) Of(done, all int64, show func(int64) string) {
	p.lock.Lock()
	if p.since.IsZero() {
		p.base, p.since = done, p.now()
	}
	p.lock.Unlock()
	p.Tell(func(time.Duration) string {
		rate := float64(done-p.base) / max(p.last.Sub(p.since), time.Second).Seconds()
		s := p.what + ": " + show(done)
		if all > 0 {
			s = p.what + " " + bar(uint64(done), uint64(all)) + fmt.Sprintf(", %s of %s", show(done), show(all))
		}
		if rate > 0 {
			s += fmt.Sprintf(", %s/s", show(int64(rate)))
		}
		if all > 0 && rate > 0 {
			s += fmt.Sprintf(", %v left", seconds(float64(all-done)/rate))
		}
		return s
	})
}

// Share shows the share done of the most that a job can take, and what the job is doing.
func (p *Progress) Share(what func() string, done, all uint64) {
	p.Tell(func(since time.Duration) string {
		s := bar(done, all)
		if done > all/1000 {
			s += fmt.Sprintf(", at most %v left", seconds(since.Seconds()*(float64(all)/float64(done)-1)))
		}
		return s + ": " + what()
	})
}

func bar(done, all uint64) string {
	share := float64(done) / float64(max(all, 1))
	return fmt.Sprintf("[%-*s] %3d%%", barWidth, strings.Repeat("#", int(barWidth*share)), int(100*share))
}

func seconds(n float64) time.Duration {
	return time.Duration(min(n, 1e9) * float64(time.Second)).Round(time.Second)
}

// Counter shows how many of all things are done.
func (p *Progress) Counter(before int) func(done, all int) {
	return func(done, all int) { p.Of(int64(before+done), int64(before+all), words.Count) }
}

// Reader counts the bytes that are read from a file of a size, 0 if it is not known.
func (p *Progress) Reader(r io.Reader, size int64) io.Reader { return &progressReader{r, p, 0, size} }

// progressReader reports how much of a file of some size has been read.
type progressReader struct {
	io.Reader
	p       *Progress
	n, size int64
}

func (r *progressReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.n += int64(n)
	r.p.Of(r.n, r.size, func(n int64) string { return words.Bytes(uint64(n)) })
	return n, err
}

// put replaces the line. It must fit the terminal, since \r goes back only one row.
func (p *Progress) put(line string) {
	text := []rune(line)
	if room := p.a.Columns - 1; room > 0 && len(text) > room {
		text = text[:room]
	}
	p.a.Printf("\r%s%s", string(text), strings.Repeat(" ", max(0, p.shown-len(text))))
	p.shown = len(text)
}

// Done removes the line.
func (p *Progress) Done() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.shown > 0 {
		p.put("")
		p.a.Printf("\r")
	}
}
