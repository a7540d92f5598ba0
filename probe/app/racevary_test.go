package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
)

// TestRaceOfOneField races a target with one field varied: the requests of the lanes differ
// in it alone, and a lane that is served otherwise than it asks is counted.
func TestRaceOfOneField(t *testing.T) {
	t.Parallel() // most of it is waiting
	var mu sync.Mutex
	bodies := map[string]map[string]any{} // by tier, without the messages
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodPost {
			http.NotFound(w, q)
			return
		}
		var body map[string]any
		data, _ := io.ReadAll(q.Body)
		testkit.Is(t, json.Unmarshal(data, &body), nil, "the body is", data)
		delete(body, "messages")
		mu.Lock()
		bodies[body["service_tier"].(string)] = body
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"model":"m","service_tier":"default","choices":[{"index":0,"delta":{"content":"a"}}]}`+"\n\n"+
			`data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	a := measuring(t, t.TempDir(), map[string]string{"record": "false"})
	defer func() { _ = a.Close() }()
	s := a.Session()
	defer s.Wait()
	contest := racestat.ParseContest(server.URL + "/v1#m --vary tier=default,priority")
	testkit.OK(t, s.RaceSet(contest))
	testkit.Same(t, s.RaceContest(), contest, "the contest is kept as")
	plan := racestat.Plan{Work: metrics.Workload{Name: "short", Prompt: "Say a word."}, Bounds: racestat.Bounds{Pairs: 1}}
	testkit.OK(t, s.RaceStart(plan, nil))
	s.RaceWait(t.Context())
	v := s.RaceView()
	testkit.Is(t, v.Vary, "tier", "varies")
	for i, want := range []racestat.Lane{{Value: "default"}, {Value: "priority", Otherwise: 2}} {
		l := &v.Lanes[i]
		if l.Label != "tier="+want.Value || l.Value != want.Value || l.Asked.Tier != want.Value ||
			l.Served.Tier != "default" || l.Otherwise != want.Otherwise || l.Answers() != 2 {
			t.Errorf("lane %d: %+v", i, l)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	priority := maps.Clone(bodies["priority"])
	priority["service_tier"] = "default"
	testkit.That(t, len(bodies) == 2 && reflect.DeepEqual(priority, bodies["default"]), "the requests are %v", bodies)

	for typed, want := range map[string]string{
		"demo --vary teir=a,b":                  "did you mean tier?",
		"demo --vary extra.stream=true,false":   "tokscope sets itself",
		"demo --vary extra.my_api_key=one,two":  "may hold a secret",
		server.URL + "/v1#m --vary model=a,b":   "the target names a model",
		"no-such-target --vary tier=a,b":        "no-such-target",
		"demo --vary tier=only":                 "2 to 6 values",
		"demo+http2 --vary tier=default,other":  "+http2 needs https",
		"demo demo --vary tier=default,another": "one target",
	} {
		err := s.RaceSet(racestat.ParseContest(typed))
		testkit.That(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %q", typed, err, want)
	}
	testkit.Same(t, s.RaceContest(), contest, "what is refused replaces the contest")
}

// TestRaceOfAPIs races a target through two APIs: each lane asks by its own, and a lane whose
// tokens leave out hidden thinking is counted.
func TestRaceOfAPIs(t *testing.T) {
	t.Parallel() // most of it is waiting
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body := testkit.Must(io.ReadAll(q.Body))(t)
		answer := ""
		switch {
		case q.URL.Path == "/v1/responses" && strings.Contains(string(body), `"input":`):
			answer = `data: {"type":"response.created","response":{"id":"r","model":"m"}}` + "\n\n" +
				`data: {"type":"response.output_text.delta","delta":"one"}` + "\n\n" +
				`data: {"type":"response.output_text.delta","delta":" two"}` + "\n\n" +
				`data: {"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":9,"output_tokens":322,` +
				`"output_tokens_details":{"reasoning_tokens":320},"total_tokens":331}}}` + "\n\n"
		case q.URL.Path == "/v1/chat/completions" && strings.Contains(string(body), `"messages":`):
			answer = `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"one two"}}]}` + "\n\n" +
				`data: {"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		default:
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, answer)
	}))
	defer server.Close()
	a := measuring(t, t.TempDir(), map[string]string{"record": "false"})
	defer func() { _ = a.Close() }()
	s := a.Session()
	defer s.Wait()
	testkit.OK(t, s.RaceSet(racestat.ParseContest(server.URL+"/v1#m --vary api=chat,responses")))
	plan := racestat.Plan{Work: metrics.Workload{Name: "short", Prompt: "Say a word."}, Bounds: racestat.Bounds{Pairs: 1}}
	testkit.OK(t, s.RaceStart(plan, nil))
	s.RaceWait(t.Context())
	v := s.RaceView()
	for i, want := range []racestat.Lane{{Label: "api=chat"}, {Label: "api=responses", Hidden: 2}} {
		l := &v.Lanes[i]
		testkit.That(t, l.Label == want.Label && l.Answers() == 2 && l.Hidden == want.Hidden, "lane %d: %+v", i, l)
	}
	api := v.Lanes[1].Endpoint.API
	testkit.That(t, v.Lanes[0].Endpoint.API == "" && api == "responses", "lane 1 is asked by %q", api)
}

// TestRaceOfOneFieldEmbedded checks that the embedded endpoint gets the field that varies:
// it refuses one of the values.
func TestRaceOfOneFieldEmbedded(t *testing.T) {
	t.Parallel() // most of it is waiting
	a := measuring(t, t.TempDir(), map[string]string{"record": "false"})
	defer func() { _ = a.Close() }()
	s := a.Session()
	defer s.Wait()
	testkit.OK(t, s.RaceSet(racestat.ParseContest("demo --vary extra.top_p=1,7")))
	plan := racestat.Plan{Work: metrics.Workload{Name: "short", Prompt: "Say a word.", MaxTokens: 2},
		Bounds: racestat.Bounds{Pairs: 1}}
	testkit.OK(t, s.RaceStart(plan, nil))
	s.RaceWait(t.Context())
	v := s.RaceView()
	testkit.That(t, v.Lanes[0].Last == nil && v.Lanes[1].Last != nil && strings.Contains(v.Lanes[1].Last.Error(), "top_p"),
		"lanes %+v", v.Lanes)
}
