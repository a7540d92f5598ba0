package app_test

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// A running load takes other work and another model at once. Another endpoint
// asks with the estimate, and nothing changes before a yes. Undo goes back, and
// asks again where it moves the load.
func TestLoadIsSteered(t *testing.T) {
	e := client.New(client.Options{})
	defer e.Close()
	r := &endpoint.Resolver{Env: func(string) string { return "" }, Profiles: map[string]endpoint.Profile{
		"dear": {URL: "http://192.0.2.2:9/v1", Model: "m", PriceIn: 1, PriceOut: 2},
	}}
	// Addresses of documentation networks, without a server.
	at := func(host, model string) metrics.Endpoint {
		return metrics.Endpoint{Kind: metrics.EndpointURL, Name: host, URL: "http://" + host + "/v1", Model: model}
	}
	s := app.New(app.Options{Engine: e, Resolver: r, Target: endpoint.Target{Endpoint: at("192.0.2.1:9", "m"),
		Auth: endpoint.AuthNone}})
	defer s.Wait()
	w := metrics.Workload{Prompt: "a", MaxTokens: 10}
	s.LoadSteer(w, metrics.Lengths{}, metrics.Lengths{}) // no load yet
	testkit.Is(t, s.LoadUndo(false), loadstat.Question{}, "without a load undo asks")
	testkit.Must(s.LoadStart(w, 4))(t)
	longer := w
	longer.MaxTokens = 20
	s.LoadSteer(longer, metrics.Lengths{Low: 10, High: 90}, metrics.Lengths{})
	if v := s.LoadView(); v.Work.MaxTokens != 20 || v.Input.String() != "10..90" || len(v.Marks) != 1 || !v.Running {
		t.Errorf("%+v, %d marks", v.Work, len(v.Marks))
	}
	if q, err := s.LoadMove(at("192.0.2.1:9", "n"), false); q != (loadstat.Question{}) || err != nil ||
		s.Endpoint().Model != "n" {
		t.Errorf("another model: %+v, %v, %q", q, err, s.Endpoint().Model)
	}
	s.LoadDrive(loadstat.Drive{Users: 64}) // the guard still holds: nobody agreed to anything
	if v := s.LoadView(); v.Target != 4 || v.Asks.Forecast.Users != 64 {
		t.Errorf("grew to %d, asks %+v", v.Target, v.Asks)
	}
	dear := metrics.Endpoint{Kind: metrics.EndpointProfile, Name: "dear", URL: "http://192.0.2.2:9/v1", Model: "m"}
	q, err := s.LoadMove(dear, false)
	if err != nil || q.Endpoint != "dear" || q.From != "192.0.2.1:9" || q.Forecast.Users != 4 ||
		!(q.Forecast.Tokens() > 0) || !q.Forecast.Cost.OK || q.Forecast.Currency != "USD" {
		t.Errorf("asked %+v, %v", q, err)
	}
	if v := s.LoadView(); len(v.Marks) != 2 || s.Endpoint().Name != "192.0.2.1:9" || v.Endpoint.Name != "192.0.2.1:9" {
		t.Errorf("before the yes: %d marks, %+v", len(v.Marks), v.Endpoint)
	}
	if q, err := s.LoadMove(dear, true); q != (loadstat.Question{}) || err != nil {
		t.Errorf("after the yes: %+v, %v", q, err)
	}
	got, want := s.Endpoint().Price, (metrics.Price{In: 1, Out: 2, Currency: "USD"})
	testkit.That(t, got == want, "the price is %+v, want %+v: auto is bounded by it", got, want)
	if v := s.LoadView(); len(v.Marks) != 3 || s.Endpoint().Name != "dear" || v.Endpoint.Name != "dear" ||
		v.Undo.Kind != loadstat.MarkEndpoint || v.Asks != (loadstat.Question{}) {
		t.Errorf("moved: %d marks, %+v", len(v.Marks), v.Endpoint)
	}
	s.SetSLOs([]slo.Objective{{Name: "ttft", Limit: 500}})
	if q := s.LoadUndo(false); q != (loadstat.Question{}) || len(s.LoadView().SLOs) != 0 {
		t.Errorf("the objectives stayed: %+v", q)
	}
	if q := s.LoadUndo(false); q.Endpoint != "192.0.2.1:9" || s.Endpoint().Name != "dear" {
		t.Errorf("back to the first endpoint: asked %+v", q)
	}
	s.LoadUndo(true)
	s.LoadUndo(false)
	s.LoadUndo(false)
	if v := s.LoadView(); s.Endpoint().Name != "192.0.2.1:9" || s.Endpoint().Model != "m" || v.Work.MaxTokens != 10 ||
		!v.Input.IsZero() || v.Undo != nil || len(v.Marks) != 8 {
		t.Errorf("all taken back: %+v, %+v, %d marks", s.Endpoint(), v.Work, len(v.Marks))
	}
	if _, err := s.LoadMove(metrics.Endpoint{Kind: metrics.EndpointProfile, Name: "unknown"}, true); err == nil ||
		len(s.LoadView().Marks) != 8 {
		t.Error("an endpoint that does not exist was taken")
	}
}
