package app_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// wait waits until ok accepts the load of s.
func wait(t *testing.T, s *app.Session, what string, ok func(loadstat.View) bool) loadstat.View {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if v := s.LoadView(); ok(v) {
			return v
		}
	}
	t.Fatalf("never: %s (%+v)", what, s.LoadView().Live)
	return loadstat.View{}
}

// A load on the embedded endpoint needs no consent, follows the slider, opens
// lanes, is held, and ends in two steps. Another one replaces it.
func TestLoadOfASession(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "a load in real time")
	s, file := open(t)
	defer recordedLoads(t, s, file)
	if v := s.LoadView(); v.Began.Known() || v.Sent != 0 || s.LoadView().Asks != (loadstat.Question{}) {
		t.Errorf("before any load: %+v", v)
	}
	first := []slo.Objective{{Name: "tpot", Limit: 20}}
	s.SetSLOs(first)
	if v := s.LoadView(); len(v.SLOs) != 1 || v.SLOs[0] != first[0] {
		t.Errorf("the objectives of the load to come are %v", v.SLOs)
	}
	s.LoadDrive(loadstat.Drive{Users: 3})
	s.LoadHold(true)
	s.LoadCut()
	s.LoadStop()
	if _, ok := s.LoadStream(1); ok {
		t.Error("a lane of no load opened")
	}
	w := metrics.Workload{Prompt: "a", MaxTokens: 6000} // longer than the test: no answer ends by itself
	before := s.LoadVersion()
	// From 16 streams on, ingest gives way to a busy machine: 12 do not wait for it.
	q, err := s.LoadStart(w, 12)
	testkit.Given(t, q == (loadstat.Question{}) && err == nil, "asked %+v, %v", q, err)
	wait(t, s, "12 decoding", func(v loadstat.View) bool { return v.Decoding == 12 })
	testkit.That(t, s.LoadVersion() != before, "the version did not change")
	if v, ok := s.LoadStream(12); !ok || v.Work.Concurrency != 12 || v.Work.Nonce == "" {
		t.Errorf("lane 12: %v %+v", ok, v.Work)
	}
	s.LoadDrive(loadstat.Drive{Users: 2})
	s.LoadCut()
	wait(t, s, "2 users", func(v loadstat.View) bool { return v.Users == 2 && v.Cancelled == 10 })
	s.LoadHold(true)
	testkit.That(t, s.LoadView().Holding, "not on hold")
	s.SetLengths(metrics.Lengths{Low: 10, High: 90}, metrics.Lengths{Low: 5, High: 9})
	if v := s.LoadView(); !v.Input.IsZero() || !v.Output.IsZero() {
		t.Errorf("a load that runs draws %v and %v", v.Input, v.Output)
	}
	slo := []slo.Objective{{Name: "ttft", Limit: 500}}
	s.SetSLOs(slo)
	if v := s.LoadView(); len(v.SLOs) != 1 || len(v.Live.Misses) != 1 {
		t.Errorf("objectives %+v, misses %+v", v.SLOs, v.Live.Misses)
	}
	saved(t, s)
	s.LoadStop()
	testkit.Is(t, s.LoadView().InFlight, 2, "the first stop lets end what runs: in flight")
	s.LoadStop()
	wait(t, s, "the end", func(v loadstat.View) bool { return !v.Running })
	version := s.LoadVersion()
	testkit.Must(s.LoadStart(w, 1))(t)
	if v := wait(t, s, "the next", func(v loadstat.View) bool { return v.Running && v.Sent == 1 }); len(v.SLOs) != 1 ||
		v.Input.String() != "10..90" || v.Output.String() != "5..9" {
		t.Errorf("the next load has the objectives %v and draws %v and %v", v.SLOs, v.Input, v.Output)
	}
	testkit.That(t, s.LoadVersion() > version, "the version went back")
	testkit.Is(t, len(s.Runs()), 0, "requests of a load became runs")
}

// On another machine the question comes first, nothing starts before consent,
// and consent is for that endpoint alone.
func TestLoadElsewhereAsks(t *testing.T) {
	e := client.New(client.Options{})
	defer e.Close()
	// An address of a documentation network, without a server.
	far := func(host string) endpoint.Target {
		return endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: host,
			URL: "http://" + host + "/v1", Model: "m"}, Auth: endpoint.AuthNone}
	}
	s := app.New(app.Options{Engine: e, Resolver: &endpoint.Resolver{Env: func(string) string { return "" }},
		Target: far("192.0.2.1:9")})
	defer s.Wait()
	w := metrics.Workload{Prompt: "a", MaxTokens: 10}
	s.SetLengths(metrics.Lengths{Low: 200_000, High: 400_000}, metrics.Lengths{})
	if q, err := s.LoadStart(w, 16); err != nil || q.Forecast.Tokens() < 1e6 { // 2400 requests a minute of 300 000
		t.Errorf("long prompts: %+v, %v", q, err)
	}
	s.SetLengths(metrics.Lengths{}, metrics.Lengths{})
	q, err := s.LoadStart(w, 16)
	testkit.Given(t, err == nil && q.Forecast.Users == 16 && q.Endpoint == "192.0.2.1:9", "%+v, %v", q, err)
	if v := s.LoadView(); v.Began.Known() {
		t.Error("it started before the yes")
	}
	if q, err := s.LoadStart(w, 4); q != (loadstat.Question{}) || err != nil {
		t.Errorf("four users: %+v, %v", q, err)
	}
	s.LoadDrive(loadstat.Drive{Users: 64})
	if v := s.LoadView(); v.Target != 4 || s.LoadView().Asks.Forecast.Users != 64 {
		t.Errorf("grew to %d, asks %+v", v.Target, s.LoadView().Asks)
	}
	s.LoadConsent()
	if v := s.LoadView(); v.Target != 64 || v.Asks != (loadstat.Question{}) || v.Budget.MaxTokens == 0 {
		t.Errorf("after the yes: %d users, asks %+v, cap %v", v.Target, v.Asks, v.Budget.MaxTokens)
	}
	if q, err := s.LoadStart(w, 16); q != (loadstat.Question{}) || err != nil {
		t.Errorf("asked again: %+v, %v", q, err)
	}
	other := far("192.0.2.1:9").Endpoint
	other.API = "messages"
	for _, e := range []metrics.Endpoint{other, far("192.0.2.2:9").Endpoint} {
		testkit.OK(t, s.Select(e))
		if q, _ := s.LoadStart(w, 16); q == (loadstat.Question{}) {
			t.Errorf("the yes went over to another endpoint, %s in %q", e.URL, e.API)
		}
	}
}

// saved saves the load of that test while it is on hold.
func saved(t *testing.T, s *app.Session) {
	wait(t, s, "figures", func(v loadstat.View) bool { return v.Live.Total.OK })
	path := testkit.Must(s.LoadSave(t.Context()))(t)
	data := testkit.Must(os.ReadFile(path))(t)
	var doc result.Sweep
	if err := result.Unmarshal(data, &doc); err != nil || doc.Schema != result.SweepSchema ||
		doc.Workload.MaxTokens != 6000 || len(doc.Points) == 0 || len(doc.SLO) != 1 || !doc.Interrupted {
		t.Errorf("%s: %v, %s", path, err, data)
	}
}

// recordedLoads checks the session file of that test: both loads, with points.
func recordedLoads(t *testing.T, s *app.Session, file *session.File) {
	s.Stop()
	s.LoadStop()
	s.LoadStop()
	s.Wait()
	testkit.OK(t, file.Close())
	data := testkit.Must(os.ReadFile(file.Path()))(t)
	rec := testkit.Must(session.Read(bytes.NewReader(data)))(t)
	testkit.Need(t, len(rec.Loads), 2, "loads in the session file")
	a, b := rec.Loads[0], rec.Loads[1]
	if a.Head.Users != 12 || a.Head.Workload.MaxTokens != 6000 || a.End == nil || a.End.Sent != 12 ||
		a.End.Cancelled == 0 || strings.Join(a.SLO, " ") != "ttft=500ms" || b.End == nil {
		t.Errorf("%+v, end %+v; %+v", a, a.End, b)
	}
	parts, detailed := 0, 0
	for _, q := range rec.Requests {
		if q.Load != 1 {
			continue
		}
		parts++
		if q.Detailed {
			detailed++
		}
		if len(q.Attempts) != 1 || !q.Attempts[0].Sent.Known() || q.End == nil ||
			q.Detailed != (len(q.Attempts[0].Reads) > 0) || q.Detailed != (len(q.Events) > 0) {
			t.Errorf("request %d of the load: detailed %v, %d events, attempts %+v", q.ID, q.Detailed, len(q.Events), q.Attempts)
		}
	}
	if a.End != nil && (parts != a.End.Sent || a.End.Unrecorded != 0) || detailed != min(parts, a.Head.Recorded.AtOnce) {
		t.Errorf("%d requests, %d with events, of a load that sent %d: %+v", parts, detailed, a.End.Sent, a.Head.Recorded)
	}
}
