package model

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ein/internal/compact"
	"ein/internal/lists"
)

// Batcher is a model whose provider also answers many requests at once, within a day and for less.
// A batch is identified by a tag that its requests, or the batch itself, carry, so that it can be
// found again without its id.
type Batcher struct {
	*client
	batchAPI
	others map[string]bool // by id and tag, the ended batches that Find has looked into
}

// BatchState says how far a batch is.
type BatchState struct {
	Ended  bool
	Status string // in the words of the provider
	Failed *Error // of the batch as a whole, or why requests have no answer
}

// UndecidedError is about a batch that may be the wanted one: the provider shows whose it is only
// once it has ended.
type UndecidedError struct{ ID string }

func (e *UndecidedError) Error() string {
	return "the batch " + e.ID + " may belong to this run; the provider tells only once it has ended"
}

// Batches returns the model as a Batcher, or says why it is none.
func Batches(m Model) (*Batcher, error) {
	c, ok := m.(*client)
	if !ok {
		return nil, fmt.Errorf("%s does not support batches; openai, anthropic, gemini and exec do", m.Name())
	}
	return &Batcher{c, c.service.wire.batches(), map[string]bool{}}, nil
}

// batchAPI is how the batches of a provider are found. Paths follow its base URL.
type batchAPI struct {
	requests, bytes int    // at most
	list, cursor    string // path of the first page, and the parameter for another
	page            func(text []byte) (batches []listed, after string, err error)
	status          func(id string) string // path of a batch
	state           func(text []byte) (*listed, error)
}

// listed is a batch as a provider lists it.
type listed struct {
	id, tag string // no tag: it shows in the results alone
	created time.Time
	total   int
	state   BatchState
	files   []string // paths of results
}

// maxResults bounds a file of results, and maxList a page of a list.
const (
	maxResults = 1 << 30
	maxList    = 64 << 20
)

// customID names a request of a batch.
func customID(tag string, at int) string { return tag + "-" + strconv.Itoa(at) }

// Most returns the limits of a batch: requests, and bytes of all of them.
func (b *Batcher) Most() (requests, bytes int) { return b.requests, b.bytes }

// do makes a call, and has the body of the answer read.
func (b *Batcher) do(ctx context.Context, q *call, read func(*received) error) error {
	key, denied := b.key()
	if denied != nil {
		return denied
	}
	full := *q
	full.url = b.base() + q.url
	err := b.send(ctx, key, &full, read)
	if err != nil {
		err = b.withoutKey(key, err)
	}
	if e := (*Error)(nil); errors.As(err, &e) && e.Status == http.StatusNotFound && !b.own {
		e.Hint = "Servers other than the provider's own may not support batches: ask without --batch."
	}
	return err
}

// get reads a body of at most so many bytes.
func (b *Batcher) get(ctx context.Context, path string, most int64) (text []byte, err error) {
	err = b.do(ctx, &call{method: http.MethodGet, url: path}, func(r *received) error {
		text, err = r.all(most)
		return err
	})
	return text, err
}

func post(path, kind string, body []byte) *call {
	return &call{method: http.MethodPost, url: path, kind: kind, body: body}
}

// postJSON posts what can always be encoded.
func postJSON(path string, body any) *call { return post(path, "application/json", compact.Must(body)) }

// odd returns the error of an answer that is not in the provider's format.
func odd(err error, text []byte) error {
	return &Error{Class: Protocol, Status: http.StatusOK, Message: short(fmt.Sprintf("a response about batches is not in the provider's format: %v: %s", err, preview(text))), Err: err}
}

// Submit sends a batch. An error that is not Unbilled may have come after the batch was accepted: Find
// says.
func (b *Batcher) Submit(ctx context.Context, tag string, list []*Request) (id string, err error) {
	bodies := make([]json.RawMessage, len(list))
	for i, r := range list {
		if bodies[i], err = b.Body(r); err != nil {
			return "", err
		}
	}
	for _, step := range b.service.wire.batch(b.name, tag, bodies) {
		q, err := step(id)
		if err != nil {
			return "", err
		}
		err = b.do(ctx, q, func(r *received) error {
			text, err := r.all(maxList)
			if err != nil {
				return err
			}
			var made struct {
				ID, Name string
				File     struct{ Name string }
			}
			err = json.Unmarshal(text, &made)
			if id = cmp.Or(made.ID, made.Name, made.File.Name, r.Header.Get(uploadURL)); id == "" {
				return odd(cmp.Or(err, errors.New("it has no id")), text)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return id, nil
}

// Find returns the id of the batch with a tag, of n requests, which was submitted at a time or later;
// "" when there is none. An *UndecidedError is one that cannot be told yet.
func (b *Batcher) Find(ctx context.Context, tag string, n int, since time.Time) (string, error) {
	const skew = 10 * time.Minute // of the clocks
	since = since.Add(-skew)
	path := b.list
	var undecided error
	for {
		text, err := b.get(ctx, path, maxResults)
		if err != nil {
			return "", err
		}
		page, next, err := b.page(text)
		if err != nil {
			return "", odd(err, text)
		}
		for i := range page {
			switch l := &page[i]; {
			case l.tag == tag:
				return l.id, nil
			case l.tag != "" || l.created.Before(since) || l.total != n || b.others[l.id+" "+tag]:
			case !l.state.Ended:
				undecided = &UndecidedError{l.id}
			default:
				ours := false
				_, err := b.Collect(ctx, l.id, tag, n, func(int, *Response, *Error) error {
					ours = true
					return errEnough
				})
				if ours {
					return l.id, nil
				}
				if err != nil {
					return "", err
				}
				b.others[l.id+" "+tag] = true // which stays true when Find is repeated
			}
		}
		if next == "" || len(page) > 0 && !page[len(page)-1].created.IsZero() && page[len(page)-1].created.Before(since) {
			return "", undecided
		}
		path = b.list + "&" + b.cursor + "=" + url.QueryEscape(next)
	}
}

var errEnough = errors.New("enough")

// Collect gives what has become of the n requests of a batch, by their places in it, once it has
// ended. Requests that are not given were not answered, for the reason of the state.
func (b *Batcher) Collect(ctx context.Context, id, tag string, n int, each func(at int, r *Response, failed *Error) error) (*BatchState, error) {
	text, err := b.get(ctx, b.status(id), maxResults)
	if err != nil {
		return nil, err
	}
	l, err := b.state(text)
	if err != nil {
		return nil, odd(err, text)
	}
	if !l.state.Ended {
		return &l.state, nil
	}
	for _, file := range l.files {
		err := b.do(ctx, &call{method: http.MethodGet, url: file}, func(r *received) error {
			s := bufio.NewScanner(r.Body)
			s.Buffer(make([]byte, 0, 64<<10), MaxResponse)
			for s.Scan() {
				if len(bytes.TrimSpace(s.Bytes())) == 0 {
					continue
				}
				if err := b.result(hide(r.secrets, s.Bytes()), tag, n, each); err != nil {
					return err
				}
			}
			if s.Err() != nil {
				return r.cut(fmt.Errorf("the results were cut off: %w", s.Err()))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return &l.state, nil
}

// result reads the outcome of a request, and passes it on if it belongs to the batch with the tag.
func (b *Batcher) result(line []byte, tag string, n int, each func(at int, r *Response, failed *Error) error) error {
	custom, body, failed, err := b.service.wire.line(line)
	if err != nil {
		return odd(err, line)
	}
	at, err := strconv.Atoi(strings.TrimPrefix(custom, tag+"-"))
	if err != nil || at < 0 || at >= n {
		return nil // of another batch, which Find asks about
	}
	if failed != nil {
		return each(at, nil, failed)
	}
	r, err := b.parse(body)
	if e := (*Error)(nil); errors.As(err, &e) {
		return each(at, nil, e)
	}
	return each(at, r, nil)
}

// unanswered says why requests of an ended batch have no answer.
func unanswered(class Class, status, hint string) *Error {
	return &Error{Class: class, Code: status, Message: "the batch ended as " + status + " without answering this request", Hint: hint}
}

const hintCancelled = "The batch was cancelled. Run the same command again to submit what is missing."

// OpenAI's: a file of requests, a batch of it, and one or two files of results.

func (openAI) batches() batchAPI {
	status := func(id string) string { return "/batches/" + url.PathEscape(id) }
	return batchAPI{50_000, 200_000_000, "/batches?limit=100", "after", pageOf[openAIListed], status, stateOf[openAIListed]("status")}
}

func (openAI) batch(_, tag string, bodies []json.RawMessage) []func(string) (*call, error) {
	return openAIBatch("/v1/chat/completions", tag, bodies)
}

// openAIBatch uploads the requests as a file, and then makes a batch of it. The tag goes into the
// metadata, by which a resumed run finds a batch whose id it never got.
func openAIBatch(endpoint, tag string, bodies []json.RawMessage) []func(string) (*call, error) {
	upload := func(string) (*call, error) {
		var b bytes.Buffer // takes everything
		form := multipart.NewWriter(&b)
		_ = form.WriteField("purpose", "batch")
		file, _ := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` + tag + `.jsonl"`}, "Content-Type": {"application/jsonl"}})
		for i, body := range bodies {
			_ = compact.Write(file, map[string]any{"custom_id": customID(tag, i), "method": "POST", "url": endpoint, "body": body})
		}
		_ = form.Close()
		return post("/files", form.FormDataContentType(), b.Bytes()), nil
	}
	return []func(string) (*call, error){upload, func(file string) (*call, error) {
		return postJSON("/batches", map[string]any{"input_file_id": file, "endpoint": endpoint, "completion_window": "24h", "metadata": map[string]string{"ein": tag}}), nil
	}}
}

// openAIListed is a batch as the API shows it.
type openAIListed struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Created  int64  `json:"created_at"`
	Output   string `json:"output_file_id"`
	Errors   string `json:"error_file_id"`
	Metadata struct {
		Ein string `json:"ein"`
	} `json:"metadata"`
	Failure struct {
		Data []struct{ Code, Message string } `json:"data"`
	} `json:"errors"`
	Counts struct{ Total int } `json:"request_counts"`
}

// listed reads where a batch stands. Its answers are in two files, of which either may be
// missing.
func (l openAIListed) listed() listed {
	out := listed{id: l.ID, tag: cmp.Or(l.Metadata.Ein, "-"), created: time.Unix(l.Created, 0), total: l.Counts.Total}
	s := &out.state
	s.Status = l.Status
	switch l.Status {
	case "completed", "expired":
		s.Failed = unanswered(Overloaded, l.Status, "")
	case "cancelled":
		s.Failed = unanswered(Denied, l.Status, hintCancelled)
	case "failed":
		e := &Error{Class: Denied, Message: "the batch failed", Hint: "No request was processed. Look at the batch in the provider's console."}
		if len(l.Failure.Data) > 0 {
			e.Code, e.Message = short(l.Failure.Data[0].Code), short(l.Failure.Data[0].Message)
		}
		if strings.Contains(e.Code, "limit_exceeded") { // of what may be under way at once
			e.Class, e.Hint = RateLimit, "Ask for smaller batches (--batch)."
		}
		s.Failed = e
	default:
		return out
	}
	s.Ended = true
	for _, file := range []string{l.Output, l.Errors} {
		if file != "" {
			out.files = append(out.files, "/files/"+url.PathEscape(file)+"/content")
		}
	}
	return out
}

// provided is a batch in the format of a provider.
type provided interface{ listed() listed }

// stateOf returns what reads a batch, which has a status as the named member.
func stateOf[L provided](member string) func([]byte) (*listed, error) {
	return func(text []byte) (*listed, error) {
		var b L
		err := json.Unmarshal(text, &b)
		l := b.listed()
		if err != nil || l.state.Status == "" {
			return nil, cmp.Or(err, errors.New("it has no "+member))
		}
		return &l, nil
	}
}

// pageOf reads a page of a list: the batches, and the id after which the next one begins.
func pageOf[L provided](text []byte) (list []listed, after string, err error) {
	var b struct {
		Data []L    `json:"data"`
		More bool   `json:"has_more"`
		Last string `json:"last_id"`
	}
	if err := json.Unmarshal(text, &b); err != nil || b.Data == nil {
		return nil, "", cmp.Or(err, errors.New("it has no data"))
	}
	list = lists.Map(b.Data, L.listed)
	if b.More && len(list) > 0 {
		after = cmp.Or(b.Last, list[len(list)-1].id)
	}
	return list, after, nil
}

// line reads a line of either file of a batch.
func (w openAI) line(text []byte) (custom string, body []byte, failed *Error, err error) {
	var b struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error *struct{ Code, Message string } `json:"error"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return "", nil, nil, err
	}
	switch {
	case b.Error != nil && b.Error.Code == "batch_cancelled":
		failed = unanswered(Denied, b.Error.Code, hintCancelled)
	case b.Error != nil: // it was not asked, as batch_expired
		failed = &Error{Class: Overloaded, Code: short(b.Error.Code), Message: short(b.Error.Message)}
	case b.Response == nil:
		err = errors.New("it has neither a response nor an error")
	case b.Response.Status != http.StatusOK:
		failed = failure(w, b.Response.Status, http.Header{}, b.Response.Body, time.Time{})
	default:
		body = b.Response.Body
	}
	return b.ID, body, failed, err
}

// Anthropic's: requests in one body, and one file of results. A batch has no place for a
// tag: it shows in the names of the requests, with the results.

func (anthropic) batches() batchAPI {
	status := func(id string) string { return "/v1/messages/batches/" + url.PathEscape(id) }
	return batchAPI{100_000, 256_000_000, "/v1/messages/batches?limit=100", "after_id", pageOf[anthropicListed], status, stateOf[anthropicListed]("processing_status")}
}

// batch sends all requests in one.
func (anthropic) batch(_, tag string, bodies []json.RawMessage) []func(string) (*call, error) {
	return []func(string) (*call, error){func(string) (*call, error) {
		type request struct {
			ID     string          `json:"custom_id"`
			Params json.RawMessage `json:"params"`
		}
		list := make([]request, len(bodies))
		for i, body := range bodies {
			list[i] = request{customID(tag, i), body}
		}
		return postJSON("/v1/messages/batches", map[string]any{"requests": list}), nil
	}}
}

// anthropicListed is a message batch as the API shows it.
type anthropicListed struct {
	ID      string                                                          `json:"id"`
	Status  string                                                          `json:"processing_status"`
	Created time.Time                                                       `json:"created_at"`
	Results string                                                          `json:"results_url"`
	Counts  struct{ Processing, Succeeded, Errored, Canceled, Expired int } `json:"request_counts"`
}

// listed reads where a batch stands. The API knows no tag of a batch; the ids of its requests
// have it.
func (l anthropicListed) listed() listed {
	c := &l.Counts
	out := listed{id: l.ID, created: l.Created, total: c.Processing + c.Succeeded + c.Errored + c.Canceled + c.Expired, state: BatchState{Status: l.Status}}
	if l.Status == "ended" {
		out.state.Ended, out.state.Failed = true, unanswered(Overloaded, l.Status, "")
		// The same file at the address that is ours.
		out.files = []string{"/v1/messages/batches/" + url.PathEscape(l.ID) + "/results"}
	}
	return out
}

// anthropicStatus holds the status of each error type.
var anthropicStatus = map[string]int{"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "timeout_error": 504, "overloaded_error": statusOverloaded}

// line reads a result. It has no status, so that of its type of error stands for it.
func (w anthropic) line(text []byte) (custom string, body []byte, failed *Error, err error) {
	var b struct {
		ID     string `json:"custom_id"`
		Result struct {
			Type    string          `json:"type"`
			Message json.RawMessage `json:"message"`
			Error   json.RawMessage `json:"error"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return "", nil, nil, err
	}
	switch b.Result.Type {
	case "succeeded":
		body = b.Result.Message
	case "expired":
		failed = unanswered(Overloaded, b.Result.Type, "")
	case "canceled":
		failed = unanswered(Denied, b.Result.Type, hintCancelled)
	case "errored":
		var e struct {
			Error struct{ Type string } `json:"error"`
		}
		_ = json.Unmarshal(b.Result.Error, &e) // without a type it is an error of the server
		failed = failure(w, cmp.Or(anthropicStatus[e.Error.Type], http.StatusInternalServerError), http.Header{}, b.Result.Error, time.Time{})
	default:
		err = fmt.Errorf("unknown result type %q", b.Result.Type)
	}
	return b.ID, body, failed, err
}

// Gemini's: a file of requests, a batch of it, and a file of results. A file is announced
// first, and goes to where the answer says.

const uploadURL = "X-Goog-Upload-Url"

// The provider takes files of 2 GB; a batch is held in memory.
func (w gemini) batches() batchAPI {
	status := func(id string) string { return "/v1beta/" + id }
	return batchAPI{50_000, 200_000_000, "/v1beta/batches?pageSize=100", "pageToken", w.page, status, stateOf[geminiListed]("metadata.state")}
}

// batch announces a file, uploads the requests to the address that this gives, and makes a batch
// of the file.
func (gemini) batch(model, tag string, bodies []json.RawMessage) []func(string) (*call, error) {
	type request struct {
		Key     string          `json:"key"`
		Request json.RawMessage `json:"request"`
	}
	var file bytes.Buffer
	for i, body := range bodies {
		_ = compact.Write(&file, request{customID(tag, i), body}) // memory takes everything
	}
	announce := func(string) (*call, error) {
		q := postJSON("/upload/v1beta/files", map[string]any{"file": map[string]any{"displayName": tag}})
		q.header = map[string]string{"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
			"X-Goog-Upload-Header-Content-Length": strconv.Itoa(file.Len()), "X-Goog-Upload-Header-Content-Type": "application/jsonl"}
		return q, nil
	}
	upload := func(to string) (*call, error) {
		u, err := url.Parse(to)
		if err != nil {
			return nil, odd(err, []byte(to))
		}
		q := post(u.RequestURI(), "application/jsonl", file.Bytes()) // at the address that is ours
		q.header = map[string]string{"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"}
		return q, nil
	}
	return []func(string) (*call, error){announce, upload, func(name string) (*call, error) {
		return postJSON("/v1beta/models/"+url.PathEscape(model)+":batchGenerateContent", map[string]any{"batch": map[string]any{"displayName": tag, "inputConfig": map[string]any{"fileName": name}}}), nil
	}}
}

// geminiListed is a batch as the API shows it: a long-running operation.
type geminiListed struct {
	Name     string `json:"name"`
	Metadata struct {
		State  string    `json:"state"`
		Tag    string    `json:"displayName"`
		Create time.Time `json:"createTime"`
		Output struct {
			File string `json:"responsesFile"`
		} `json:"output"`
	} `json:"metadata"`
	Error *struct{ Message string } `json:"error"`
}

// listed reads where a batch stands.
func (l geminiListed) listed() listed {
	m := &l.Metadata
	out := listed{id: l.Name, tag: cmp.Or(m.Tag, "-"), created: m.Create}
	if file, ok := strings.CutPrefix(m.Output.File, "files/"); ok {
		out.files = []string{"/download/v1beta/files/" + url.PathEscape(file) + ":download?alt=media"}
	}
	s := &out.state
	s.Status = m.State
	_, word, _ := strings.Cut(m.State, "_STATE_") // it is JOB_STATE or BATCH_STATE
	switch word {
	case "SUCCEEDED", "PARTIALLY_SUCCEEDED", "EXPIRED":
		s.Failed = unanswered(Overloaded, m.State, "")
	case "CANCELLED":
		s.Failed = unanswered(Denied, m.State, hintCancelled)
	case "FAILED":
		s.Failed = unanswered(Denied, m.State, "No request was answered. Look at the batch in the provider's console.")
		if l.Error != nil {
			s.Failed.Message = short(l.Error.Message)
		}
	default:
		return out
	}
	s.Ended = true
	return out
}

// page reads a page of the list of batches.
func (gemini) page(text []byte) (list []listed, after string, err error) {
	var b struct {
		List []geminiListed `json:"operations"` // left out where there are none
		Next string         `json:"nextPageToken"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, "", err
	}
	return lists.Map(b.List, geminiListed.listed), b.Next, nil
}

// rpcStatus holds the status of each google.rpc code that is not a server error.
var rpcStatus = map[int]int{1: 499, 3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 14: 503, 16: 401}

// line reads a line of the results. The code of an error is an HTTP status or one of google.rpc.
func (w gemini) line(text []byte) (custom string, body []byte, failed *Error, err error) {
	var b struct {
		Key      string          `json:"key"`
		Response json.RawMessage `json:"response"`
		Error    *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return "", nil, nil, err
	}
	if e := b.Error; e != nil {
		status := e.Code
		if status < http.StatusBadRequest { // a code of google.rpc
			status = cmp.Or(rpcStatus[status], http.StatusInternalServerError)
		}
		failed = failure(w, status, http.Header{}, compact.Must(map[string]any{"error": e}), time.Time{})
	}
	return b.Key, b.Response, failed, nil
}
