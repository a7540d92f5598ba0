package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
	"tokscope/ui/uitest"
)

// TestFirstFrameAsksNothing checks that entering the screen asks the store nothing
// on the interface's goroutine, and that a frame without an answer says so.
func TestFirstFrameAsksNothing(t *testing.T) {
	at(t, func(t *testing.T) {
		store := uitest.New()
		entries, changes := week()
		store.SetHistory(t, entries, changes)
		d := sit(store)
		cmd, err := d.Enter()
		text := d.frame(120, 40).Plain()
		if err != nil || cmd == nil || len(store.Asked()) > 0 || !strings.Contains(text, "Reading the history.") {
			t.Fatalf("%v, asked %v:\n%s", err, store.Asked(), text)
		}
		d.run(cmd)
		testkit.Has(t, d.frame(120, 40).Plain(), "TTFT is 2.0")
	})
}

// TestScrollAsksForTheVisiblePart goes through all runs: no question is without a
// bound, and every visible row is there after its answer.
func TestScrollAsksForTheVisiblePart(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		d.hasty = true
		d.store.Asked()
		check := func(what string) {
			t.Helper()
			d.frame(120, 40)
			for i := range d.pic.visible {
				if n := d.view.Top + i; n < d.view.rows.Matching && d.view.row(n) == nil {
					t.Fatalf("%s: row %d of %d is not there; loaded are %d from %d on", what, n, d.view.rows.Matching,
						len(d.view.rows.Entries), d.view.offset)
				}
			}
		}
		for range 400 {
			d.press("down")
			check("down")
		}
		for i := range 40 {
			d.press("pgdown")
			check(fmt.Sprint("page ", i))
		}
		d.press("end")
		check("end")
		if e := d.view.row(d.view.Selected); e == nil || d.view.Selected != d.view.rows.Matching-1 ||
			e.At.After(weekEnd.Add(-6*24*time.Hour)) {
			t.Errorf("the last run is %+v", e)
		}
		for range 100 {
			d.press("up")
			check("up")
		}
		d.press("home")
		check("home")
		for _, q := range d.store.Asked() {
			testkit.That(t, q.Limit != 0 && q.Limit <= sampleMost, "a question without a bound: %+v", q)
		}
	})
}

// TestChartFollowsTheChosenRun checks that the chart shows the series of the
// chosen run, with the cursor at its moment.
func TestChartFollowsTheChosenRun(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		s := d.view.shown.Series
		testkit.Given(t, s.Endpoint == "groq" && d.view.row(d.view.Selected).Series == s, "at first: %+v", s)
		for range 6 {
			d.press("down")
			e := d.view.row(d.view.Selected)
			testkit.That(t, d.view.shown.Series == e.Series && d.view.Cursor.Equal(e.At),
				"chosen is %s at %v, shown %s at %v", e.Series.Endpoint, e.At, d.view.shown.Series.Endpoint, d.view.Cursor)
		}
	})
}

// TestChosenRunStays checks that newer runs move the list below the person's
// choice, and that the newest is followed where nothing was chosen.
func TestChosenRunStays(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		d.press("down", "down")
		chosen := d.view.row(d.view.Selected).ID
		all := d.view.rows.Matching
		entries, _ := week()
		for i := range 7 {
			e := entries[len(entries)-1]
			e.ID, e.At = fmt.Sprintf("%032x", i), e.At.Add(time.Duration(i+1)*time.Second)
			testkit.OK(t, d.store.Append(e))
		}
		d.run(d.watch(tickMsg{d.session, d.back.HistoryVersion(context.Background())}))
		got := d.view.row(d.view.Selected)
		testkit.That(t, got != nil && got.ID == chosen && d.view.rows.Matching == all+7, "chosen was %s, is %+v", chosen, got)
	})
}

// TestNextChange checks that n goes to the change points and failures of the series, in
// time and back, and that the phases and the chosen run follow.
func TestNextChange(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		for d.view.shown.Series.Endpoint != "together" {
			d.press("up")
		}
		d.press("n") // shows all of the time
		changes, failures := 0, 0
		check := func() {
			t.Helper()
			f, e := &d.view.finding, d.view.row(d.view.Selected)
			if d.place.failed {
				failures++
			} else {
				changes++
			}
			testkit.That(t, d.place.failed || f.Since.Equal(d.place.at) && f.Reference == say.AgainstBefore,
				"since %v, want %v", f.Since, d.place.at)
			if e == nil || e.Series != d.view.shown.Series || e.At.Before(d.place.at) || d.place.failed != (e.Failed > 0) {
				t.Errorf("the chosen run is %+v, want the first of %+v", e, d.place)
			}
		}
		all := d.places()
		for range all {
			d.press("n")
			check()
		}
		testkit.That(t, changes == 2 && failures != 0 && changes+failures == len(all),
			"%d changes and %d failures of %d places", changes, failures, len(all))
		was := d.place
		d.press("N", "n")
		testkit.Is(t, d.place, was, "N and n lead from … to")
	})
}

// TestNextChangeReturnsToTheBaseline checks that n goes round the changes and the
// baseline, and that a baseline without a request since is no reference.
func TestNextChangeReturnsToTheBaseline(t *testing.T) {
	at(t, func(t *testing.T) {
		d := withBaseline(t)
		seen := map[say.HistoryReference]bool{}
		for range len(d.places()) + 1 {
			d.press("n")
			seen[d.view.finding.Reference] = true
		}
		testkit.That(t, seen[say.AgainstBefore] && seen[say.AgainstBaseline], "n goes to %v", seen)
		s := d.view.shown.Series
		testkit.Must(d.store.HistoryBaseline(context.Background(), history.Baseline{Name: "new", Series: s,
			From: weekEnd.Add(-time.Hour), To: weekEnd}))(t)
		for d.press("n"); d.place != (place{}); {
			d.press("n")
		}
		if text := say.HistorySentence(&d.view.finding).FitRows(1000, 1); d.view.finding.Reference != say.Unreferenced ||
			!strings.Contains(text, "n 24 h: TTFT") || strings.Contains(text, "groq as usual") {
			t.Errorf("a baseline of now: %q", text)
		}
	})
}

// TestOpensOnTheNewestSeries checks that the chart shows the series that was measured
// last, even if an older one has a baseline, and one with a recent change before it.
func TestOpensOnTheNewestSeries(t *testing.T) {
	now := weekEnd
	all := []history.SeriesView{{N: 1, Last: now}, {N: 2, Last: now.Add(-time.Hour),
		Baseline: &history.Baseline{Name: "usual"}}}
	testkit.Is(t, important(all, now).N, 1, "it opens on series")
	all[1].Changes = []history.Change{{Figure: history.TTFT, At: now.Add(-2 * time.Hour), Ratio: 2}}
	testkit.Is(t, important(all, now).N, 2, "with a change it opens on series")
}

// TestOpensOnTheEndpointAtHand checks that the chart shows what the other screens measure,
// also when another endpoint was chosen there meanwhile, until the person has chosen a run.
func TestOpensOnTheEndpointAtHand(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		for _, name := range []string{"lab", "together", "groq"} {
			for i := range d.view.rows.Series {
				if s := &d.view.rows.Series[i].Series; s.Endpoint == name {
					d.store.Use("select", metrics.Endpoint{Name: name, URL: s.URL})
				}
			}
			d.enter()
			if got := d.view.shown.Series.Endpoint; got != name || d.view.row(d.view.Selected).Series.Endpoint != name {
				t.Errorf("at hand is %s, shown %s", name, got)
			}
			d.press("down")
			chosen, selected := d.view.shown.Series, d.view.Selected
			d.press("enter") // and back
			d.enter()
			testkit.That(t, d.view.shown.Series == chosen && d.view.Selected == selected,
				"%s: the chosen run's series %s is left for %s", name, chosen.Endpoint, d.view.shown.Series.Endpoint)
		}
	})
}

// TestSortByHeading checks that a click on a heading sorts, and the second one the
// other way round.
func TestSortByHeading(t *testing.T) {
	at(t, func(t *testing.T) {
		w, store := aWeek(weekEnd, time.Hour), uitest.New()
		store.SetHistory(t, w.entries(), nil)
		d := sit(store)
		d.enter()
		value := func(i int) float64 { return d.view.row(i).Figures[history.TTFT].V }
		for _, want := range []string{"sort:-ttft", "sort:ttft"} {
			cmd, _ := d.Click(onColumn("ttft"), tea.Mouse{})
			d.run(cmd)
			if first, second := value(0), value(1); d.view.filter != want || (first > second) != (want == "sort:-ttft") {
				t.Errorf("%q: %v before %v", d.view.filter, first, second)
			}
		}
		cmd, _ := d.Click(onColumn("at"), tea.Mouse{})
		if d.run(cmd); d.view.filter != "" || d.view.row(0).At.Before(d.view.row(1).At) {
			t.Errorf("by time: %q", d.view.filter)
		}
		d.run(d.setFilter("groq sort:ttft"))
		for _, c := range d.Commands() {
			if c.Do == "sort runs: longest TPOT first" {
				d.run(c.Act())
			}
		}
		testkit.That(t, d.view.filter == "groq sort:-tpot" && d.shows == screen.History,
			"by command: %q on %s", d.view.filter, d.shows)
	})
}

// TestOpenRun checks that enter opens the recording of the chosen run, shows why it
// cannot, and does nothing where nothing can be opened.
func TestOpenRun(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		e := d.view.row(d.view.Selected)
		d.press("enter")
		if got := d.store.Opened(); len(got) != 1 || got[0] != fmt.Sprint(e.Session, " ", e.Request) ||
			d.shows != screen.Replay {
			t.Errorf("opened %v, shows %q", got, d.shows)
		}
		d.shows, d.store.Replay = "", errors.New("no such file")
		d.press("enter")
		testkit.That(t, len(d.wrong) == 1 && d.shows == "", "a lost recording: %v, shows %q", d.wrong, d.shows)
		d.view.rows.Entries[d.view.Selected].Session = ""
		d.press("enter")
		if len(d.wrong) != 2 || len(d.store.Opened()) != 2 {
			t.Errorf("a run without a recording: %v, %v", d.wrong, d.store.Opened())
		}
		d.replay = nil
		for i := range d.Table {
			b := &d.Table[i]
			testkit.That(t, b.Do != "open run" || !b.Works(), "enter works without anything that opens")
		}
	})
}

// TestTicksEndWithTheirVisit checks that no tick of a visit goes on in the next one.
func TestTicksEndWithTheirVisit(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		cmd := d.watch(tickMsg{d.session - 1, 0})
		testkit.That(t, cmd == nil, "a tick of an earlier visit goes on")
	})
}

// TestHostileNames checks that names from outside reach no cell as they are.
func TestHostileNames(t *testing.T) {
	at(t, func(t *testing.T) {
		w := aWeek(weekEnd, time.Hour)
		for i := range w.Targets {
			s := &w.Targets[i].Series
			s.Endpoint, s.Model, s.Workload, s.Machine = "a\x1b[31m"+s.Endpoint, "m\u202e\r\n"+s.Model,
				strings.Repeat("長", 200), "\a"
		}
		store := uitest.New()
		entries := w.entries()
		store.SetHistory(t, entries, w.found(entries))
		d := sit(store)
		d.enter()
		for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}, {300, 80}} {
			text := d.frame(size[0], size[1]).Plain()
			testkit.That(t, !strings.ContainsAny(text, "\x1b\a\r\u202e"), "at %v:\n%q", size, text)
		}
	})
}

// TestFewRequestsAreNotUsual checks that the finding calls no other series usual that
// was measured only a few times.
func TestFewRequestsAreNotUsual(t *testing.T) {
	at(t, func(t *testing.T) {
		entries, _ := week()
		store := uitest.New()
		store.SetHistory(t, entries[len(entries)-12:], nil)
		d := sit(store)
		d.enter()
		text := d.frame(120, 40).Plain()
		if d.view.finding.Steady > 0 || strings.Contains(text, "as usual") ||
			!strings.Contains(text, "3 runs: 10 are needed to say what is usual") {
			t.Errorf("of 12 requests %d others are steady:\n%s", d.view.finding.Steady, text)
		}
	})
}

// TestSpanFitsTheData checks how far back the chart goes by itself.
func TestSpanFitsTheData(t *testing.T) {
	now := weekEnd
	for _, c := range []struct {
		first, last time.Duration
		change      time.Duration
		want        Span
	}{
		{5 * time.Minute, 0, 0, Day}, {7 * 24 * time.Hour, 0, 0, Day},
		{7 * 24 * time.Hour, 0, 60 * time.Hour, Week}, {40 * 24 * time.Hour, 9 * 24 * time.Hour, 0, Month},
		{400 * 24 * time.Hour, 90 * 24 * time.Hour, 0, All},
	} {
		s := history.SeriesView{First: now.Add(-c.first), Last: now.Add(-c.last)}
		if c.change > 0 {
			s.Changes = []history.Change{{Figure: history.TTFT, At: now.Add(-c.change), Ratio: 2}}
		}
		testkit.Is(t, fitting(&s, now), c.want, c)
	}
}

// TestNewsIsLarge checks which change a sentence is about.
func TestNewsIsLarge(t *testing.T) {
	now := weekEnd
	change := func(f history.Figure, ago time.Duration, ratio float64) history.Change {
		return history.Change{Figure: f, At: now.Add(-ago), Ratio: ratio}
	}
	s := history.SeriesView{Changes: []history.Change{
		change(history.TTFT, 9*24*time.Hour, 3), change(history.TTFT, 5*time.Hour, 2),
		change(history.Total, 5*time.Hour-10*time.Minute, 1.3),
		change(history.Longest, 2*time.Hour, 9), change(history.TTFT, time.Hour, 1.05),
	}}
	testkit.Is(t, latest(&s, now), 1, "the newest")
	s.Changes = s.Changes[:1]
	i := latest(&s, now)
	testkit.That(t, i < 0, "an old change: %d", i)
}

// TestEndedIsSaid checks how each end of a request is written.
func TestEndedIsSaid(t *testing.T) {
	for want, e := range map[string]history.Entry{
		"rate limited": {State: metrics.Failed, Fault: metrics.FaultRateLimit},
		"server error": {State: metrics.Failed, Fault: metrics.FaultHTTP, Status: 503},
		"not found":    {State: metrics.Failed, Fault: metrics.FaultHTTP, Status: 404},
		"refused":      {State: metrics.Failed, Fault: metrics.FaultHTTP, Status: 422},
		"truncated":    {State: metrics.Truncated, Fault: metrics.FaultTruncated},
		"stopped":      {State: metrics.Cancelled},
		"failed":       {State: metrics.Failed, Fault: "of a later version"},
	} {
		testkit.Is(t, say.HistoryEnded(&e), want)
	}
}

// TestEmptyChartNamesItsFigure checks that a chart without a value says which figure
// is missing.
func TestEmptyChartNamesItsFigure(t *testing.T) {
	at(t, func(t *testing.T) {
		d := sceneOf(t, "baseline")
		shown := *d.view.shown
		shown.Slots, shown.Baseline = nil, nil
		d.view.shown = &shown
		testkit.Has(t, d.frame(120, 40).Plain(), "no TTFT in this period")
	})
}

// TestOneJudgment checks that the sentence, the chart and the text of the command name one
// change by the same figures.
func TestOneJudgment(t *testing.T) {
	at(t, func(t *testing.T) {
		d := measured(t)
		v := testkit.Must(d.store.HistoryView(context.Background(), history.Query{Quantiles: true}))(t)
		store := func(q history.Query) (history.View, error) { return d.store.HistoryView(context.Background(), q) }
		for i := range v.Series {
			if v.Series[i].Series != d.view.shown.Series {
				continue
			}
			now := testkit.Must(judge(store, &v.Series[i], time.Now()))(t)
			c := &d.view.shown.Changes[d.view.at]
			text := report.History(&history.View{All: 1, Matching: 1, Series: v.Series[i : i+1]}, []watchstat.View{now}, "",
				"").Text(0)
			times := format.TimesRange(c.Ratio, c.Low, c.High)
			if headline := d.frame(200, 50).Plain(); !strings.Contains(headline, times) ||
				!strings.Contains(text, say.HistorySince(c)) {
				t.Errorf("the chart has %s, the screen\n%s\nthe command\n%s", say.HistorySince(c), headline, text)
			}
			return
		}
		t.Fatal("the shown series is not there")
	})
}

// TestWindowFitsItsRuns checks that runs of a short time take the chart of an automatic
// window, just now and long ago, also where older ones are beyond the window.
func TestWindowFitsItsRuns(t *testing.T) {
	at(t, func(t *testing.T) {
		for _, ago := range []time.Duration{0, 3 * time.Hour} {
			for _, older := range []bool{false, true} {
				store := uitest.New()
				w := aWeek(weekEnd, 3*time.Second)
				w.Targets = w.Targets[3:]
				w.From, w.To = weekEnd.Add(-ago-90*time.Second), weekEnd.Add(-ago)
				entries := w.entries()
				if older {
					w.From, w.To = weekEnd.Add(-6*24*time.Hour), weekEnd.Add(-6*24*time.Hour+time.Minute)
					entries = append(w.entries(), entries...)
				}
				store.SetHistory(t, entries, nil)
				d := sit(store)
				d.enter()
				if took := d.view.to.Sub(d.view.from); took > 2*time.Minute || !d.view.to.After(w.To.Add(-time.Second)) {
					t.Errorf("%v ago, older ones %v: the window is %v", ago, older, took)
				}
				text := d.frame(120, 40).Plain()
				want := strings.TrimSpace(say.HistoryShown(&d.view.finding))
				testkit.That(t, want != "" && strings.Contains(text, want), "%v ago: no %q in\n%s", ago, want, text)
			}
		}
	})
}

// TestReasonsAreWhole checks that why a figure is missing is not cut beside free room.
func TestReasonsAreWhole(t *testing.T) {
	for _, before := range []string{"", "baseline"} {
		for w := 77; w < 300; w++ {
			p, g := draw.Canvas{}, draw.New(w, 1)
			p.Begin(g, nil)
			row := missing("  server", "server reports no timings", 3)
			listing.Cells(&p, p.Row(g.Bounds(), 0), listing.Choose(nil, phaseColumns(&phaseTable{before: before}), w), &row)
			if !strings.Contains(g.Plain(), row.change) {
				t.Errorf("before %q at %d columns: %q", before, w, g.Plain())
			}
		}
	}
}

// TestDifferenceIsThatOfTheRow checks that a row that differs says by how much, and that a
// table without such a row has no column for it.
func TestDifferenceIsThatOfTheRow(t *testing.T) {
	r := comparison.Row{Figure: history.TTFT, State: comparison.Higher, NA: 50, NB: 50, A: 261, B: 901}
	testkit.Is(t, phaseOf(&r, "wait", 0).beside, "+640 ms", "the difference")
	r.State = comparison.Noise
	table := phaseTable{before: "before", rows: []phaseRow{phaseOf(&r, "wait", 0)}}
	for _, c := range listing.Choose(nil, phaseColumns(&table), 200) {
		testkit.That(t, c.Head != "difference", "a column without a value")
	}
}

// TestFirstRunIsAnnounced checks that an empty history says what is running.
func TestFirstRunIsAnnounced(t *testing.T) {
	at(t, func(t *testing.T) {
		store := uitest.New()
		d := sit(store)
		d.busy = "the request on Live"
		d.enter()
		text := d.frame(120, 40).Plain()
		if !strings.Contains(text, "Running: the request on Live. It will stand here") ||
			strings.Contains(text, "Nothing has been measured") {
			t.Errorf("while the first run streams:\n%s", text)
		}
	})
}
