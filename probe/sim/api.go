package sim

import (
	"net/http"
	"strconv"
	"strings"

	"tokscope/probe/sim/text"
)

// api is an API in which the endpoint answers: how its requests are read, and the form of
// its answers and errors. All share the engine and its plan of the answer.
type api struct {
	prefix   string // of an answer's id
	idHeader string // with that id
	kind     string // Content-Type of a stream
	alive    string // what shows a silent stream alive; "" where its clients bear nothing
	comments bool   // its clients skip comments
	crlf     bool   // lines end in CR LF
	array    bool   // a stream is an array of documents
	parse    func(r *request, f *fields)
	events   func(s *streamer) eventWriter
	whole    func(j *job, said []whole) []byte
	ends     map[string]string // the reasons of chat in its words; nil: the same
	// failure is an error before the answer.
	failure func(e *apiError) (status int, body []byte)
	// header renames one of a scenario, which is written as OpenAI sends it; nil: no need.
	header func(name, value string) (string, string)
}

// eventWriter writes the events of one stream behind what its streamer has not yet sent.
type eventWriter interface {
	opening(choice int)
	part(choice int, k kind, text string)
	closing(choice int) // with the finish reason
	tail()              // with the end marker
	fail(e *apiError)   // instead of the rest
}

const (
	eventStream = "text/event-stream; charset=utf-8"
	keepAlive   = ": keep-alive\n\n"
)

var chatAPI = api{prefix: "chatcmpl-", idHeader: "X-Request-Id", kind: eventStream, alive: keepAlive, comments: true,
	parse: (*request).parseCompletion, events: newChunks, whole: (*job).completion,
	failure: (*apiError).openAI}

var completionsAPI = func() api {
	a := chatAPI
	a.prefix = "cmpl-"
	return a
}()

// apiOf returns the API in whose form a request gets its errors.
func apiOf(r *http.Request) *api {
	path, h := r.URL.Path, r.Header
	switch {
	case strings.HasPrefix(path, "/v1/messages"), h.Get("Anthropic-Version") != "":
		return &messagesAPI
	case strings.HasPrefix(path, "/v1beta/"), strings.HasPrefix(path, "/v1/models/") && r.Method == http.MethodPost,
		h.Get("X-Goog-Api-Key") != "", h.Get("X-Goog-Api-Client") != "":
		return &geminiAPI
	case strings.HasPrefix(path, "/api/"):
		return &ollamaAPI
	}
	return &chatAPI
}

// answering is the handler that answers prompts. read returns what of a request is not in
// its body.
func (s *Server) answering(read func(*http.Request) *request) handler {
	return func(w http.ResponseWriter, r *http.Request) *apiError { return s.complete(w, r, read(r)) }
}

// counting is the handler that counts the tokens of a prompt, as the usage of its answer
// would.
func (s *Server) counting(read func(*http.Request) *request, answer func(tokens int) any) handler {
	return func(w http.ResponseWriter, r *http.Request) *apiError {
		return s.withBody(w, r, func(f *fields) (any, *apiError) {
			q := read(r)
			q.counting = true
			q.api.parse(q, f)
			if f.err == nil {
				_, f.err = s.driver(q.model)
			}
			all, _ := q.chatText(true)
			return answer(text.Count(all)), f.err
		})
	}
}

// known returns a count in JSON: null for one below 0, which nobody has told.
func known(n int) string {
	if n < 0 {
		return "null"
	}
	return strconv.Itoa(n)
}

// quoted returns text as a JSON string.
func quoted(text string) string { return string(appendJSON(nil, text)) }
