package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

// TestResponsesRequest: a pasted address of the Responses API is asked by it, again without a
// temperature where the model takes none, and its answer is followed to the end.
func TestResponsesRequest(t *testing.T) {
	answer := testkit.Must(os.ReadFile("../dialect/testdata/apis/responses.body"))(t)
	var bodies []map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodPost || q.URL.Path != "/v1/responses" ||
			q.Header.Get("Authorization") != "Bearer key-1234567890" {
			http.NotFound(w, q)
			return
		}
		var body map[string]any
		_ = json.NewDecoder(q.Body).Decode(&body)
		if bodies = append(bodies, body); body["temperature"] != nil {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.",` +
				`"type":"invalid_request_error","param":"temperature","code":null}}`))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = w.Write(answer)
	}))
	defer s.Close()
	work := metrics.Workload{Prompt: "Tea?", Temperature: new(float64)}
	v := asked(t, s.URL+"/v1/responses", "key-1234567890", endpoint.Flags{}, work).Snapshot()
	if v.Fault != nil || v.State != metrics.Done || v.Endpoint.API != "responses" || v.RequestID != "resp_canon" ||
		v.Served.Tier != "default" || metrics.FinishKindOf(v.Finish) != metrics.FinishCalls || len(v.Text) == 0 {
		t.Errorf("%s by %q, id %q, %+v, finish %q, %d bytes, %v",
			v.State, v.Endpoint.API, v.RequestID, v.Served, v.Finish, len(v.Text), v.Fault)
	}
	for _, code := range []string{"temperature_refused", metrics.NoteOtherModel} {
		testkit.That(t, slices.ContainsFunc(v.Notes, func(n metrics.Note) bool { return n.Code == code }),
			"no note %s among %v", code, v.Notes)
	}
	if len(bodies) != 2 || bodies[1]["input"] != "Tea?" || bodies[1]["temperature"] != nil ||
		bodies[1]["max_output_tokens"] != nil {
		t.Errorf("the requests are %v", bodies)
	}
}
