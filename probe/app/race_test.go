package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/app"
	"tokscope/probe/endpoint"
)

// TestRaceOfASession races two models of the embedded endpoint: contestants, pairs,
// verdicts, the saved document, and the end of a race that is replaced or left.
func TestRaceOfASession(t *testing.T) {
	t.Parallel() // most of it is waiting
	a := measuring(t, t.TempDir(), map[string]string{"record": "true"})
	defer func() { _ = a.Close() }()
	s := a.Session()
	if v := s.RaceView(); v.Began.Known() || len(v.Lanes) != 0 {
		t.Errorf("before any: %+v", v)
	}
	testkit.Refuses(t, s.RaceStart(racestat.Plan{}, nil), "two contestants")
	if _, err := s.RaceSave(t.Context()); err == nil {
		t.Error("nothing can be saved")
	}
	for _, targets := range [][]string{{"demo"}, {"demo", "no-such"}, {"demo", "demo+http2"}, {"demo", "demo#"}} {
		if err := s.RaceSet(racestat.Contest{Targets: targets}); err == nil || len(s.RaceContest().Targets) != 0 {
			t.Errorf("%v: %v, contestants %v", targets, err, s.RaceContest())
		}
	}
	testkit.OK(t, s.RaceSet(racestat.Contest{Targets: []string{"llama-3.1-8b@h100", "llama-3.1-8b@h100",
		"llama-3.1-8b-q4@m3max+cold"}}))
	var names []string
	for _, l := range s.RaceView().Lanes {
		names = append(names, l.Label)
	}
	if names := strings.Join(names, ","); names != "llama-3.1-8b@h100,llama-3.1-8b@h100 again,llama-3.1-8b-q4@m3max+cold" {
		t.Errorf("contestants %s", names)
	}
	var rounds atomic.Int32
	plan := racestat.Plan{Work: metrics.Workload{Name: "short", Prompt: "Say a word.", MaxTokens: 4},
		Bounds: racestat.Bounds{Pairs: 2}, Endless: true}
	testkit.OK(t, s.RaceStart(plan, func(racestat.View) { rounds.Add(1) }))
	s.RaceWait(t.Context())
	v := s.RaceView()
	if v.Ended != racestat.EndPairs || v.Pairs() != 2 || rounds.Load() != 3 || len(v.Verdicts) != 15 || !v.Spent.Free ||
		v.Spent.Tokens == 0 {
		t.Errorf("ended %q, %d pairs, %d rounds, %+v", v.Ended, v.Pairs(), rounds.Load(), v.Spent)
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		testkit.That(t, l.Last == nil && l.Requests == 3 && l.Here && l.Endpoint.Note != "", "lane %+v", l)
		if stream, ok := s.RaceStream(i); !ok || stream.State != metrics.Done || stream.Conn.Reused == (i == 2) {
			t.Errorf("the stream of lane %d: %v, %v, reused %v", i, ok, stream.State, stream.Conn.Reused)
		}
	}
	if cold, kept := v.Connect(2), v.Connect(0); !cold.OK || cold.V <= 0 || cold.N != 2 || kept.OK {
		t.Errorf("connecting took %+v on new connections, %+v on kept ones", cold, kept)
	}
	path, err := s.RaceSave(t.Context())
	testkit.Given(t, err == nil && strings.HasSuffix(path, ".race.json"), "saved %q, %v", path, err)
	data, err := os.ReadFile(path)
	var doc struct {
		Schema  string
		Verdict []any
		Pairs   []any
	}
	if err != nil || json.Unmarshal(data, &doc) != nil || doc.Schema != "tokscope/race/v1" || len(doc.Verdict) != 15 ||
		len(doc.Pairs) != 3 {
		t.Errorf("document %+v, %v", doc, err)
	}
	var line bytes.Buffer
	for _, kind := range []string{"begin", "pair", "end"} {
		testkit.Is(t, s.RaceLine(&line, kind, &v), nil)
	}
	testkit.Is(t, strings.Count(line.String(), "\n"), 3, "lines", &line)

	before := s.RaceVersion()
	plan.Bounds = racestat.Bounds{}
	for range 2 { // the second replaces the first
		testkit.OK(t, s.RaceStart(plan, nil))
	}
	testkit.That(t, s.RaceVersion() > before, "the version does not grow with a new race")
	s.RaceHold(true)
	if v := s.RaceView(); !v.Running || !v.Holding {
		t.Errorf("held: %+v", v)
	}
	done := make(chan struct{})
	go func() { s.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("a race that holds keeps the session from ending")
	}
	if v := s.RaceView(); v.Running || v.Ended != racestat.EndStopped {
		t.Errorf("left: %q", v.Ended)
	}
}

// TestRaceRefusesAKeyInItsPrompt holds that the prompt of a race, and of a watch, holds no
// key of any target.
func TestRaceRefusesAKeyInItsPrompt(t *testing.T) {
	dir := t.TempDir()
	a := testkit.Must(app.Open(t.Context(), app.CommandLine{Target: "http://127.0.0.1:9/v1",
		Changed: map[string]string{"state-dir": dir, "record": "false"},
		Flags:   endpoint.Flags{Headers: []string{"X-Api-Key: zqPlainValue12"}},
		Env:     func(n string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[n] }}))(t)
	defer func() { _ = a.Close() }()
	s := a.Session()
	testkit.OK(t, s.RaceSet(racestat.Contest{Targets: []string{"http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1+cold"}}))
	w := metrics.Workload{Prompt: "my key is zqPlainValue12"}
	testkit.Refuses(t, s.RaceStart(racestat.Plan{Work: w}, nil), "prompts are recorded")
	order := watchstat.Order{Work: []metrics.Workload{w}, Plan: watchstat.Plan{Every: time.Second}}
	testkit.Refuses(t, a.NewWatch().Start(t.Context(), order, nil), "prompts are recorded")
}

// TestSwapOfASession: a server that cannot be restarted and a plan that cannot decide are
// refused before anything runs; a restart that fails ends the race in the command's words.
func TestSwapOfASession(t *testing.T) {
	a := measuring(t, t.TempDir(), nil)
	defer func() { _ = a.Close() }()
	s := a.Session()
	contest := racestat.Contest{Targets: []string{"llama-3.1-8b@h100"}, Settings: []string{"off", "on"}}
	testkit.Refuses(t, s.RaceSet(contest), "no command restarts it")
	contest.Targets = []string{"http://127.0.0.1:1/v1"}
	testkit.OK(t, s.RaceSet(contest))
	swap := racestat.Swap{Command: []string{"go", "no-such-{lane}"}, Blocks: 4, Requests: 1}
	plan := racestat.Plan{Work: metrics.Workload{Prompt: "Say a word.", MaxTokens: 4}, Swap: &swap}
	testkit.Refuses(t, s.RaceStart(plan, nil), "2 settings take 5 to 8")
	swap.Blocks = 5
	testkit.OK(t, s.RaceStart(plan, nil))
	s.RaceWait(t.Context())
	if v := s.RaceView(); v.Ended != racestat.EndRestart || v.Block.Fault == nil ||
		!strings.Contains(v.Block.Fault.Error(), "go ended with exit status 2") || len(v.BlockOrder) != 10 || v.Swap == nil {
		t.Errorf("%q: %v", v.Ended, v.Block.Fault)
	}
	_, err := s.RaceSave(t.Context())
	testkit.That(t, err != nil, "nothing can be saved")
}

// TestLanesNameTheirAPI: one address can be asked in two APIs, so a lane says its own.
func TestLanesNameTheirAPI(t *testing.T) {
	a := measuring(t, t.TempDir(), nil)
	defer func() { _ = a.Close() }()
	s := a.Session()
	testkit.OK(t, s.RaceSet(racestat.Contest{Targets: []string{"http://127.0.0.1:1/v1",
		"http://127.0.0.1:1/v1/messages"}}))
	if l := s.RaceView().Lanes; strings.HasSuffix(l[0].Label, "chat") || !strings.HasSuffix(l[1].Label, " messages") {
		t.Errorf("lanes %q and %q", l[0].Label, l[1].Label)
	}
}
