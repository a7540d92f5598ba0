package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

const (
	toolsWithKeys = `[{"type":"mcp","server_url":"https://x","authorization":"zqMcpKeyOne1"},` +
		`{"headers":{"Authorization":"Bearer zqMcpKeyTwo2","x-api-key":"zqMcp\u004beyThree3"},"n":1.50}]`
	messagesWithKeys = `[{"role":"user","content":"Hi","token":"zqMessageKey4"},{"role":"user","content":"<&>"}]`
)

// TestSecretsOfTools holds that what messages and tools keep under the name of a secret is
// sent as it was given, and is neither recorded nor left in a text.
func TestSecretsOfTools(t *testing.T) {
	body := `{"messages":` + messagesWithKeys + `,"tools":` + toolsWithKeys + `}`
	p := testkit.Must(ParseCurl("curl http://127.0.0.1:9/v1/chat/completions -d '" + body + "'"))(t)
	pasted, curlWork, err := (&Resolver{Env: curlEnv}).FromCurl(p)
	testkit.OK(t, err)
	read := testkit.Must(ParseBody([]byte(body)))(t)
	given := testkit.Must((&Resolver{Env: curlEnv, Body: &read}).Resolve("http://127.0.0.1:9/v1"))(t)
	for _, c := range []struct {
		target Target
		work   metrics.Workload
	}{{pasted, curlWork}, {given, read.Work}} {
		recorded, _ := json.Marshal(c.work)
		if s := string(recorded); strings.Contains(s, "zqM") || strings.Count(s, secret.Redacted) != 4 ||
			!strings.Contains(s, "1.50") {
			t.Errorf("recorded: %s", s)
		}
		sent := c.work
		if c.target.Speak(&sent); string(sent.Messages) != messagesWithKeys || string(sent.Tools) != toolsWithKeys {
			t.Errorf("sent: %s %s", sent.Messages, sent.Tools)
		}
		scrub := secret.NewScrubber(c.target.Secrets()...)
		for _, key := range []string{"zqMcpKeyOne1", "zqMcpKeyTwo2", "zqMcpKeyThree3", "zqMessageKey4"} {
			testkit.Lacks(t, scrub.String("the server says "+key+"."), key)
		}
	}
}

// TestKeyInThePromptIsRefused holds that no text to a model holds a key of the request,
// however it is written.
func TestKeyInThePromptIsRefused(t *testing.T) {
	target := Target{Key: secret.NewSecret("zqPlainValue12")}
	target.setHeader("X-Api-Key", "zqHeader value-77", false)
	for _, w := range []metrics.Workload{
		{Prompt: "my key is zqPlainValue12"}, {System: "zqPlainValue12"}, {Prompt: "value-77", System: "zqHeader value-77"},
		{Messages: `[{"role":"user","content":"a"},{"role":"user","content":[{"text":"it is zqPlain\u0056alue12"}]}]`},
		{Messages: `[{}]`, Tools: `[{"description":"zqPlainV\u0061lue12"}]`},
	} {
		var fault *metrics.Fault
		err := target.CheckWork(&w)
		testkit.That(t, errors.As(err, &fault) && !strings.Contains(err.Error(), "zq"), "%+v: %v", w, err)
	}
	testkit.Is(t, target.CheckWork(&metrics.Workload{Prompt: "zqPlain", Messages: `[{"content":"Value12"}]`}), nil)
}

// TestPastedRowHidesItsKey holds that a key that stands twice in a command is not shown as
// its host or model.
func TestPastedRowHidesItsKey(t *testing.T) {
	e, _, err := Typed(`curl http://zqkey4f1c9a7e.example/v1/chat/completions -H 'Authorization: Bearer zqkey4f1c9a7e' ` +
		`-d '{"model":"zqkey4f1c9a7e","messages":[{"role":"user","content":"Hi"}]}'`)
	testkit.That(t, err == nil && !strings.Contains(e.Name+e.URL+e.Model, "4f1c"), "%+v, %v", e, err)
}

// TestFIFOWithoutWriterEnds holds that the end of the program ends the wait for a file
// that a command names.
func TestFIFOWithoutWriterEnds(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skip(err)
	}
	p := testkit.Must(ParseCurl("curl http://127.0.0.1:9/v1/chat/completions -d @" + fifo))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := (&Resolver{Env: curlEnv, Ctx: ctx}).FromCurl(p); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
