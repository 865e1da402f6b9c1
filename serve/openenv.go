package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json/jsontext"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/internal/version"
	"ein/lang/steps"
)

// The environment of OpenEnv: an episode is a question and the replies to it. A session
// is a connection to /ws; over plain HTTP every call is an episode of its own.

// ResetRequest begins an episode: with the question of an id, or the one that a seed
// draws from the split train.
type ResetRequest struct {
	Seed     uint64      `json:"seed,omitzero"`
	Episode  string      `json:"episode_id,omitzero"`
	ID       string      `json:"id,omitzero"`
	Mode     prompt.Mode `json:"mode,omitzero"`
	Category string      `json:"category,omitzero"`
}

// Action is a step. A reply that is not an object stands for the member reply.
type Action struct {
	Reply    string         `json:"reply"`
	Answer   jsontext.Value `json:"answer,omitzero"` // in place of a reply: the member of the object that a direct answer is
	Tool     string         `json:"tool,omitzero"`   // run or check: the reply is a program to be tried, and the episode goes on
	ID       string         `json:"id,omitzero"`     // of the question, over plain HTTP
	Mode     prompt.Mode    `json:"mode,omitzero"`   // likewise
	Metadata jsontext.Value `json:"metadata,omitzero"`

	// What clients of tools say in place of tool and reply.
	Type      string       `json:"type,omitzero"` // list_tools, or call_tool
	ToolName  string       `json:"tool_name,omitzero"`
	Arguments *ToolRequest `json:"arguments,omitzero"`
}

// spares reports whether a member that is required may be missing: there is an answer in place of a
// reply, or the action is for a tool.
func (a Action) spares(name string) bool {
	return name == "reply" && (a.Answer != nil || a.Type != "")
}

// Observation is what the model sees after a reset or a step.
type Observation struct {
	ID       string `json:"id"`
	System   string `json:"system,omitzero"` // what the model is told
	Question string `json:"question,omitzero"`
	Tools    []Tool `json:"tools,omitzero"`
	ToolName string `json:"tool_name,omitzero"`
	Result   string `json:"result,omitzero"`  // of a tool
	Outcome  string `json:"outcome,omitzero"` // of the reply
	Message  string `json:"message,omitzero"`
}

// Tool is what a model can call before it answers.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Schema      jsontext.Value `json:"inputSchema"`
}

var tools = sync.OnceValues(func() ([]Tool, error) {
	schema, err := Schema(ToolRequest{})
	return []Tool{
		{"run", "Run an Ein program and give the values that it prints.", encode(schema)},
		{"check", "Say what is wrong with an Ein program, with places and fixes, without running it.", encode(schema)},
	}, err
})

// Observed is an observation with its reward.
type Observed struct {
	Observation Observation `json:"observation"`
	Reward      *float64    `json:"reward"`
	Done        bool        `json:"done"`
}

// StepRequest is an action over plain HTTP.
type StepRequest struct {
	Action Action `json:"action"`
}

// State is where a session is.
type State struct {
	Episode string `json:"episode_id"`
	Steps   int    `json:"step_count"`
	ID      string `json:"id,omitzero"`
}

// Schemas describe the JSON of an episode.
type Schemas struct {
	Action      jsontext.Value `json:"action"`
	Observation jsontext.Value `json:"observation"`
	State       jsontext.Value `json:"state"`
}

// Metadata describes the environment to its clients.
type Metadata struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Readme      *string `json:"readme_content"`
	Version     string  `json:"version"`
	Author      *string `json:"author"`
	URL         *string `json:"documentation_url"`
}

// openEnv returns the routes for OpenEnv, except /ws, which is a conversation.
func openEnv() []Route {
	const unavailable = http.StatusServiceUnavailable
	return []Route{
		stack("GET", "/health", "OpenEnv: whether the server is well.", time.Second, unavailable, func(context.Context, *Server, *Call, *nothing) (Status, error) { return Status{"healthy"}, nil }).forAll(),
		stack("GET", "/metadata", "OpenEnv: what the environment is.", time.Second, unavailable, func(context.Context, *Server, *Call, *nothing) (*Metadata, error) {
			return &Metadata{Name: "ein", Description: "Questions about graphs, answered directly or by programs, with computed answers.", Version: version.Number()}, nil
		}),
		stack("GET", "/schema", "OpenEnv: the schemas of actions, observations and states.", time.Second, unavailable, func(context.Context, *Server, *Call, *nothing) (out *Schemas, err error) {
			out = &Schemas{}
			for _, x := range []struct {
				to *jsontext.Value
				of any
			}{{&out.Action, Action{}}, {&out.Observation, Observation{}}, {&out.State, State{}}} {
				schema, err := Schema(x.of)
				if err != nil {
					return nil, err
				}
				*x.to = encode(schema)
			}
			return out, nil
		}),
		stack("GET", "/state", "OpenEnv: the state of an episode that has not begun.", time.Second, unavailable, func(context.Context, *Server, *Call, *nothing) (*State, error) { return &State{}, nil }),
		stack("POST", "/reset", "OpenEnv: begin an episode.", 50*time.Second, unavailable, func(ctx context.Context, s *Server, c *Call, q *ResetRequest) (*Observed, error) {
			return new(episode).reset(ctx, s, c, q)
		}),
		stack("POST", "/step", "OpenEnv: one step of an episode.", 50*time.Second, unavailable, func(ctx context.Context, s *Server, c *Call, q *StepRequest) (*Observed, error) {
			return (&episode{id: q.Action.ID, mode: q.Action.Mode}).step(ctx, s, c, &q.Action)
		}).invalid(http.StatusUnprocessableEntity),
		stack("POST", "/mcp", "OpenEnv: list the tools or call one, in JSON-RPC.", 50*time.Second, unavailable, func(ctx context.Context, s *Server, c *Call, q *rpcRequest) (any, error) {
			if a := new(episode).rpc(ctx, s, c, q); a != nil {
				return a, nil
			}
			return &Answer{Status: http.StatusAccepted}, nil
		}).gives(nil),
	}
}

// invalid makes a route whose clients know an invalid request by another status than 400.
func (r Route) invalid(status int) Route {
	fail := r.fail
	r.fail = func(err error) *Answer {
		a := fail(err)
		if a.Status == http.StatusBadRequest {
			a.Status = status
		}
		return a
	}
	return r
}

// episode is a question and how far its answer is.
type episode struct {
	name, id string
	mode     prompt.Mode
	steps    int
	done     bool
}

// reset begins an episode with the question of an id, or with one of the training side that the
// seed selects, from each category in turn. Making it takes a worker, so it waits in the lane.
func (e *episode) reset(ctx context.Context, s *Server, c *Call, q *ResetRequest) (*Observed, error) {
	id := q.ID
	if id == "" {
		names := category.Names()
		if q.Category != "" {
			names = []string{q.Category}
		}
		n := uint64(len(names))
		drawn, err := instance.Standard(instance.Default, "train", names[q.Seed%n], int(q.Seed/n%1_000_000), 0)
		if err != nil {
			return nil, bad("%v", err)
		}
		id = drawn.String()
	}
	if err := isMode(q.Mode); err != nil {
		return nil, err
	}
	in, err := inLane(func(ctx context.Context, s *Server, _ *Call, _ *nothing) (*instance.Instance, error) {
		return s.instance(ctx, id)
	})(ctx, s, c, nil)
	if err != nil {
		return nil, err
	}
	*e = episode{name: q.Episode, id: id, mode: q.Mode}
	return &Observed{Observation: Observation{ID: in.ID, System: s.prompts()[q.Mode], Question: in.Question}}, nil
}

// step lists the tools, tries a program with one, or judges a reply, which ends the episode. Over plain
// HTTP there is no session, so each action names its question.
func (e *episode) step(ctx context.Context, s *Server, c *Call, a *Action) (*Observed, error) {
	tool, program := a.Tool, a.Reply
	switch a.Type {
	case "":
	case "list_tools":
		list, err := tools()
		return &Observed{Observation: Observation{ID: e.id, Tools: list}}, err
	case "call_tool":
		if tool = a.ToolName; a.Arguments != nil {
			program = a.Arguments.Program
		}
	default:
		return nil, &requestError{http.StatusUnprocessableEntity, fmt.Sprintf("there is no action of the type %q; there are list_tools and call_tool", a.Type)}
	}
	switch {
	case e.done:
		return nil, &requestError{http.StatusUnprocessableEntity, "the episode is over: reset begins another one"}
	case tool != "" || a.Type != "":
		text, err := e.try(ctx, s, c, tool, program)
		return &Observed{Observation: Observation{ID: e.id, ToolName: tool, Result: text}}, err
	case e.id == "":
		return nil, &requestError{http.StatusUnprocessableEntity, "there is no question yet: reset gives one; over plain HTTP the action has its id"}
	}
	reply := a.Reply
	if a.Answer != nil && a.Answer.Kind() != 'n' { // null is none
		if reply != "" {
			return nil, &requestError{http.StatusUnprocessableEntity, "the action has both a reply and an answer"}
		}
		reply = `{"answer": ` + string(a.Answer) + `}`
	}
	out, err := s.one(ctx, c.Route, Item{ID: e.id, Mode: e.mode, Reply: reply})
	if err != nil {
		return nil, err
	}
	e.steps++
	e.done = true
	return &Observed{Observation{ID: e.id, Outcome: string(out.Outcome), Message: out.Message}, out.Reward, true}, nil
}

// try returns what a tool says about a program. It needs no question.
func (e *episode) try(ctx context.Context, s *Server, c *Call, tool, program string) (string, error) {
	if tool != "run" && tool != "check" {
		return "", &requestError{http.StatusUnprocessableEntity, fmt.Sprintf("there is no tool %q; there are run and check", tool)}
	}
	if program == "" {
		return "", &requestError{http.StatusUnprocessableEntity, fmt.Sprintf("the tool %s needs an argument `program`", tool)}
	}
	text, err := inLane(func(ctx context.Context, s *Server, c *Call, _ *nothing) (string, error) {
		return s.told(ctx, c, tool, program)
	})(ctx, s, c, nil)
	if err == nil {
		e.steps++
	}
	return text, err
}

// rpcRequest is a request of the Model Context Protocol within a session.
type rpcRequest struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params struct {
		Name      string         `json:"name,omitzero"`
		Arguments jsontext.Value `json:"arguments,omitzero"` // a ToolRequest
	} `json:"params,omitzero"`
}

// rpcAnswer is the answer to an rpcRequest: a result or an error.
type rpcAnswer struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  any            `json:"result,omitzero"`
	Error   *rpcError      `json:"error,omitzero"`
}

// rpcError is an error in JSON-RPC.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// rpc lists the tools or calls one. A request without an id is a notification, which has no answer.
func (e *episode) rpc(ctx context.Context, s *Server, c *Call, q *rpcRequest) *rpcAnswer {
	if q.ID == nil && q.Method != "" {
		return nil
	}
	type object map[string]any
	out := &rpcAnswer{Version: "2.0", ID: q.ID}
	var err error
	switch q.Method {
	case "tools/list":
		var list []Tool
		list, err = tools()
		out.Result = object{"tools": list}
	case "tools/call":
		var text string
		of := &ToolRequest{} // whose program is asked for when it is known what tool it is for
		if a := q.Params.Arguments; a != nil && a.Kind() != 'n' {
			err = decode(a, &of, c.Route)
		}
		if err == nil {
			text, err = e.try(ctx, s, c, q.Params.Name, of.Program)
		}
		out.Result = object{"content": []object{{"type": "text", "text": text}}, "data": text, "isError": false}
	case "openenv/session/create", "openenv/session/close": // tools remember nothing
		out.Result = object{"session_id": "any", "closed": q.Method == "openenv/session/close"}
	default:
		out.Error = &rpcError{-32601, fmt.Sprintf("there is no method %q; there are tools/list and tools/call", q.Method)}
	}
	if err != nil {
		out.Result, out.Error = nil, &rpcError{-32603, err.Error()}
		if failure(err).Status < http.StatusInternalServerError {
			out.Error.Code = -32602
		}
	}
	return out
}

// maxSessions bounds the open conversations: trainers open one for each generation.
const maxSessions = 4096

// sessions are the open conversations.
type sessions struct {
	all sync.WaitGroup

	mu   sync.Mutex
	open map[*session]bool
	over bool // no more are taken
}

// session is a conversation: one message after another.
type session struct {
	conn *websocket.Conn
	step sync.Mutex // held from a message to its answer
	episode
}

// enter adds a session, if there is room.
func (a *sessions) enter(x *session) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over || len(a.open) >= maxSessions {
		return false
	}
	if a.open == nil {
		a.open = map[*session]bool{}
	}
	a.open[x] = true
	a.all.Add(1)
	return true
}

// leave takes a session away that has ended.
func (a *sessions) leave(x *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, x)
	a.all.Done()
}

// Hang ends the open conversations, each after its current step, and accepts no more. A step is a
// reply that a trainer waits for, so its answer is sent before the connection is closed.
func (s *Server) Hang() {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	s.sessions.over = true
	for x := range s.sessions.open {
		go func() {
			x.step.Lock()
			defer x.step.Unlock()
			_ = x.conn.Close(websocket.StatusGoingAway, "the server is ending")
		}()
	}
}

// Wait waits for the end of all conversations, or of the context, whose error it then returns.
func (s *Server) Wait(ctx context.Context) error {
	if _, ended := steps.Within(ctx, func() struct{} { s.sessions.all.Wait(); return struct{}{} }); !ended {
		return ctx.Err()
	}
	return nil
}

// message is a message of a conversation: its type, and the data of that type.
type message struct {
	Type string         `json:"type"`
	Data jsontext.Value `json:"data,omitzero"`
}

// wrong is the error message of a conversation.
type wrong struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// Error implements error.
func (w *wrong) Error() string { return w.Message }

// talk holds a conversation over a WebSocket. Messages are answered in their order, one at a time.
func (s *Server) talk(w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return // Accept has told
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(s.opt.Body)
	x := &session{conn: conn}
	ctx := req.Context()
	if !s.sessions.enter(x) {
		_ = send(ctx, conn, &message{"error", encode(wrong{fmt.Sprintf("there are %d sessions, and no more are taken", maxSessions), "CAPACITY_REACHED"})})
		_ = conn.Close(websocket.StatusTryAgainLater, "there is no room")
		return
	}
	defer s.sessions.leave(x)
	route := &Route{Method: "GET", Path: "/ws", Hold: true, lenient: true, said: true}
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return
		}
		x.step.Lock()
		out, more := s.next(ctx, x, &Call{Route: route}, text)
		if out != nil {
			err = send(ctx, conn, out)
		}
		x.step.Unlock()
		if err != nil || !more {
			_ = conn.Close(websocket.StatusNormalClosure, "")
			return
		}
	}
}

// send writes a message, and gives up a client that does not read it.
func send(ctx context.Context, conn *websocket.Conn, m *message) error {
	ctx, stop := context.WithTimeout(ctx, bodyTime)
	defer stop()
	return conn.Write(ctx, websocket.MessageText, encode(m))
}

// next answers a message, and says whether more may follow. A panic is an error of this message
// alone, and the conversation goes on.
func (s *Server) next(ctx context.Context, x *session, c *Call, text []byte) (out *message, more bool) {
	ctx, stop := context.WithTimeout(ctx, 50*time.Second)
	defer stop()
	m := message{Data: jsontext.Value("{}")}
	if err := decode(text, &m, c.Route); err != nil {
		return &message{"error", encode(wrong{err.Error(), "INVALID_JSON"})}, true
	}
	var v any
	err := caught(func() (err error) {
		kind := "observation"
		switch m.Type {
		case "reset":
			var q ResetRequest
			if err = decode(m.Data, &q, c.Route); err == nil {
				v, err = x.reset(ctx, s, c, &q)
			}
		case "step":
			var a Action
			if err = decode(m.Data, &a, c.Route); err == nil {
				v, err = x.episode.step(ctx, s, c, &a)
			}
		case "state":
			kind, v = "state", State{x.name, x.steps, x.id}
		case "mcp":
			var q rpcRequest
			if err = decode(m.Data, &q, c.Route); err == nil {
				a := x.rpc(ctx, s, c, &q)
				if a == nil {
					return nil
				}
				kind, v = "mcp", a
			}
		case "close":
			return nil
		default:
			return &wrong{fmt.Sprintf("there is no message of type %q; there are reset, step, state, mcp and close", m.Type), "UNKNOWN_TYPE"}
		}
		out = &message{kind, encode(v)}
		return err
	})
	status := http.StatusOK
	var told *wrong
	if errors.As(err, &told) {
		out = &message{"error", encode(told)}
	} else if err != nil {
		a := failure(err)
		status = a.Status
		told = &wrong{err.Error(), "EXECUTION_ERROR"}
		if asked, ok := errors.AsType[*requestError](err); ok && asked.status < http.StatusInternalServerError {
			told.Code = "VALIDATION_ERROR"
		}
		out = &message{"error", encode(told)}
	}
	s.metrics.request(c.Route, status)
	return out, m.Type != "close"
}
