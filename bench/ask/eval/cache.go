package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ein/bench/ask/model"
	"ein/bench/question/prompt"
	"ein/internal/compact"
	"ein/internal/job"
)

// cache keeps complete responses in files named by their requests. A file never changes, so any
// number of runs can share a folder.
type cache struct {
	dir     string
	model   string
	baseURL string
}

// entry is the content of a file: a response, and the SHA-256 of its text.
type entry struct {
	SHA256   string          `json:"sha256"`
	Response json.RawMessage `json:"response"`
}

// turnsFolder holds the turns of a run without a cache, so that a resumed run does not pay for them
// again.
const turnsFolder = "turns"

// newCache returns nil if nothing is to be kept. Baselines are never cached: they depend on more
// than the request.
func newCache(o *Options) (*cache, error) {
	dir := o.Cache
	if dir == "" && slices.Contains(o.Modes, prompt.Tool) {
		dir = filepath.Join(o.Dir, turnsFolder)
	}
	if dir == "" || strings.HasPrefix(o.Model.Name(), "baseline:") {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &cache{dir, o.Model.Name(), o.BaseURL}, nil
}

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// name returns the file of a request: the SHA-256 of provider, address, body and sample.
func (c *cache) name(body json.RawMessage, sample int) (string, error) {
	var canonical any // the order of members does not count
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&canonical); err != nil {
		return "", err
	}
	key, err := json.Marshal(struct {
		Model   string `json:"model"`
		BaseURL string `json:"base_url"`
		Body    any    `json:"body"`
		Sample  int    `json:"sample"`
	}{c.model, c.baseURL, canonical, sample})
	if err != nil {
		return "", err
	}
	text := hash(key)
	return filepath.Join(c.dir, text[:2], text+".json"), nil
}

// get returns the response in a file, or nil if there is no file. A damaged file is an error, and
// the cache treats it as absent.
func (c *cache) get(name string) (*model.Response, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return entryOf(name, b)
}

// entryOf reads the content of a file.
func entryOf(name string, b []byte) (*model.Response, error) {
	var e entry
	if err := json.Unmarshal(b, &e); err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	if e.SHA256 != hash(e.Response) {
		return nil, fmt.Errorf("%s: the checksum does not match the content", name)
	}
	r := &model.Response{}
	if err := json.Unmarshal(e.Response, r); err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	return r, nil
}

// put keeps a complete response. After a crash the whole file is there, or none.
func (c *cache) put(name string, r *model.Response) error {
	switch r.Finish {
	case model.Stop:
		if r.Text == "" {
			return nil
		}
	case model.Length, model.Refusal, model.ContentFilter, model.ToolCalls:
	default:
		return nil
	}
	kept := *r
	kept.Limits = model.Limits{} // of that moment
	response, err := compact.JSON(&kept)
	if err != nil {
		return err
	}
	b, err := compact.JSON(&entry{hash(response), response})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return job.ReplaceBytes(name, b)
}
