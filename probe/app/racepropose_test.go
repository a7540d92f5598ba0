package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	stored "tokscope/probe/history"
)

// proposing returns what is proposed for a target, in a history of these entries.
func proposing(t *testing.T, target string, asked context.Context, past ...history.Entry) (string, racestat.Proposal) {
	t.Helper()
	dir := t.TempDir()
	store := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	for i := range past {
		past[i].ID = fmt.Sprintf("%032x", i+1)
		past[i].At = time.Now().Add(time.Duration(i-len(past)) * time.Minute)
		testkit.OK(t, store.Append(past[i]))
	}
	a := testkit.Must(app.Open(t.Context(), app.CommandLine{Version: "test", Target: target,
		Changed: map[string]string{"state-dir": dir, "record": "false"},
		Env:     func(n string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[n] }}))(t)
	defer func() { _ = a.Close() }()
	s := a.Session()
	c, why := s.RacePropose(asked)
	testkit.OK(t, s.RaceSet(c)) // what is proposed can race
	return c.String(), why
}

// TestRaceIsProposed holds what screen 3 proposes: of the demo another machine, else the last
// other endpoint that answered, else another model, else the same one cold; and that nobody is
// asked where the context has ended.
func TestRaceIsProposed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"qwen3-8b"},{"id":"text-embed-1"},{"id":"llama-70b"},{"id":"qwen3-32b"}]}`))
	}))
	defer server.Close()
	none, stop := context.WithCancel(t.Context())
	stop()
	entry := func(endpoint, url, model string, state metrics.State) history.Entry {
		return history.Entry{Kind: history.Run, State: state, N: 1, Series: history.Series{Machine: "here",
			Endpoint: endpoint, URL: url, Model: model, Users: 1}}
	}
	// in is an entry of the same address in another API.
	in := func(api string) history.Entry {
		e := entry("127.0.0.1:29", "http://127.0.0.1:29/v1", "m", metrics.Done)
		if e.Series.API = api; api == "ollama" {
			e.Series.URL = "http://127.0.0.1:29"
		}
		return e
	}
	const here, dead = "http://127.0.0.1:29/v1", "http://127.0.0.1:31/v1"
	past := []history.Entry{
		entry("127.0.0.1:30", "http://127.0.0.1:30/v1", "m", metrics.Done), entry("127.0.0.1:31", dead, "m", metrics.Failed),
		entry("127.0.0.1:29", here, "m", metrics.Done), entry("demo", "", "llama-3.1-8b@h100", metrics.Done),
	}
	for _, c := range []struct {
		target string
		asked  context.Context
		past   []history.Entry
		want   string
		why    racestat.Proposal
	}{
		{"demo", t.Context(), past, "llama-3.1-8b@h100 llama-3.1-8b-q4@m3max", racestat.DemoMachines},
		{"llama-3.1-8b-q4@m3max", t.Context(), nil, "llama-3.1-8b-q4@m3max llama-3.1-8b@h100", racestat.DemoMachines},
		{here, t.Context(), past, "HERE 127.0.0.1:30#m", racestat.LastOther},
		{here, t.Context(), past[1:], "HERE HERE+cold", racestat.SameCold},
		{here, t.Context(), []history.Entry{in("messages")}, "HERE HERE/messages#m", racestat.LastOther},
		{here, t.Context(), []history.Entry{in("gemini")}, "HERE HERE/models/m:streamGenerateContent?alt=sse#m",
			racestat.LastOther},
		{here, t.Context(), []history.Entry{in("responses-ws")}, "HERE ws://HERE/v1/responses#m", racestat.LastOther},
		{here, t.Context(), []history.Entry{in("ollama")}, "HERE http://HERE/api/chat#m", racestat.LastOther},
		{here + "/responses", t.Context(), nil, "HERE HERE+cold", racestat.SameCold},
		{here, none, nil, "HERE HERE+cold", racestat.SameCold},
		{server.URL + "/v1", t.Context(), nil, "HERE HERE#qwen3-32b", racestat.OtherModel},
		{server.URL + "/v1", none, nil, "HERE HERE+cold", racestat.SameCold},
	} {
		have, why := proposing(t, c.target, c.asked, c.past...)
		name := strings.TrimSuffix(strings.TrimPrefix(c.target, "http://"), "/v1")
		have = strings.ReplaceAll(have, c.target, "HERE")
		if have = strings.ReplaceAll(have, name, "HERE"); c.why == racestat.DemoMachines {
			have = strings.ReplaceAll(have, "HERE", c.target)
		}
		testkit.That(t, have == c.want && why == c.why, "%s: %q (%s), want %q (%s)", c.target, have, why, c.want, c.why)
	}
}
