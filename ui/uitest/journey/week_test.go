package journey

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	kinds "tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/endpoint"
	"tokscope/probe/history"
	"tokscope/probe/probetest"
	"tokscope/probe/probetest/virtual"
	"tokscope/probe/sim/engine"
	"tokscope/probe/watch"
	"tokscope/themes"
	"tokscope/ui/draw"
	uiscreen "tokscope/ui/screen"
	historyscreen "tokscope/ui/screen/history"
)

// A prefill takes twice as long from so long before the end of the week.
const slowBefore = 6*time.Hour + 13*time.Minute

// TestWeek watches a server for a week in virtual time, with a probe every half an
// hour and two requests of a thousand refused. It writes every probe to a history as
// `tokscope watch` does, and opens it on the History screen. The watch and the screen
// find the change, date it and name its phase.
func TestWeek(t *testing.T) {
	probetest.TakesTime(t, "336 probes, and a search for changes after each")
	const every = 30 * time.Minute
	store, err := history.Open(history.Dir(t.TempDir()), history.Options{Machine: "lab-1"})
	if err != nil {
		t.Fatal(err)
	}
	setup, err := virtual.Setup()
	if err != nil {
		t.Fatal(err)
	}
	until := time.Now().UTC().Truncate(time.Minute)
	var seen string
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
		writer := history.NewWriter(store, history.Source{Version: "v1"})
		group := history.NewGroup()
		c.Keep = func(r *metrics.Run) { writer.Run(kinds.Watch, group, &r.Stream, &r.Figures) }
		w := watch.Start(t.Context(), c)
		w.Wait()
		b := w.Board()
		if ch := b.Targets[0].View.Change; ch != nil {
			change = *ch
		}
		if err := writer.Close(time.Minute); err != nil {
			t.Error(err)
		}
		seen = shown(store, 120, 40)
		t.Logf("%d probes in %s", b.Targets[0].View.Probes, store.Path())
	})
	if off := change.Since.Sub(changed); change.Cause != watchstat.CausePrefill || off.Abs() > 3*every {
		t.Errorf("the watch found %q since %v, it was the prefill at %v", change.Cause, change.Since, changed)
	}
	sentence := strings.Join(strings.Fields(strings.Join(strings.Split(seen, "\n")[:2], " ")), " ")
	t.Log(sentence)
	if !strings.HasPrefix(sentence, "rack-1") || !strings.Contains(sentence, "prefill") {
		t.Errorf("the screen does not name the change:\n%s", seen)
	}
	at, err := time.Parse("15:04", datedAt.FindString(sentence))
	off := at.Sub(ofDay(changed)).Abs() // around midnight nearly a day, for minutes
	if err != nil || off > 3*every && off < 24*time.Hour-3*every {
		t.Errorf("the screen does not date the change to %v:\n%s", changed, seen)
	}
}

// datedAt finds a time of the day.
var datedAt = regexp.MustCompile(`\b\d\d:\d\d\b`)

// ofDay returns the time of the day of t, as time.Parse does.
func ofDay(t time.Time) time.Time {
	return time.Date(0, 1, 1, t.Hour(), t.Minute(), 0, 0, time.UTC)
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

// stored is the store as the History screen uses it.
type stored struct{ *history.Store }

func (s stored) HistoryView(_ context.Context, q kinds.Query) (kinds.View, error) { return s.View(q) }

func (s stored) HistoryVersion(context.Context) uint64 {
	v, _ := s.Version()
	return v + 1
}

func (s stored) HistoryBaseline(_ context.Context, b kinds.Baseline) (kinds.Baseline, error) {
	return s.SetBaseline(b.Name, b.Series, b.From, b.To)
}

func (s stored) HistorySave(context.Context, kinds.Query) (string, error) { return "", nil }

// alone is the host of one screen.
type alone struct{ uiscreen.Host }

func (alone) Changed()               {}
func (alone) Covered() bool          { return false }
func (alone) Has(uiscreen.Name) bool { return true }
func (alone) Complain(error) tea.Cmd { return nil }

// shown is the History screen over a store, as it opens.
func shown(store *history.Store, w, h int) string {
	s := historyscreen.New(uiscreen.Deps{
		Host: alone{}, Look: &uiscreen.Look{Glyphs: themes.UnicodeGlyphs()}, Backend: stored{store},
	})
	g := draw.New(w, h)
	s.Draw(g, g.Bounds())
	cmd, _ := s.Enter(false)
	follow(s, cmd, 4)
	s.Draw(g, g.Bounds())
	return g.Plain()
}

// follow carries out a command and what follows from it, so many steps far: a tick
// makes the next one.
func follow(s uiscreen.Screen, cmd tea.Cmd, steps int) {
	if cmd == nil || steps == 0 {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			follow(s, c, steps)
		}
	default:
		follow(s, s.Update(msg), steps-1)
	}
}
