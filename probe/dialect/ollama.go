package dialect

import (
	"cmp"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// ollama is Ollama's own API, and ollamaGenerate the same for one text.
var (
	ollama = API{
		Name: "ollama", Title: "Ollama's own API", Path: "/api/chat", Pasted: []string{"/api/tags", "/api/ps"},
		Owns: func(host, port, path string) bool {
			return (port == "11434" || host == "ollama.com") && !strings.HasPrefix(path+"/", "/v1/")
		},
		Models: ollamaModels, Form: sse.Lines, Marker: "a done line", Body: ollamaBody, Effort: ollamaEffort,
		NoService: true, Step: ollamaStep, event: (*Decoder).ollamaLine,
	}
	ollamaGenerate = API{
		Name: "ollama-generate", Title: "Ollama's own API for one text", Path: "/api/generate",
		Models: ollamaModels, Form: sse.Lines, Marker: "a done line", Body: ollamaGenerateBody, Effort: ollamaEffort,
		NoService: true, Step: ollamaStep,
		Refuses: func(w *metrics.Workload, _ map[string]any) (what, next string) { return oneText(w, ollama.Name) },
	}
)

// ollamaModels are the lists of the loaded models, and of all.
var ollamaModels = []string{"/api/ps", "/api/tags"}

func ollamaEffort(level string) map[string]any {
	switch {
	case level == "none":
		return map[string]any{"think": false}
	case asCount([]byte(level)) >= 0:
		return nil // it has no budget
	}
	return map[string]any{"think": level}
}

// ollamaStep is what the person who runs the server can do.
func ollamaStep(status int, body []byte, model string) string {
	words := strings.ToLower(string(body))
	switch {
	case status == 404 && hold(words, "model"):
		return "get the model with ollama pull " + model + " on the server's machine, or name another with --model"
	case status == 401 && hold(words, "signin_url"):
		return "the model runs in Ollama's cloud: run ollama signin on the server's machine"
	case status == 403 && hold(words, "upgrade"):
		return "upgrade the account at Ollama, or name another model with --model"
	case status == 400 && hold(words, "does not support"):
		return "name a model with --model that supports it, or leave it out of the request"
	case hold(words, "system memory"):
		return "free memory on the server's machine, or name a smaller model with --model"
	}
	return ""
}

// ollamaFields are the fields of both.
func ollamaFields(p *Params, model string, w *metrics.Workload) map[string]any {
	options := map[string]any{}
	sampled(options, p, w, "num_predict", true)
	return map[string]any{"model": model, "stream": true, "options": options}
}

func ollamaBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	fields := ollamaFields(p, model, w)
	fields["messages"] = ollamaMessages(w)
	if w.Tools != "" {
		fields["tools"] = w.Tools // as in chat
	}
	return nil, fields
}

func ollamaGenerateBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	fields := ollamaFields(p, model, w)
	fields["prompt"] = w.Prompt
	if w.System != "" {
		fields["system"] = w.System
	}
	return nil, fields
}

// ollamaMessages returns what is said to the model. A message is that of chat but for its
// content, which is text, its images, the arguments of its calls, which are objects, and the
// result of a call, which names the tool.
func ollamaMessages(w *metrics.Workload) any {
	if w.Messages == "" {
		turns := []map[string]any{{"role": "user", "content": w.Prompt}}
		if w.System != "" {
			turns = append([]map[string]any{{"role": "system", "content": w.System}}, turns...)
		}
		return turns
	}
	turns, _ := listOf(w.Messages)
	names := map[any]any{}
	for _, turn := range turns {
		if text, pictures, ok := contentOf(turn["content"]); ok {
			turn["content"] = text
			var images []string
			for _, p := range pictures {
				images = append(images, p.data)
			}
			if images != nil {
				turn["images"] = images
			}
		}
		if calls := callsOf(turn, names); calls != nil {
			turn["tool_calls"] = calls
		}
		switch turn["role"] {
		case "developer":
			turn["role"] = "system"
		case "tool":
			turn["tool_name"] = cmp.Or(turn["tool_name"], names[turn["tool_call_id"]])
		}
	}
	return turns
}

// ollamaLine decodes a line of Ollama's own API:
//
//	message | response, thinking, tool_calls   content, thinking, calls with whole arguments
//	created_at                                 when the server made it
//	done, done_reason                          the end, and what of the answer the line still has
//	prompt_eval_count, eval_count, …_duration  the usage, without cached and thinking tokens
func (d *Decoder) ollamaLine(m *message, doc []byte, out *Out) bool {
	s := &d.scan
	var done, says bool
	var created, host, model []byte
	c := choice{delta: delta{present: true, content: m.response}, ids: -1, logprob: -1}
	read := func(k string) {
		switch k {
		case "content":
			c.delta.content, _ = s.text()
		case "thinking":
			c.delta.reasoning, _ = s.text()
		case "tool_calls":
			c.delta.tools = s.raw()
		}
	}
	for k, more := s.keysOf(doc); more; k, more = s.nextKey() {
		switch string(k) {
		case "done":
			b := s.peek()
			done, says = b == 't', says || b == 't' || b == 'f'
		case "done_reason":
			c.finish, _ = s.text()
		case "created_at":
			created, _ = s.text()
		case "remote_host":
			host, _ = s.text()
		case "remote_model":
			model, _ = s.text()
		case "thinking", "tool_calls":
			read(string(k))
		}
	}
	if !says || saysSomething(m.err) || m.message == nil && m.response == nil && created == nil {
		return false
	}
	if len(host) > 0 && d.provider == "" {
		out.note("remote_model", "the server passes the request on to "+string(host)+", model "+string(model))
	}
	out.Provider = d.reuse(&d.provider, host)
	for k, more := s.keysOf(m.message); more; k, more = s.nextKey() {
		read(string(k))
	}
	out.Choices = true
	d.choice(&c, false, out)
	out.Reasoned = 0 // of OpenAI's fields
	used := -1
	if m.evalCount != nil || m.promptEvalCount != nil || done {
		u, times, ok := readUsage(s, doc, ollamaTimes, out.Server)
		if out.Server = times; ok {
			used = d.takes(u, nil, false, out)
		}
	}
	d.countTokens(used, -1, out)
	if len(out.Deltas) > 0 {
		d.spread(created, out)
	}
	if done {
		d.done, out.Done = true, true
	}
	return true
}

// spread tells how unevenly lines reach us: the longest time from the server's stamp of a line
// to ours, minus the shortest. The clocks may differ, so neither says anything alone.
func (d *Decoder) spread(created []byte, out *Out) {
	at, err := time.Parse(time.RFC3339Nano, string(created))
	if err != nil || at.Year() < 2000 || at.Year() > 2200 || !d.at.Known() {
		return
	}
	lag := int64(d.at) - at.UnixNano()
	if d.lagged {
		d.leastLag, d.mostLag = min(d.leastLag, lag), max(d.mostLag, lag)
		out.Server = append(out.Server, metrics.ServerTime{
			Name: metrics.ServerSpread, D: time.Duration(d.mostLag - d.leastLag), From: "created_at"})
		return
	}
	d.lagged, d.leastLag, d.mostLag = true, lag, lag
}
