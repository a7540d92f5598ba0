package dialect

import (
	"encoding/json"
	"fmt"
	"net/http"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// responsesWS is the Responses API over a WebSocket: a request is a message, and so is each
// event of its answer.
var responsesWS = API{
	Name: "responses-ws", Title: "OpenAI Responses over WebSocket", Version: "/v1", Path: "/responses",
	Form:   sse.Lines,
	Marker: "response.completed", Bound: "max_output_tokens", Body: responsesWSBody, Effort: responsesEffort,
	Ends: responsesWSEnds,
}

func responsesWSBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	typed, fields := responsesBody(p, model, w)
	delete(fields, "stream")
	delete(fields, "stream_options")
	fields["type"] = "response.create"
	return typed, fields
}

// responsesWSEnds implements API.Ends.
func responsesWSEnds(message []byte) (end bool, status int, h http.Header) {
	var s scanner
	s.start(message)
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		if string(k) != "type" {
			continue
		}
		kind, _ := s.text()
		switch string(kind) {
		case "response.completed", "response.incomplete", "response.failed":
			return true, 0, nil
		case "error":
			status, h = refusedBy(message)
			return true, status, h
		}
		return false, 0, nil
	}
	return false, 0, nil
}

// refusedBy returns status and headers of an error as a message has them: 0 without one of a
// failed request.
func refusedBy(message []byte) (status int, h http.Header) {
	var m struct {
		Status  int            `json:"status"`
		Code    int            `json:"status_code"`
		Headers map[string]any `json:"headers"`
	}
	_ = json.Unmarshal(message, &m) // what it has read stays
	if status = max(m.Status, m.Code); status < 400 || status > 599 {
		return 0, nil
	}
	h = http.Header{}
	for name, value := range m.Headers {
		h.Set(name, fmt.Sprint(value))
	}
	return status, h
}
