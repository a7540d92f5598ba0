package dialect_test

import (
	"testing"

	"tokscope/probe/dialect"
)

func TestEndsOfResponsesOverWebSocket(t *testing.T) {
	ends := dialect.Speaks("responses-ws").Ends
	for _, tt := range []struct {
		message string
		end     bool
		status  int
		after   string // the header Retry-After
	}{
		{`{"type":"response.created","response":{"status":"completed"}}`, false, 0, ""},
		{`{"item":{"type":"error"},"type":"response.output_item.done"}`, false, 0, ""},
		{`{"type":"response.completed"}`, true, 0, ""},
		{`{"response":{},"type":"response.incomplete"}`, true, 0, ""},
		{`{"type":"response.failed","response":{"error":{"code":"server_error"}}}`, true, 0, ""},
		{`{"type":"error","message":"flat"}`, true, 0, ""},
		{`{"type":"error","status":429,"headers":{"retry-after":7}}`, true, 429, "7"},
		{`{"type":"error","status_code":503,"error":{"code":"server_error"},"headers":{"Retry-After":"8"}}`, true, 503, "8"},
		{`{"type":"error","status":200}`, true, 0, ""},
		{`{"type":"error","status":"429"}`, true, 0, ""},
		{`{"type":7}`, false, 0, ""},
		{`[1]`, false, 0, ""},
		{``, false, 0, ""},
		{`{"type":"error"`, true, 0, ""},
	} {
		end, status, h := ends([]byte(tt.message))
		if end != tt.end || status != tt.status || h.Get("Retry-After") != tt.after {
			t.Errorf("%s: %v, %d, %v", tt.message, end, status, h)
		}
	}
}
