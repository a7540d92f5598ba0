package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tokscope/metrics/pick"
	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/schema"
)

// ollamaAPI is Ollama's /api/chat and /api/generate: a JSON document a line.
var ollamaAPI = api{prefix: "ollama-", idHeader: "X-Request-Id", kind: "application/x-ndjson",
	parse: (*request).parseOllama, events: newLines, whole: (*job).ollamaAnswer,
	failure: (*apiError).ollama}

func ollamaChat(*http.Request) *request { return &request{api: &ollamaAPI, chat: true} }

func ollamaGenerate(*http.Request) *request {
	return &request{api: &ollamaAPI, chat: true, generate: true}
}

func (r *request) parseOllama(f *fields) {
	r.model = strings.TrimSuffix(f.text("model"), ":latest")
	r.stream = !f.has("stream") || f.boolean("stream")
	if f.set("images") {
		f.fail("images", "images are not supported: this endpoint reads only text")
	}
	switch {
	case !r.generate:
		r.parseMessages(f)
		r.parseTools(f)
	case f.boolean("raw"):
		r.chat = false
		r.parsePrompts(f)
	default:
		if system := f.text("system"); system != "" {
			r.messages = append(r.messages, message{"system", system})
		}
		r.messages = append(r.messages, message{"user", f.text("prompt")})
	}
	o := f.object("options")
	if n := o.integer("num_predict", -2, 1<<31-1); n != nil && *n > 0 { // else without a bound
		r.bound(o, "num_predict")
	}
	r.parseSampling(o)
	r.parseStops(o, "stop")
	f.include(o)
	switch v := f.raw("think"); rawjson.KindOf(v) {
	case rawjson.String:
		r.parseEffort(f, "think")
	default:
		r.noThinking = f.has("think") && !f.boolean("think")
	}
	switch v := f.raw("format"); {
	case rawjson.KindOf(v) == rawjson.Object:
		r.fit(f, "format")
	case rawjson.Text(v) == "json":
		r.format = schema.Object()
	}
}

// ollama is an error as Ollama writes it.
func (e *apiError) ollama() (status int, body []byte) {
	return e.status, []byte(`{"error":` + quoted(e.Message) + `}`)
}

// lines writes the stream of Ollama. A call's arguments come as a whole.
type lines struct {
	*streamer
	arguments []byte
}

func newLines(s *streamer) eventWriter { return &lines{streamer: s} }

func (s *lines) opening(int) {}

func (s *lines) line(said string, more string) {
	s.buf = append(append(s.buf, s.ollamaLine(said, more)...), '\n')
}

func (s *lines) part(_ int, k kind, text string) {
	switch k {
	case content:
		s.line(s.ollamaSaid(text, "", nil), `"done":false`)
	case reasoning:
		s.line(s.ollamaSaid("", text, nil), `"done":false`)
	case toolArgs:
		s.arguments = append(s.arguments, text...)
	}
}

func (s *lines) closing(int) {
	if json.Valid(s.arguments) {
		s.line(s.ollamaSaid("", "", s.arguments), `"done":false`)
	}
}

func (s *lines) tail() {
	if !s.sc.noDone {
		s.line(s.ollamaSaid("", "", nil), s.ollamaEnd())
	}
}

func (s *lines) fail(e *apiError) {
	_, body := e.ollama()
	s.buf = append(append(s.buf, body...), '\n')
}

// ollamaAnswer returns a whole answer.
func (j *job) ollamaAnswer(said []whole) []byte {
	args, ok := said[0].arguments()
	if !ok {
		args = nil
	}
	text := &said[0].text
	return []byte(j.ollamaLine(j.ollamaSaid(string(text[content]), string(text[reasoning]), args), j.ollamaEnd()))
}

func (j *job) ollamaLine(said, more string) string {
	return fmt.Sprintf(`{"model":%s,"created_at":"%s",%s,%s}`,
		quoted(j.model), time.Now().UTC().Format(time.RFC3339Nano), said, more)
}

// ollamaSaid returns the field with what is said.
func (j *job) ollamaSaid(text, thinking string, arguments []byte) string {
	more := ""
	if thinking != "" {
		more = `,"thinking":` + quoted(thinking)
	}
	if arguments != nil {
		more += fmt.Sprintf(`,"tool_calls":[{"id":"%s","function":{"index":0,"name":%s,"arguments":%s}}]`,
			j.callID(0), quoted(j.plans[0].call.name), arguments)
	}
	if j.req.generate {
		return `"response":` + quoted(text) + more
	}
	return `"message":{"role":"assistant","content":` + quoted(text) + more + `}`
}

// ollamaEnd returns the fields of the last line. Durations are nanoseconds of wall time. The
// model is always loaded.
func (j *job) ollamaEnd() string {
	end := `"done":true`
	if !j.sc.noFinish {
		reason := "stop" // also of a call
		if j.plans[0].finish == "length" {
			reason = "length"
		}
		end += `,"done_reason":"` + reason + `"`
	}
	if j.sc.usage == "none" {
		return end
	}
	out, _, _ := j.counts()
	t := &j.times
	ns := func(seconds float64) int64 { return int64(seconds * 1e9) }
	return fmt.Sprintf(`%s,"total_duration":%d,"prompt_eval_count":%d,"prompt_eval_duration":%d,"eval_count":%d,`+
		`"eval_duration":%d`, end, ns(t.ttft()+t.decode), j.prompt, ns(t.prefill), out, ns(t.decode))
}

// ollamaModel is a model in Ollama's lists.
type ollamaModel struct {
	Name     string        `json:"name"`
	Model    string        `json:"model"`
	Modified string        `json:"modified_at"`
	Size     int64         `json:"size"`   // bytes of weights
	Digest   string        `json:"digest"` // of the name
	Details  ollamaDetails `json:"details"`
	// Of models that are loaded.
	Expires string `json:"expires_at,omitempty"`
	VRAM    int64  `json:"size_vram,omitempty"`
	Context int    `json:"context_length,omitempty"`
}

type ollamaDetails struct {
	Family       string   `json:"family"`
	Families     []string `json:"families"`
	Quantization string   `json:"quantization_level"`
}

// ollamaModel describes a model, false for one that is none.
func (s *Server) ollamaModel(id string, loaded bool) (m ollamaModel, context int, thinks, ok bool) {
	f, err := find(s.o.Catalogue, id)
	if err != nil {
		return m, 0, false, false
	}
	model, sum := &f.setup.Model, sha256.Sum256([]byte(id))
	m = ollamaModel{Name: id, Model: id, Modified: s.started.UTC().Format(time.RFC3339), Size: int64(f.setup.Weights()),
		Digest: hex.EncodeToString(sum[:]), Details: ollamaDetails{Family: model.Key, Families: []string{model.Key},
			Quantization: f.setup.Precision.Name}}
	if loaded {
		m.VRAM, m.Context, m.Expires = m.Size, contextOf(f.setup), forever
	}
	return m, contextOf(f.setup), model.Reasoning, true
}

// forever is when a model is unloaded that stays.
const forever = "2318-01-01T00:00:00Z"

// tags lists the models that can be asked for, as Ollama lists those on the disk.
func (s *Server) tags(w http.ResponseWriter, _ *http.Request) *apiError {
	return s.ollamaList(w, pick.Each(s.listed(), func(m *modelInfo) string { return m.ID }), false)
}

// loaded lists the models whose engine runs.
func (s *Server) loaded(w http.ResponseWriter, _ *http.Request) *apiError {
	return s.ollamaList(w, pick.Each(s.drivers(), func(d **driver) string { return (*d).id }), true)
}

func (s *Server) ollamaList(w http.ResponseWriter, ids []string, loaded bool) *apiError {
	list := []ollamaModel{}
	for _, id := range ids {
		if m, _, _, ok := s.ollamaModel(id, loaded); ok {
			list = append(list, m)
		}
	}
	return writeJSON(w, map[string]any{"models": list})
}

// show describes one model.
func (s *Server) show(w http.ResponseWriter, r *http.Request) *apiError {
	return s.withBody(w, r, func(f *fields) (any, *apiError) {
		id := strings.TrimSuffix(f.text("model"), ":latest")
		if id == "" {
			id = f.text("name") // as older clients call it
		}
		if id == "" {
			f.fail("model", "model is missing")
			return nil, f.err
		}
		m, context, thinks, ok := s.ollamaModel(id, false)
		if !ok {
			return nil, newError(http.StatusNotFound, "model_not_found", "model %q not found", clip(id))
		}
		can := []string{"completion", "tools"}
		if thinks {
			can = append(can, "thinking")
		}
		return map[string]any{"modelfile": "", "parameters": "", "template": "", "details": m.Details,
			"capabilities": can, "modified_at": m.Modified, "model_info": map[string]any{
				"general.architecture": m.Details.Family, m.Details.Family + ".context_length": context}}, nil
	})
}
