package journey

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/endpoint"
	stored "tokscope/probe/history"
	"tokscope/probe/probetest"
	"tokscope/probe/probetest/virtual"
	"tokscope/probe/sim/engine"
	"tokscope/probe/watch"
)

// A prefill takes twice as long from so long before the end of the week.
const slowBefore = 6*time.Hour + 13*time.Minute

// TestWeek watches a server for a week in virtual time, with a probe every half an
// hour and two requests of a thousand refused. It writes every probe to a history as
// `tokscope watch` does. The watch finds the change, dates it and names its phase; the
// history dates it too.
func TestWeek(t *testing.T) {
	probetest.TakesTime(t, "336 probes, and a search for changes after each")
	const every = 30 * time.Minute
	store, err := stored.Open(stored.Dir(t.TempDir()))
	testkit.OK(t, err)
	store.Machine = "lab-1"
	setup, err := virtual.Setup()
	testkit.OK(t, err)
	until := time.Now().UTC().Truncate(time.Minute)
	var seen history.View
	var change watchstat.Change
	changed := until.Add(-slowBefore)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(until.Add(-7 * 24 * time.Hour)))
		began := time.Now()
		server := virtual.New(setup, testkit.Rand(t, 1))
		server.Users = 2
		server.Endpoint = metrics.Endpoint{
			Kind: metrics.EndpointURL, Name: "rack-1", URL: "http://10.0.0.1:8000/v1", Model: "llama-3.1-8b",
		}
		server.Fault = refuses(testkit.Rand(t, 11), 0.002)
		server.Slow = virtual.SlowFrom(changed.Sub(began), engine.Slowness{Prefill: 2, Decode: 1})
		c := watch.Config{Plan: watchstat.Plan{Every: every, Learn: 50}, Most: 7 * 24 * time.Hour}
		c.Rows = []watch.Row{{
			Label:  "rack-1",
			Target: endpoint.Target{Endpoint: server.Endpoint},
			Work:   metrics.Workload{Name: "chat", Prompt: "Say something.", InputTokens: 2000, MaxTokens: 24},
		}}
		c.Send = func(ctx context.Context, _ int, w metrics.Workload) watch.Stream { return server.Send(ctx, w) }
		writer := stored.NewWriter(store, stored.Source{Version: "v1"})
		group := stored.NewGroup()
		c.Keep = func(r *metrics.Run) { writer.Run(history.Watch, group, &r.Stream, &r.Figures) }
		w := watch.Start(t.Context(), c)
		w.Wait()
		b := w.Board()
		if ch := b.Targets[0].View.Change; ch != nil {
			change = *ch
		}
		testkit.Is(t, writer.Close(time.Minute), nil)
		seen, err = store.View(history.Query{})
		testkit.Is(t, err, nil)
		t.Logf("%d probes in %s", b.Targets[0].View.Probes, store.Path())
	})
	if off := change.Since.Sub(changed); change.Cause != watchstat.CausePrefill || off.Abs() > 3*every {
		t.Errorf("the watch found %q since %v, it was the prefill at %v", change.Cause, change.Since, changed)
	}
	found := map[history.Figure]bool{}
	for _, c := range seen.Series[0].Changes {
		if c.Ratio > 1.3 && c.At.Sub(changed).Abs() <= 3*every {
			found[c.Figure] = true
		}
	}
	if !found[history.TTFT] || found[history.TPOT] || len(seen.Series) != 1 {
		t.Errorf("the history does not date a slower first token to %v: %+v", changed, seen.Series)
	}
}

// refusing refuses a share of the requests.
func refuses(rng *rand.Rand, share float64) func(time.Duration) *metrics.Fault {
	return func(time.Duration) *metrics.Fault {
		if rng.Float64() >= share {
			return nil
		}
		return &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429}
	}
}
