package app_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/app"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
)

// TestWatchOverHTTP watches the embedded endpoint over real HTTP, and again with the
// first watch's probes as the baseline: they come from the history.
func TestWatchOverHTTP(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "real streams")
	dir := t.TempDir()
	line := app.CommandLine{Flags: metrics.Flags{Export: metrics.Export{Enabled: true, MetricsAddr: "127.0.0.1:0"}},
		Changed: map[string]string{"state-dir": dir, "record": "true"},
		Env:     func(n string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[n] }}
	order := watchstat.Order{
		Work: []metrics.Workload{{Name: "short", Prompt: "Say a word.", MaxTokens: 4, Connection: metrics.ReuseCold}},
		Plan: watchstat.Plan{Every: 100 * time.Millisecond, Learn: 10},
	}
	run := func(o watchstat.Order) (b watchstat.Board, lines string) {
		a := testkit.Must(app.Open(t.Context(), line))(t)
		defer func() {
			testkit.Is(t, a.Close(), nil)
		}()
		w := a.NewWatch()
		var out bytes.Buffer
		if err := w.Start(t.Context(), o, func(u watchstat.Update) {
			if u.Probe {
				testkit.Is(t, w.WriteUpdate(&out, &u), nil)
				// On a loaded machine some probes are suspect, and the watch learns from more of them.
				if v := &u.Board.Targets[0].View; o.Probes == 0 && v.Probes >= 12 && v.State != watchstat.Learning {
					w.Stop()
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		w.Wait()
		resp := testkit.Must(http.Get(a.MetricsURL()))(t)
		page, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		if !strings.Contains(string(page), `figure="ttft"} 0`) || !strings.Contains(string(page),
			"tokscope_changed{endpoint=") {
			t.Errorf("no verdict on the page:\n%s", page)
		}
		return w.Board(), out.String()
	}
	b, lines := run(order)
	v := &b.Targets[0].View
	if b.Ended != watchstat.EndStopped || v.Failed != 0 || v.State != watchstat.Usual || !b.Targets[0].Here ||
		b.Targets[0].Spent == 0 {
		t.Fatalf("ended %q, %+v", b.Ended, v.State)
	}
	var last result.WatchProbe
	all := strings.Split(strings.TrimSpace(lines), "\n")
	if err := result.Unmarshal([]byte(all[len(all)-1]), &last); err != nil || len(all) != v.Probes ||
		!last.Figures.Times[watchstat.Prefill].OK || !last.Figures.Times[watchstat.Connect].OK || last.Baseline == nil {
		t.Errorf("%v: %d lines, %+v", err, len(all), last)
	}
	order.Past, order.Probes = time.Hour, 2
	again, _ := run(order)
	if v := &again.Targets[0].View; again.Ended != watchstat.EndProbes || v.Probes != 2 || v.N < watchstat.MinValues ||
		v.State != watchstat.Usual {
		t.Errorf("ended %q after %d, baseline of %d, %v", again.Ended, v.Probes, v.N, v.State)
	}
	a := testkit.Must(app.Open(t.Context(), line))(t)
	defer func() { _ = a.Close() }()
	kept := testkit.Must(app.OpenHistory(a.Settings, line.Env))(t)
	if got, err := kept.View(history.Query{Filter: "kind:watch"}); err != nil || got.Matching != v.Probes+2 {
		t.Errorf("%v: %d probes in the history", err, got.Matching)
	}
	for want, edit := range map[string]func(o *watchstat.Order){
		"no baseline none":     func(o *watchstat.Order) { o.Past, o.Baseline = 0, "none" },
		"too few probes":       func(o *watchstat.Order) { o.Work[0].MaxTokens = 5 },
		"too often for":        func(o *watchstat.Order) { o.Targets = []string{"https://h.example.com/v1"} },
		"which is not watched": func(o *watchstat.Order) { o.Past, o.Conditions = 0, []condition.Condition{{Of: "other"}} },
		"no-such-name":         func(o *watchstat.Order) { o.Targets = []string{"no-such-name"} },
	} {
		o := order
		o.Work = append([]metrics.Workload(nil), order.Work...)
		edit(&o)
		testkit.Refuses(t, a.NewWatch().Start(t.Context(), o, nil), want)
	}
}
