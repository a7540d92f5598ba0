package result

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
)

// TestWatchLines: the lines of a change hold since when, the phase and every figure,
// and no control character of a label.
func TestWatchLines(t *testing.T) {
	began := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	w := watchstat.New(watchstat.Plan{Every: time.Minute, Targets: 1})
	b := watchstat.Board{Began: began, Every: time.Minute, Bounds: watchstat.DefaultBounds, Targets: []watchstat.Target{{Label: "a\x1b[31m"}}}
	var out bytes.Buffer
	testkit.OK(t, WriteWatchBegin(&out, &b))
	for i := range 60 {
		e := history.Entry{At: began.Add(time.Duration(i) * time.Minute), N: 1}
		slow := 1.0
		if i >= 30 {
			slow = 2
		}
		e.Figures[history.Prefill] = metrics.Known(200*slow+float64(i%7), 1)
		e.Figures[history.TTFT] = metrics.Known(20+200*slow+float64(i%7), 1)
		event := w.Add(e)
		b.Targets[0].View = w.View()
		u := watchstat.Update{Board: b, Probe: true, Event: event}
		testkit.OK(t, WriteWatchUpdate(&out, &u, nil))
	}
	b.Targets[0].Skip = watchstat.Skip{Code: watchstat.SkipTokens, Slots: 3}
	if err := WriteWatchUpdate(&out, &watchstat.Update{Board: b}, nil); err != nil {
		t.Fatal(err)
	}
	testkit.OK(t, WriteWatchEnd(&out, &b, began, false, nil))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if strings.Contains(out.String(), "\x1b") || len(lines) != 63 {
		t.Fatalf("%d lines", len(lines))
	}
	found := 0
	for i, line := range lines[1:61] {
		var p WatchProbe
		testkit.OK(t, Unmarshal([]byte(line), &p))
		if p.Schema != WatchSchema || p.Probe != i+1 || !p.Figures.Times[watchstat.TTFT].OK || p.Figures.Times[watchstat.TPOT].OK || (p.Baseline == nil) != (i < 19) {
			t.Fatalf("line %d: %s", i, line)
		}
		if p.Event == "changed" {
			found++
			c := p.Change
			if !c.Since.Equal(began.Add(30*time.Minute)) || c.Cause != "prefill" || c.Head != watchstat.TTFT || !c.Ended.IsZero() || len(c.Figures) != watchstat.Figures || !c.Figures[watchstat.TTFT].Changed || c.Figures[watchstat.TPOT].Now.OK {
				t.Errorf("change: %s", line)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d changes", found)
	}
	var end WatchEnd
	if err := Unmarshal([]byte(lines[62]), &end); err != nil || end.Targets[0].State != "changed" || end.Targets[0].Medians != nil {
		t.Errorf("end: %s", lines[62])
	}
}
