package dialect

import (
	"cmp"
	"strings"

	"tokscope/metrics"
)

// messages is Anthropic's Messages API.
var messages = API{
	Name: "messages", Title: "Anthropic Messages", Version: "/v1", Path: "/messages",
	Owns: func(host, _, path string) bool {
		return host == "api.anthropic.com" || strings.HasSuffix(path, "/anthropic")
	},
	Auth: "x-api-key", Header: map[string]string{"Anthropic-Version": "2023-06-01"},
	Bound: "max_tokens", Body: messagesBody, event: (*Decoder).anthropicEvent,
}

// mostMessages bounds an answer for which nobody set a bound: the API refuses a request
// without one.
const mostMessages = 4096

func messagesBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	fields := map[string]any{
		"model": model, "stream": true, "max_tokens": cmp.Or(w.MaxTokens, mostMessages),
		"messages": []map[string]string{{"role": "user", "content": w.Prompt}},
	}
	if w.System != "" {
		fields["system"] = w.System
	}
	if w.Messages != "" {
		fields["messages"] = w.Messages
	}
	if w.Tools != "" {
		fields["tools"] = w.Tools
	}
	if w.Temperature != nil && !p.NoTemperature {
		fields["temperature"] = *w.Temperature
	}
	return nil, fields
}

// anthropicEvent decodes an event of Anthropic's API, which gateways pass
// through. It returns false for other types.
//
//	message_start        model, id, prompt tokens
//	content_block_start  the name of a called tool
//	content_block_delta  text, thinking, arguments
//	message_delta        stop reason, output tokens (cumulative)
//	message_stop         the end of the stream
func (d *Decoder) anthropicEvent(m *message, _ []byte, out *Out) bool {
	switch string(m.typ) {
	case "message_start":
		out.Choices, out.Role = true, true
		d.messageStart(m.message, out)
	case "content_block_start":
		d.contentBlock(m.contentBlock, out)
	case "content_block_delta":
		d.contentBlock(m.delta, out)
	case "message_delta":
		d.messageDelta(m, out)
	case "message_stop":
		d.done, out.Done = true, true
	case "ping":
		out.Comment = true
	case "content_block_stop":
	default:
		return false
	}
	if d.texted = d.texted || len(out.Deltas) > 0; len(out.Deltas) > 0 || out.Finish != "" {
		d.state(0).end.takes(out.Finish != "", len(out.Deltas) > 0)
	}
	return true
}

func (d *Decoder) messageStart(raw []byte, out *Out) {
	s := &d.scan
	var usage []byte
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "id":
			if id, _ := s.text(); len(id) > 0 && d.idRank < idChunk {
				d.idRank, out.RequestID = idChunk, string(id)
			}
		case "model":
			model, _ := s.text()
			out.Model = d.reuse(&d.model, model)
		case "usage":
			usage = s.raw()
		}
	}
	d.anthropicUsage(usage, out)
}

// messageDelta decodes the stop reason and the running usage.
func (d *Decoder) messageDelta(m *message, out *Out) {
	s := &d.scan
	for k, more := s.keysOf(m.delta); more; k, more = s.nextKey() {
		if string(k) == "stop_reason" {
			reason, _ := s.text()
			out.Finish = d.reuse(&d.lastFinish, reason)
		}
	}
	d.finishReason = cmp.Or(d.finishReason, out.Finish)
	d.anthropicUsage(m.usage, out)
}

// anthropicUsage merges the two halves of the usage: message_start counts the
// prompt, message_delta the output.
func (d *Decoder) anthropicUsage(raw []byte, out *Out) {
	if raw == nil {
		return
	}
	d.anthropicService(raw, out)
	u, times, ok := readUsage(&d.scan, raw, usageTimes, out.Server)
	out.Server = times
	if !ok {
		return
	}
	a := &d.anthropic
	for _, f := range []struct {
		to *int
		v  int
	}{{&a.Prompt, u.Prompt}, {&a.Completion, u.Completion}, {&a.Cached, u.Cached}, {&a.Reasoning, u.Reasoning}} {
		if f.v >= 0 {
			*f.to = f.v
		}
	}
	a.CacheWritten = max(a.CacheWritten, u.CacheWritten)
	u = *a
	if u.Prompt >= 0 && u.Completion >= 0 {
		u.Total = u.Prompt + u.Completion
	}
	u.Raw = raw
	d.used = u
	out.Usage = &d.used
	out.TokensFrom = metrics.TokensUsage
}

// anthropicService reads how the request was served, which is in the usage.
func (d *Decoder) anthropicService(raw []byte, out *Out) {
	s := &d.scan
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "service_tier":
			tier, _ := s.text()
			out.Served.Tier = d.reuse(&d.service.Tier, tier)
		case "speed":
			speed, _ := s.text()
			out.Served.Speed = d.reuse(&d.service.Speed, speed)
		case "inference_geo":
			region, _ := s.text()
			out.Served.Region = string(region)
		}
	}
}

// contentBlock decodes the start of a block or an addition to it.
func (d *Decoder) contentBlock(raw []byte, out *Out) {
	s := &d.scan
	emit := func(k metrics.Kind, t []byte) {
		if len(t) > 0 {
			out.add(k, 0, t)
		}
	}
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "text":
			t, _ := s.text()
			emit(metrics.Content, t)
		case "thinking":
			t, _ := s.text()
			emit(metrics.Reasoning, t)
		case "partial_json":
			t, _ := s.text()
			emit(metrics.ToolCall, t)
		case "name":
			if name, _ := s.text(); len(name) > 0 {
				out.Deltas = append(out.Deltas, Delta{Kind: metrics.ToolCall, Tokens: -1, Name: string(name)})
			}
		}
	}
}
