// Package run reads, writes and scores the directory of an evaluation: what was asked,
// what the model replied, and how the replies scored. Every table can be rebuilt from it.
//
//	run.json         the configuration, as sent; written once
//	instances.jsonl  the instances that are asked, in all encodings
//	replies.jsonl    one line for each reply; only ever appended to
//	scores.jsonl     one line for each reply; derived, rewritten by scoring
//	log.jsonl        failures, retries and times; no result depends on it
//	billed.json      what requests without a reply may have cost, if the cost is bounded
//	batches.json     the provider's batches, as long as there are any
//	lock             held while a run is written
//
// [Read] gives a [Run], whose [Row] is one question in one mode, encoding and sample, with
// its [Reply] and [Score] if it has them. [Judge] scores the replies, [Repair] recovers a
// damaged directory, and [Merge] makes one of several shards.
//
// A line of replies or scores is a JSON object whose last member, "crc", is the CRC-32C
// of the line without it. A reply counts as done once it is on disk. It holds a digest of
// what was asked, and a score holds the checksum of its reply, so that edited or foreign
// lines are detected.
package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"sync"

	"ein/bench/ask/model"
	"ein/bench/judge/verdict"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/compact"
)

// Format is the version of the directory. In format 1, which can be read, nothing said
// what a reply and a score belong to.
const (
	Format      = 2
	firstFormat = 1
)

// Scoring is a digest of the published test vectors of scoring: it changes with the rules, not with
// the build.
const Scoring = "f4bef6ff2b09"

// Config is what a run depends on. A directory belongs to one configuration.
type Config struct {
	Format    int                             `json:"format"`
	Ein       string                          `json:"ein"`   // version of the tool that began the run
	Model     string                          `json:"model"` // PROVIDER:NAME
	BaseURL   string                          `json:"base_url,omitempty"`
	Headers   []string                        `json:"headers,omitempty"` // that the user gave; their names
	Modes     []prompt.Mode                   `json:"modes"`
	Encodings []surface.Encoding              `json:"encodings"`
	Samples   int                             `json:"samples"`
	Turns     int                             `json:"turns,omitempty"` // most requests of a reply, in modes with tools
	Params    model.Params                    `json:"params"`
	Instances Source                          `json:"instances"`
	Prompts   map[prompt.Mode]string          `json:"prompts"`
	Sent      map[prompt.Mode]json.RawMessage `json:"sent"` // the body of a request, with "{question}" for the question
	Price     *Price                          `json:"price,omitempty"`
	Scoring   string                          `json:"scoring,omitempty"` // rules, as of Scoring; none in format 1
	// Accepted is what the run went on with although it was begun with something else.
	Accepted []Version `json:"accepted,omitempty"`
}

// Version is the part of a configuration that may change with the version of the tool.
type Version struct {
	Ein     string                          `json:"ein"`
	Prompts map[prompt.Mode]string          `json:"prompts"`
	Sent    map[prompt.Mode]json.RawMessage `json:"sent"`
	Scoring string                          `json:"scoring"`
}

// versions returns the configurations under which replies of a run may have been asked. The last is in
// force.
func (c *Config) versions() []Config {
	next := *c
	next.Accepted = nil
	list := []Config{next}
	for _, v := range c.Accepted {
		next.Ein, next.Prompts, next.Sent, next.Scoring = v.Ein, v.Prompts, v.Sent, v.Scoring
		list = append(list, next)
	}
	return list
}

// Current returns the configuration that is in force.
func (c *Config) Current() Config {
	list := c.versions()
	return list[len(list)-1]
}

// digest identifies what was asked, and is in every reply. It does not depend on the version of ein,
// the server or the shard.
func (c Config) digest() string {
	c.Format, c.Ein, c.Instances.File, c.Instances.Shard, c.BaseURL, c.Scoring, c.Accepted = 0, "", "", "", "", "", nil
	return digest(compact.Must(tree(&c))) // with its members in order
}

// digest returns the beginning of the SHA-256 of a text.
func digest(b []byte) string {
	const bytes = 6
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:bytes])
}

// Source is the file of instances of a run, and the selection from it.
type Source struct {
	File       string   `json:"file"` // base name
	SHA256     string   `json:"sha256"`
	Count      int      `json:"count"`           // taken
	Shard      string   `json:"shard,omitempty"` // I/N, when these are asked in parts
	Limit      int      `json:"limit,omitempty"`
	Categories []string `json:"categories,omitempty"`
	Surfaces   int      `json:"surfaces,omitempty"` // of each, when they are several
}

// Price is dollars for a million tokens. Input is for those not from a cache, Output includes
// reasoning.
type Price struct {
	Input       float64  `json:"input"`
	CachedInput *float64 `json:"cached_input,omitempty"` // Input, when not given
	Output      float64  `json:"output"`
}

// Key names a reply in a run. The encoding is part of the id.
type Key struct {
	ID     string      `json:"id"`
	Mode   prompt.Mode `json:"mode"`
	Sample int         `json:"sample"` // from 0
}

// Reply is a line of replies.jsonl.
type Reply struct {
	Key
	Model     string       `json:"model"` // as the provider resolved the name
	Reply     string       `json:"reply"`
	Finish    model.Finish `json:"finish"`
	Reasoning string       `json:"reasoning,omitempty"`
	Turns     []Turn       `json:"turns,omitempty"` // before it
	Usage     model.Usage  `json:"usage"`
	Cost      float64      `json:"cost,omitempty"` // dollars; 0 without a price
	Run       string       `json:"run,omitempty"`  // digest of the configuration; none in format 1
}

// Score is a line of scores.jsonl.
type Score struct {
	Key
	verdict.Verdict
	Scoring string `json:"scoring,omitempty"` // the rules; none in format 1
	Of      string `json:"of,omitempty"`      // the checksum of the reply
}

// Row is one request of a run: a question in one mode, encoding and sample.
type Row struct {
	Instance *instance.Instance
	Key
	Encoding surface.Encoding
	Reply    *Reply // nil: not asked yet, or failed for outside reasons
	Score    *Score // nil without a reply; never nil with one, once scored

	seeds    [2]uint64 // of the instance, which in a light run many rows share: structure, surface
	spent    Spent     // of the reply, likewise
	dialogue Dialogue  // likewise
	said     uint64    // of the score, likewise
	corrects bool      // of a light run, what the texts said
	sum      [8]byte   // checksum of the line of the reply

	// Where the lines of these three are in their files, of a run that was read without
	// texts.
	instance, reply, score int64
}

// Structure returns the seed of the graph: rows with the same one have the same graph.
func (r *Row) Structure() uint64 { return cmp.Or(r.seeds[0], r.Instance.StructuralSeed) }

// Surface returns the seed of the wording: rows with the same one have the same wording.
func (r *Row) Surface() uint64 { return cmp.Or(r.seeds[1], r.Instance.SurfaceSeed) }

// second matches words with which a reply takes back what it said before.
var second = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bwait\b|\bhold on\b|\bactually,|\bcorrection\b|\bscratch that\b|` +
		`\blet(?:'s| me| us) (?:re-?(?:count|check|consider|calculate|compute|do|evaluate|examine|read|think|trace|verify|visit)|double[- ]check|start over|try (?:that |this )?again|check (?:that |this |it )?again)\b|` +
		`\bI (?:made (?:a|an) (?:mistake|error)|(?:mis(?:counted|read|sed)|forgot|overlooked)\b)`)
})

// Corrects reports whether the reply or its reasoning corrects itself, as in "Wait, let me recount".
func (r *Row) Corrects() bool {
	return r.corrects || r.Reply != nil && (second().MatchString(r.Reply.Reply) || second().MatchString(r.Reply.Reasoning))
}

// Spent is the usage and cost of a reply.
type Spent struct {
	model.Usage
	Cost    float64
	Counted bool // whether the provider said how many tokens there were, in each turn
}

// spent is what a reply has cost. It is not whole if a turn has text and no tokens, as the usage
// was not told.
func (r *Reply) spent() Spent {
	half := slices.ContainsFunc(r.Turns, func(t Turn) bool { return !t.Usage.Counts(t.Text) })
	return Spent{r.Usage, r.Cost, !half && r.Usage.Counts(r.Reply)}
}

// Spent returns the usage of the reply, zero without one.
func (r *Row) Spent() Spent {
	if r.Reply == nil || r.spent != (Spent{}) {
		return r.spent
	}
	return r.Reply.spent()
}

// Run is a directory that was read. Rows are in the order of instances, then modes, then samples:
// one for every key that the configuration asks for, so that missing replies show.
type Run struct {
	Dir    string
	Config Config
	Rows   []Row
	// Torn is how many bytes at the end of replies.jsonl are no complete line: a
	// writer was stopped there, or is writing them now. They do not count.
	Torn int64
	// Others is how many scores are not by the rules of Scoring.
	Others int

	light bool // read without texts
}

// Replies returns how many replies are there.
func (r *Run) Replies() int {
	n := 0
	for i := range r.Rows {
		if r.Rows[i].Reply != nil {
			n++
		}
	}
	return n
}
