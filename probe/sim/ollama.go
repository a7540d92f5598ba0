package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/sim/physics"
	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/schema"
)

// ollamaAPI is Ollama's /api/chat and /api/generate: a JSON document a line.
var ollamaAPI = api{prefix: "ollama-", idHeader: "X-Request-Id", kind: "application/x-ndjson",
	parse: (*request).parseOllama, events: newLines, whole: (*job).ollamaAnswer,
	ends:    map[string]string{"tool_calls": "stop"},
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
		s.line(s.ollamaSaid("", "", []part{{toolArgs, s.plans[0].call.name, s.arguments}}), `"done":false`)
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
	texts, calls := said[0].said()
	return []byte(j.ollamaLine(j.ollamaSaid(string(texts[content]), string(texts[reasoning]), calls), j.ollamaEnd()))
}

func (j *job) ollamaLine(said, more string) string {
	return fmt.Sprintf(`{"model":%s,"created_at":"%s",%s,%s}`,
		quoted(j.model), time.Now().UTC().Format(time.RFC3339Nano), said, more)
}

// ollamaSaid returns the field with what is said.
func (j *job) ollamaSaid(text, thinking string, calls []part) string {
	more := ""
	if thinking != "" {
		more = `,"thinking":` + quoted(thinking)
	}
	var list []string
	for i := range calls {
		if args, ok := calls[i].document(); ok {
			list = append(list, fmt.Sprintf(`{"id":"%s","function":{"index":%d,"name":%s,"arguments":%s}}`,
				j.callID(i), i, quoted(calls[i].name), args))
		}
	}
	if list != nil {
		more += `,"tool_calls":[` + strings.Join(list, ",") + "]"
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
		end += `,"done_reason":` + orNull(j.finish(0))
	}
	if j.sc.usage == "none" {
		return end
	}
	u := j.counts()
	end += fmt.Sprintf(`,"prompt_eval_count":%s,"eval_count":%s`, known(u.Prompt), known(u.Completion))
	for _, t := range j.ollamaTimes() {
		end += fmt.Sprintf(`,"%s":%d`, t.From, t.D)
	}
	return end
}

// ollamaTimes returns the durations of the last line by their names in From, of a recording those that it has.
func (j *job) ollamaTimes() (list []metrics.ServerTime) {
	if j.recorded != nil {
		for _, t := range j.recorded.Server {
			if strings.HasSuffix(t.From, "_duration") {
				list = append(list, t)
			}
		}
		return list
	}
	t := &j.times
	for _, x := range []struct {
		name    string
		seconds float64
	}{{"total", t.ttft() + t.decode}, {"prompt_eval", t.prefill}, {"eval", t.decode}} {
		list = append(list, metrics.ServerTime{From: x.name + "_duration", D: time.Duration(x.seconds * 1e9)})
	}
	return list
}

// ollamaModel describes a model in Ollama's lists: the size is that of its weights in bytes, the digest
// that of its name.
func (s *Server) ollamaModel(id string, setup *physics.Setup, loaded bool) map[string]any {
	size, sum := int64(setup.Weights), sha256.Sum256([]byte(id))
	m := map[string]any{"name": id, "model": id, "size": size, "digest": hex.EncodeToString(sum[:]),
		"modified_at": s.started.UTC().Format(time.RFC3339), "details": ollamaDetails(setup)}
	if loaded {
		m["size_vram"], m["context_length"], m["expires_at"] = size, contextOf(setup), forever
	}
	return m
}

func ollamaDetails(s *physics.Setup) map[string]any {
	return map[string]any{"family": s.Model.Key, "families": []string{s.Model.Key}, "quantization_level": s.Precision.Name}
}

// forever is when a model is unloaded that stays.
const forever = "2318-01-01T00:00:00Z"

// ollamaList lists the models whose engine runs, or those that can be asked for, as Ollama
// lists those on the disk.
func (s *Server) ollamaList(loaded bool) handler {
	return func(w http.ResponseWriter, _ *http.Request) *apiError {
		ids := pick.Each(s.drivers(), func(d **driver) string { return (*d).id })
		if !loaded {
			ids = pick.Each(s.listed(), func(m *modelInfo) string { return m.id })
		}
		list := []any{}
		for _, id := range ids {
			if f, err := find(s.o.Catalogue, id); err == nil {
				list = append(list, s.ollamaModel(id, f.setup, loaded))
			}
		}
		return writeJSON(w, map[string]any{"models": list})
	}
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
		found, err := find(s.o.Catalogue, id)
		if err != nil {
			return nil, newError(http.StatusNotFound, "model_not_found", "model %q not found", clip(id))
		}
		can := []string{"completion", "tools"}
		model := &found.setup.Model
		if model.Reasoning {
			can = append(can, "thinking")
		}
		return map[string]any{"modelfile": "", "parameters": "", "template": "", "details": ollamaDetails(found.setup),
			"capabilities": can, "modified_at": s.started.UTC().Format(time.RFC3339), "model_info": map[string]any{
				"general.architecture": model.Key, model.Key + ".context_length": contextOf(found.setup)}}, nil
	})
}
