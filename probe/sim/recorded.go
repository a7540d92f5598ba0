package sim

import (
	"net/http"

	"tokscope/metrics"
)

// recordable are the APIs by their names in metrics.Endpoint.
var recordable = map[string]*api{"": &chatAPI, "completions": &completionsAPI, "messages": &messagesAPI,
	"responses": &responsesAPI, "responses-ws": &responsesAPI, "gemini": &geminiAPI,
	"ollama": &ollamaAPI, "ollama-generate": &ollamaAPI}

// Recorded returns the whole answer of a recorded stream in its API, as a client gets it that
// asks for no stream, and its status: the texts and calls in their order, the usage and the end.
// What the recording does not say is null. An error inside the stream is the answer.
func Recorded(v *metrics.Stream, model string) (status int, body []byte) {
	a := recordable[v.Endpoint.API]
	if a == nil {
		a = &chatAPI
	}
	if f := v.Fault; f != nil && f.Kind == metrics.FaultInStream {
		return a.failure(newError(http.StatusInternalServerError, "", "%s", f.Message))
	}
	own := *v
	if u := &own.Usage; u.Total < 0 && u.Prompt >= 0 && u.Completion >= 0 {
		u.Total = u.Prompt + u.Completion
	}
	j := &job{id: a.prefix + "recorded", model: model, recorded: &own, sc: &Scenario{},
		req: &request{api: a, chat: a != &completionsAPI, generate: v.Endpoint.API == "ollama-generate"}}
	if own.Usage.Prompt < 0 && own.Usage.Completion < 0 {
		j.sc.usage = "none"
	}
	said := make([]whole, 1)
	for i := range v.Chunks {
		c, text := &v.Chunks[i], string(v.ChunkText(i))
		for len(said) <= int(c.Choice) {
			said = append(said, whole{})
		}
		w, name := &said[c.Choice], min(int(c.Name), len(text))
		if name > 0 {
			w.parts = append(w.parts, part{kind: toolArgs, name: text[:name]})
		}
		if c.Kind <= speech { // pictures have no text
			w.add(c.Kind, text[name:])
		}
	}
	for range said {
		j.plans = append(j.plans, &choicePlan{finish: v.Finish})
	}
	return http.StatusOK, a.whole(j, said)
}
