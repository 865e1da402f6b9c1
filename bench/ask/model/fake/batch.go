package fake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ein/internal/compact"
)

// batch is requests that were given at once, and what became of them. It is answered when it is
// submitted, and shows its answers when the latency of the server is over, so nothing runs in the
// background.
type batch struct {
	id, tag string
	file    string // of requests; "" where they are in the body
	path    string // that they are for, likewise
	model   string // of the path, as Gemini has it
	created time.Time
	items   []item
	end     string // how it ends, in the words of the faults: "" is well
}

// item is a request of a batch.
type item struct {
	id    string
	body  json.RawMessage
	reply string   // of a model
	why   *problem // in place of a reply
	late  string   // neither: expired, cancelled
}

// bulk is a format with batches.
type bulk interface {
	format
	// submit reads a request for a batch. Of OpenAI's the items are in a file.
	submit(s *Server, name string, body []byte) (*batch, *problem)
	// shown is a batch as it is listed, and page a list of them.
	shown(b *batch, ended bool) string
	page(items []string, last string, more bool) string
	// outcome is a line of results. Those that are errors may be in a file of their own.
	outcome(*item) string
}

// batchRoute parses the path of a request about batches: the format, and what follows the path of
// batches, which is an id and a verb or nothing. For the files of Gemini, which have paths of their
// own for upload and download, that is "file/" and an id.
func batchRoute(r *http.Request) (f bulk, rest string, ok bool) {
	path, upload := strings.CutPrefix(strings.TrimPrefix(r.URL.Path, "/"), "upload/")
	version, path, _ := strings.Cut(strings.TrimPrefix(path, "download/"), "/")
	below := func(name string) bool {
		rest, ok = strings.CutPrefix(path, name)
		ok = ok && (rest == "" || rest[0] == '/')
		rest = strings.TrimPrefix(rest, "/")
		return ok
	}
	google := upload || version == "v1beta" || r.Header.Get("X-Goog-Api-Key") != ""
	switch {
	case version != "v1" && version != "v1beta":
	case below("messages/batches"):
		return anthropic{}, rest, true
	case below("batches") && google:
		return gemini{}, strings.Replace(rest, ":", "/", 1), true
	case strings.HasSuffix(path, ":batchGenerateContent"):
		return gemini{}, "", true
	case below("batches"):
		return openAI{}, rest, true
	case below("files") && google:
		return gemini{}, strings.Replace("file/"+rest, ":", "/", 1), true
	case below("files"):
		return openAI{}, strings.TrimSuffix("file/"+rest, "/"), true
	}
	return nil, "", false
}

// serveBatches answers what is asked about batches.
func (s *Server) serveBatches(w http.ResponseWriter, r *http.Request, f bulk, rest string) *problem {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBatch))
	if err != nil {
		return &problem{http.StatusRequestEntityTooLarge, "request_too_large", "", "the batch is too large", ""}
	}
	if p := f.authorize(r, s.opt.Key); p != nil && r.URL.Query().Get("upload_id") != s.uploadID() {
		return p
	}
	if fault := s.fault(s.faults, []byte(r.Method+r.URL.String()), body); fault != nil {
		return s.meet(w, r, f, fault)
	}
	id, verb, _ := strings.Cut(rest, "/")
	post := r.Method == http.MethodPost
	switch {
	case post && id == "file" && f == bulk(gemini{}):
		return s.uploadResumable(w, r, body)
	case post && id == "file":
		r.Body = io.NopCloser(bytes.NewReader(body))
		return s.upload(w, r)
	case post && id == "":
		return s.submit(w, r, f, body)
	case id == "file" && !post:
		return s.file(w, f, verb)
	case id == "" && r.Method == http.MethodGet:
		return s.listBatches(w, r, f)
	}
	b := s.batch(f, id)
	switch {
	case b == nil:
		return &problem{http.StatusNotFound, "not_found_error", "", "There is no batch " + id + ".", ""}
	case verb == "" && r.Method == http.MethodGet:
		return s.say(w, f.shown(b, s.ended(b)))
	case verb == "results" && r.Method == http.MethodGet:
		return s.results(w, f, b, func(*item) bool { return true })
	case verb == "cancel" && post:
		s.mu.Lock()
		if !s.ended(b) {
			b.cancel(0)
			b.created = time.Time{} // it ends now
		}
		s.mu.Unlock()
		return s.say(w, f.shown(b, s.ended(b)))
	default:
		return &problem{http.StatusMethodNotAllowed, "invalid_request_error", "", "this is not a request about a batch", ""}
	}
}

// maxBatch bounds what is sent at once.
const maxBatch = 256 << 20

// say answers well, so without a problem.
func (s *Server) say(w http.ResponseWriter, text string) *problem {
	s.count(func(c *Stats) { c.Answered++ })
	write(w, http.StatusOK, text)
	return nil
}

// ended reports whether a batch shows its results.
func (s *Server) ended(b *batch) bool { return time.Since(b.created) >= s.opt.Latency }

// provider is the name of the provider of a format; both formats of OpenAI have one list of
// batches.
func provider(f format) string {
	name, _, _ := f.models()
	return name
}

// batch returns the batch with an id, nil if there is none.
func (s *Server) batch(f format, id string) *batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches[provider(f)] {
		if b.id == id {
			return b
		}
	}
	return nil
}

// submit makes a batch, and asks the baseline all of it.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, f bulk, body []byte) *problem {
	b, p := f.submit(s, strings.TrimSuffix(path.Base(r.URL.Path), ":batchGenerateContent"), body)
	if p != nil {
		return p
	}
	fault := s.fault(s.batchFaults, []byte("batch"), nil)
	const large = 4 // requests
	if fault != nil {
		s.count(func(c *Stats) { c.Faults[fault.Name]++ })
		if fault.Name == "batch-too-large" && len(b.items) > large {
			return &problem{http.StatusRequestEntityTooLarge, "request_too_large", "request_too_large", "The batch is too large.", ""}
		}
		b.end = strings.TrimPrefix(fault.Name, "batch-")
	}
	billed, err := s.work(r.Context(), r.Header, f, b)
	if err != nil {
		return nil // the client has gone
	}
	s.mu.Lock()
	key := provider(f)
	b.id, b.created = "batch_"+idOf([]byte(key + strconv.Itoa(len(s.batches[key]))))[:16], time.Now()
	s.batches[key] = append(s.batches[key], b)
	s.stats.Batches++
	s.stats.Batched += billed
	s.mu.Unlock()
	if b.end == "lost" {
		panic(http.ErrAbortHandler) // it is there, and nobody is told
	}
	return s.say(w, f.shown(b, false))
}

// work answers the requests of a batch, as far as it comes, and counts the answers. A fault leaves
// requests without an answer by their places, so the same batch always ends the same way.
func (s *Server) work(ctx context.Context, h http.Header, f bulk, b *batch) (billed int, err error) {
	for i := range b.items {
		it := &b.items[i]
		const third = 3
		switch {
		case b.end == "failed" || b.end == "expired" && i%2 == 1:
			it.late = "expired"
			continue
		case b.end == "errored" && i%third == 1:
			it.why = &problem{http.StatusInternalServerError, "api_error", "server_error", "The server had an error while processing this request.", ""}
			continue
		}
		var of format = f
		if b.path == responsesPath {
			of = responses{}
		}
		q, p := of.parse(h, b.model, it.body)
		if p != nil {
			it.why = p
			continue
		}
		a, err := s.answer(ctx, q)
		if err != nil {
			return 0, err
		}
		a.id = idOf(it.body)
		it.reply = of.reply(q, a)
		billed++
	}
	if b.end == "cancelled" {
		b.cancel(len(b.items) / 2)
	}
	return billed, nil
}

// cancel leaves requests from a place on without an answer.
func (b *batch) cancel(from int) {
	b.end = "cancelled"
	for i := from; i < len(b.items); i++ {
		b.items[i] = item{id: b.items[i].id, late: "cancelled"}
	}
}

// counts returns how many requests of a batch were answered, refused, expired and cancelled.
func (b *batch) counts() (done, refused, expired, cancelled int) {
	for i := range b.items {
		switch it := &b.items[i]; {
		case it.late == "expired":
			expired++
		case it.late != "":
			cancelled++
		case it.why != nil:
			refused++
		default:
			done++
		}
	}
	return done, refused, expired, cancelled
}

// results writes the lines of a batch that has ended, in another order than the requests came:
// clients have to go by the ids.
func (s *Server) results(w http.ResponseWriter, f bulk, b *batch, wanted func(*item) bool) *problem {
	if !s.ended(b) {
		return &problem{http.StatusNotFound, "not_found_error", "", "The results are not there yet.", ""}
	}
	s.count(func(c *Stats) { c.Answered++ })
	w.Header().Set("Content-Type", "application/x-jsonl")
	for i := len(b.items) - 1; i >= 0; i-- { // the order is not that of the requests
		if it := &b.items[i]; wanted(it) {
			_, _ = io.WriteString(w, f.outcome(it)+"\n") // a client that has gone is none of ours
		}
	}
	return nil
}

// listBatches answers with a page of batches, the newest first.
func (s *Server) listBatches(w http.ResponseWriter, r *http.Request, f bulk) *problem {
	q := r.URL.Query()
	limit := 20
	after := ""
	for _, name := range []string{"limit", "pageSize"} {
		if n, err := strconv.Atoi(q.Get(name)); err == nil && n > 0 {
			limit = n
		}
	}
	for _, name := range []string{"after", "after_id", "pageToken"} {
		after += q.Get(name)
	}
	s.mu.Lock()
	list := slices.Clone(s.batches[provider(f)])
	s.mu.Unlock()
	slices.Reverse(list)
	if at := slices.IndexFunc(list, func(b *batch) bool { return b.id == after }); at >= 0 {
		list = list[at+1:]
	}
	more := len(list) > limit
	list = list[:min(limit, len(list))]
	items, last := make([]string, len(list)), ""
	for i, b := range list {
		items[i], last = f.shown(b, s.ended(b)), b.id
	}
	return s.say(w, f.page(items, last, more))
}

// upload keeps a file for OpenAI's batches.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) *problem {
	file, head, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" || !strings.HasSuffix(head.Filename, ".jsonl") {
		return &problem{http.StatusBadRequest, "invalid_request_error", "", "expected a *.jsonl file with the purpose batch, as multipart/form-data", "file"}
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil // it is in memory, or the disk is full
	}
	id := s.keep(text)
	return s.say(w, fmt.Sprintf(`{"id":%q,"object":"file","bytes":%d,"created_at":%d,"filename":%s,"purpose":"batch","status":"processed"}`, id, len(text), time.Now().Unix(), quote(head.Filename)))
}

// keep keeps a file, and gives its name.
func (s *Server) keep(file []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("file-%d", len(s.files))
	s.files[id] = file
	return id
}

// uploadID returns a secret that only a client who began an upload knows; it stands for the key.
func (s *Server) uploadID() string {
	return idOf([]byte("upload" + s.opt.Key))
}

// uploadResumable keeps a file for Gemini's batches: a first request says what comes, and is
// told where to send it.
func (s *Server) uploadResumable(w http.ResponseWriter, r *http.Request, body []byte) *problem {
	const header = "X-Goog-Upload-"
	command, size := r.Header.Get(header+"Command"), r.URL.Query().Get("size")
	switch {
	case command == "start" && r.Header.Get(header+"Protocol") == "resumable":
		w.Header().Set(header+"Status", "active")
		w.Header().Set(header+"URL", "http://"+r.Host+r.URL.Path+"?upload_id="+s.uploadID()+"&size="+url.QueryEscape(r.Header.Get(header+"Header-Content-Length")))
		return s.say(w, "{}")
	case command == "upload, finalize" && r.Header.Get(header+"Offset") == "0" && size == strconv.Itoa(len(body)):
		w.Header().Set(header+"Status", "final")
		return s.say(w, fmt.Sprintf(`{"file":{"name":"files/%s","mimeType":"application/jsonl","sizeBytes":%q,"state":"ACTIVE"}}`, s.keep(body), size))
	default:
		return &problem{http.StatusBadRequest, "INVALID_ARGUMENT", "", fmt.Sprintf("Upload: unexpected command %q with %d of %s bytes", command, len(body), size), ""}
	}
}

// file serves the content of a file of results.
func (s *Server) file(w http.ResponseWriter, f bulk, rest string) *problem {
	id, verb, _ := strings.Cut(rest, "/")
	kind, of, _ := strings.Cut(id, "-")
	b := s.batch(f, of)
	if b == nil || verb != "content" && verb != "download" {
		return &problem{http.StatusNotFound, "invalid_request_error", "", "No such File object: " + id, "id"}
	}
	return s.results(w, f, b, func(it *item) bool {
		return f == bulk(gemini{}) && it.late == "" || f != bulk(gemini{}) && (it.reply == "") == (kind == "errors")
	})
}

const (
	chatPath      = "/v1/chat/completions"
	responsesPath = "/v1/responses"
)

func (openAI) submit(s *Server, _ string, body []byte) (*batch, *problem) {
	var q struct {
		File     string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	if p := openAIRead(body, &q, "output_expires_after"); p != nil {
		return nil, p
	}
	s.mu.Lock()
	file, ok := s.files[q.File]
	s.mu.Unlock()
	switch {
	case !ok:
		return nil, openAIBad("invalid_value", "input_file_id", "No such File object: %s", q.File)
	case q.Window != "24h":
		return nil, openAIBad("invalid_value", "completion_window", "Invalid value: '%s'. Supported values are: '24h'.", q.Window)
	case q.Endpoint != chatPath && q.Endpoint != responsesPath:
		return nil, openAIBad("invalid_value", "endpoint", "Invalid value: '%s'.", q.Endpoint)
	}
	b := &batch{tag: string(compact.Must(q.Metadata)), file: q.File, path: q.Endpoint}
	seen := map[string]bool{}
	for line := range bytes.Lines(file) {
		var one struct {
			ID     string          `json:"custom_id"`
			Method string          `json:"method"`
			URL    string          `json:"url"`
			Body   json.RawMessage `json:"body"`
		}
		if name, err := strict(line, &one, ""); err != nil || name != "" || one.ID == "" || seen[one.ID] || one.Method != http.MethodPost || one.URL != q.Endpoint {
			return nil, openAIBad("invalid_value", "input_file_id", "line %d of the file is not a request for this batch", len(b.items)+1)
		}
		seen[one.ID] = true
		b.items = append(b.items, item{id: one.ID, body: one.Body})
	}
	if len(b.items) == 0 || len(b.items) > 50_000 {
		return nil, openAIBad("invalid_value", "input_file_id", "The file has %d requests, expected 1 to 50000.", len(b.items))
	}
	return b, nil
}

func (openAI) shown(b *batch, ended bool) string {
	status, output, errored, failure := "in_progress", "null", "null", "null"
	done, refused, expired, cancelled := 0, 0, 0, 0
	if ended {
		done, refused, expired, cancelled = b.counts()
		switch status = "completed"; b.end {
		case "expired", "cancelled":
			status = b.end
		case "failed":
			status, failure = b.end, `{"object":"list","data":[{"code":"token_limit_exceeded","message":"Enqueued token limit reached.","param":null,"line":null}]}`
		}
		if status != "failed" {
			output = quote("output-" + b.id)
			if refused+expired+cancelled > 0 {
				errored = quote("errors-" + b.id)
			}
		}
	}
	return fmt.Sprintf(`{"id":%q,"object":"batch","endpoint":%q,"errors":%s,"input_file_id":%q,"completion_window":"24h","status":%q,"output_file_id":%s,"error_file_id":%s,`+
		`"created_at":%d,"metadata":%s,"request_counts":{"total":%d,"completed":%d,"failed":%d}}`,
		b.id, b.path, failure, b.file, status, output, errored, b.created.Unix(), b.tag, len(b.items), done, refused)
}

func (openAI) page(items []string, _ string, more bool) string {
	return fmt.Sprintf(`{"object":"list","data":[%s],"has_more":%v}`, strings.Join(items, ","), more)
}

func (f openAI) outcome(it *item) string {
	response, failed := "null", "null"
	switch {
	case it.late != "":
		failed = fmt.Sprintf(`{"code":"batch_%s","message":"This request was not executed."}`, it.late)
	case it.why != nil:
		response = fmt.Sprintf(`{"status_code":%d,"request_id":"req_fake","body":%s}`, it.why.status, f.problem(it.why))
	default:
		response = fmt.Sprintf(`{"status_code":200,"request_id":"req_fake","body":%s}`, it.reply)
	}
	return fmt.Sprintf(`{"id":"batch_req_%s","custom_id":%s,"response":%s,"error":%s}`, it.id, quote(it.id), response, failed)
}

func (anthropic) submit(_ *Server, _ string, body []byte) (*batch, *problem) {
	var q struct {
		Requests []struct {
			ID     string          `json:"custom_id"`
			Params json.RawMessage `json:"params"`
		} `json:"requests"`
	}
	if name, err := strict(body, &q, ""); err != nil || name != "" || len(q.Requests) == 0 || len(q.Requests) > 100_000 {
		return nil, anthropicBad("requests: expected 1 to 100000 of {custom_id, params}, and nothing else %s", name)
	}
	b := &batch{}
	seen := map[string]bool{}
	for i, one := range q.Requests {
		if !customID(one.ID) || seen[one.ID] {
			return nil, anthropicBad("requests.%d.custom_id: it has to be unique, and match ^[a-zA-Z0-9_-]{1,64}$", i)
		}
		seen[one.ID] = true
		b.items = append(b.items, item{id: one.ID, body: one.Params})
	}
	return b, nil
}

// customID reports whether an id has the form that Anthropic asks for.
func customID(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

func (anthropic) shown(b *batch, ended bool) string {
	status, url := "in_progress", "null"
	processing, done, refused, expired, cancelled := len(b.items), 0, 0, 0, 0
	stamp := "null"
	if ended {
		status, url, processing, stamp = "ended", quote("/v1/messages/batches/"+b.id+"/results"), 0, quote(time.Now().UTC().Format(time.RFC3339))
		done, refused, expired, cancelled = b.counts()
	}
	return fmt.Sprintf(`{"id":%q,"type":"message_batch","processing_status":%q,"request_counts":{"processing":%d,"succeeded":%d,"errored":%d,"canceled":%d,"expired":%d},`+
		`"created_at":%q,"expires_at":%q,"ended_at":%s,"archived_at":null,"cancel_initiated_at":null,"results_url":%s}`, b.id, status, processing, done, refused, cancelled, expired,
		b.created.UTC().Format(time.RFC3339), b.created.Add(24*time.Hour).UTC().Format(time.RFC3339), stamp, url)
}

func (anthropic) page(items []string, last string, more bool) string {
	return fmt.Sprintf(`{"data":[%s],"has_more":%v,"first_id":null,"last_id":%s}`, strings.Join(items, ","), more, quote(last))
}

func (f anthropic) outcome(it *item) string {
	result := `{"type":"succeeded","message":` + it.reply + "}"
	switch {
	case it.late == "cancelled":
		result = `{"type":"canceled"}`
	case it.late != "":
		result = `{"type":"expired"}`
	case it.why != nil:
		result = fmt.Sprintf(`{"type":"errored","error":%s}`, f.problem(it.why))
	}
	return fmt.Sprintf(`{"custom_id":%s,"result":%s}`, quote(it.id), result)
}

func (gemini) submit(s *Server, name string, body []byte) (*batch, *problem) {
	type request struct {
		Key      string                     `json:"key"` // in a file
		Request  map[string]json.RawMessage `json:"request"`
		Metadata json.RawMessage            `json:"metadata"` // in a body
	}
	var q struct {
		Batch struct {
			Tag   string `json:"displayName"`
			Input struct {
				File     string `json:"fileName"`
				Requests struct {
					List []request `json:"requests"`
				} `json:"requests"`
			} `json:"inputConfig"`
		} `json:"batch"`
	}
	field, err := strict(body, &q, "")
	list := q.Batch.Input.Requests.List
	b := &batch{tag: q.Batch.Tag, model: name, file: q.Batch.Input.File}
	s.mu.Lock()
	file, ok := s.files[strings.TrimPrefix(b.file, "files/")]
	s.mu.Unlock()
	for line := range bytes.Lines(file) {
		var one request
		name, err := strict(line, &one, "")
		if err != nil || name != "" || one.Key == "" || one.Metadata != nil {
			return nil, geminiBad("line %d of the file is not a request with a key", len(list)+1)
		}
		list = append(list, one)
	}
	switch {
	case err != nil || field != "":
		return nil, geminiBad("Invalid JSON payload received. Unknown name %q: Cannot find field. %v", field, err)
	case !exists("gemini", name):
		return nil, &problem{http.StatusNotFound, "NOT_FOUND", "", "models/" + name + " is not found for API version v1beta.", ""}
	case b.file != "" && !ok:
		return nil, &problem{http.StatusNotFound, "NOT_FOUND", "", "There is no file " + b.file + ".", ""}
	case b.tag == "" || len(list) == 0:
		return nil, geminiBad("* BatchGenerateContentRequest.batch: displayName and requests are needed")
	}
	for _, one := range list {
		delete(one.Request, "model")
		id := `"metadata":` + string(one.Metadata)
		if b.file != "" {
			id = `"key":` + quote(one.Key)
		}
		b.items = append(b.items, item{id: id, body: compact.Must(one.Request)})
	}
	return b, nil
}

func (f gemini) shown(b *batch, ended bool) string {
	state, output, failed := "BATCH_STATE_RUNNING", "", ""
	if ended {
		switch state = "BATCH_STATE_SUCCEEDED"; b.end {
		case "expired", "cancelled":
			state = "BATCH_STATE_" + strings.ToUpper(b.end)
		case "failed":
			state, failed = "BATCH_STATE_FAILED", `,"error":{"code":13,"message":"The batch has failed."}`
		}
		var lines []string
		for i := range b.items {
			if b.items[i].late == "" && b.file == "" {
				lines = append(lines, f.outcome(&b.items[i]))
			}
		}
		if b.file != "" && b.end != "failed" {
			output = `,"output":{"responsesFile":"files/output-` + b.id + `"}`
		} else if len(lines) > 0 {
			output = `,"output":{"inlinedResponses":{"inlinedResponses":[` + strings.Join(lines, ",") + `]}}`
		}
	}
	stamp := b.created.UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"name":"batches/%s","done":%v%s,"metadata":{"@type":"type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch","name":"batches/%s","model":"models/%s",`+
		`"displayName":%s,"state":%q,"createTime":%q,"updateTime":%q%s}}`, b.id, ended, failed, b.id, b.model, quote(b.tag), state, stamp, stamp, output)
}

func (gemini) page(items []string, last string, more bool) string {
	next := ""
	if more {
		next = `,"nextPageToken":` + quote(last)
	}
	return fmt.Sprintf(`{"operations":[%s]%s}`, strings.Join(items, ","), next)
}

func (gemini) outcome(it *item) string {
	what := `"response":` + it.reply
	if it.why != nil {
		const invalid, internal = 3, 13 // of google.rpc
		code := invalid
		if it.why.status >= http.StatusInternalServerError {
			code = internal
		}
		what = fmt.Sprintf(`"error":{"code":%d,"message":%s}`, code, quote(it.why.message))
	}
	return fmt.Sprintf(`{%s,%s}`, it.id, what)
}
