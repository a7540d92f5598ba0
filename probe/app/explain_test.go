package app_test

import (
	"context"
	"testing"
	"time"

	"tokscope/metrics"

	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
)

// The Explain engine runs beside a stream and a load, leaves no runs and no
// recording, stores the tour, and ends with the session.
func TestExplainOfASession(t *testing.T) {
	t.Parallel() // most of it is waiting
	srv := testkit.Must(sim.Start(sim.Options{}))(t)
	e := client.New(client.Options{})
	dir := t.TempDir()
	target := endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: srv.URL(), Model: sim.DefaultModel,
			Ready: true},
		Auth: endpoint.AuthNone, Server: "tokscope",
	}
	s := app.New(app.Options{
		Engine: e, Target: target, StateDir: dir, Server: func() (*sim.Server, error) { return srv, nil },
		Resolver: &endpoint.Resolver{Env: func(string) string { return "" }},
	})
	defer func() {
		s.Stop()
		s.Wait()
		e.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		testkit.Is(t, srv.Close(ctx), nil)
	}()
	if v := s.ExplainView(); v.Running || v.Machine.Name == "" || v.Knobs.Users != 8 {
		t.Errorf("before it was opened: %+v", v)
	}
	s.Begin(metrics.Workload{Prompt: "a", MaxTokens: 4000})
	testkit.Must(s.LoadStart(metrics.Workload{Prompt: "a", MaxTokens: 4000}, 3))(t)
	version := s.ExplainVersion()
	testkit.OK(t, s.ExplainOpen())
	for limit := time.Now().Add(30 * time.Second); len(s.ExplainView().Steps) < 3; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("it does not run: %+v", s.ExplainView().Broken)
		}
	}
	testkit.That(t, s.ExplainVersion() != version, "the version did not change")
	if v := s.Snapshot(); v.State.Ended() || len(s.Runs()) != 0 || !s.LoadView().Running {
		t.Errorf("the stream is %v, %d runs; the load runs: %v", v.State, len(s.Runs()), s.LoadView().Running)
	}
	if n := len(s.TourLessons()); n != 11 || s.TourAt() != 1 {
		t.Errorf("%d lessons, at %d", n, s.TourAt())
	}
	s.TourGo(3)
	if v := s.ExplainView(); !v.Tour.On || v.Knobs.Hardware != "rtx4090" {
		t.Errorf("%+v", v.Knobs)
	}
	s.ExplainClose()
	if v := s.ExplainView(); v.Running {
		t.Error("it runs on")
	}
	again := app.New(app.Options{Engine: e, Target: target, StateDir: dir})
	testkit.Is(t, again.TourAt(), 3, "the next session is at lesson")
	err := again.ExplainOpen()
	testkit.That(t, err != nil && again.ExplainView().Broken.Code != "", "without an endpoint it opened: %v", err)
	again.Wait()
}
