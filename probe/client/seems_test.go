package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// TestFaultNamesTheAPI: a failed request says which API the server seems to speak and how to
// ask for it, and else says nothing of APIs where it was one of chat completions.
func TestFaultNamesTheAPI(t *testing.T) {
	const none = ""
	for name, c := range map[string]struct {
		api    string
		status int
		body   string
		want   string // in the next step
	}{
		"Ollama's lines": {none, 200, `{"model":"m","message":{"content":"a"},"done":false}` + "\n{",
			"this looks like Ollama's own API: ask with --api ollama"},
		"Ollama's one text": {none, 200, `{"response":"a","done":true}`, "--api ollama-generate"},
		"a whole Message": {none, 200,
			`{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"a"}]}`, "--api messages"},
		"Gemini's answer": {none, 200, "[{\n\"candidates\": [{}]}\n", "--api gemini"},
		"chat for Messages": {"messages", 200, `{"object":"chat.completion","choices":[]}`,
			"this looks like chat completions: ask with --api chat"},
		"no such path": {none, 404,
			`{"type":"error","error":{"type":"not_found_error","message":"Not Found"},"request_id":"r"}`, "--api messages"},
		"no such method": {none, 405, `{"error":{"code":405,"message":"no","status":"UNIMPLEMENTED"}}`,
			"--api gemini"},
		"wants another key": {none, 401,
			`{"type":"error","error":{"type":"authentication_error","message":"x-api-key header is required"}}`,
			"--api messages; the key came from env K"},
		"its own error": {"messages", 401,
			`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "the key came from env K"},
		"its own 404": {"messages", 404, `{"detail":"Not Found"}`, "Anthropic Messages is asked for at "},
		"chat's 404": {none, 404,
			`{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}`,
			"check the model's name"},
		"Ollama lacks the model": {"ollama", 404, `{"error":"model 'm' not found"}`, "ollama pull m "},
		"no path of Ollama":      {"ollama", 404, `{"detail":"Not Found"}`, "Ollama's own API is asked for at "},
		"Ollama's cloud": {"ollama", 401, `{"error":"unauthorized","signin_url":"https://ollama.com/connect"}`,
			"ollama signin"},
		"a plan of Ollama": {"ollama", 403,
			`{"error":"this model requires a subscription, upgrade for access: https://ollama.com/upgrade"}`,
			"upgrade the account"},
		"no chat in Ollama": {"ollama", 400, `{"error":"\"m\" does not support chat"}`, "--model"},
		"Ollama has no memory": {"ollama-generate", 500,
			`{"error":"model requires more system memory (6.1 GiB) than is available (3.2 GiB)"}`, "a smaller model"},
		"Gemini has no model": {"gemini", 404,
			`{"error":{"code":404,"message":"models/m is not found for API version v1beta","status":"NOT_FOUND"}}`,
			"name another model"},
		"no path of Gemini": {"gemini", 404, `<html><title>404</title>`, "Gemini is asked for at "},
		"Gemini is not there": {"gemini", 400,
			`{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`,
			"Vertex AI"},
		"Gemini refuses the key": {"gemini", 400,
			`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`,
			"the key came from env K"},
		"a limit of another": {none, 429, `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}`,
			"the rate limit is reached"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		work := metrics.Workload{Prompt: "Tea?"}
		switch f := asked(t, s.URL, "key-1234567890", endpoint.Flags{API: c.api}, work).Snapshot().Fault; {
		case f == nil:
			t.Errorf("%s: no fault", name)
		case !strings.Contains(f.Next, c.want), strings.Contains(f.Next, "--api") != strings.Contains(c.want, "--api") &&
			c.api == none:
			t.Errorf("%s: %s; next: %s", name, f.Message, f.Next)
		}
		s.Close()
	}
}
