package history

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/history"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

func (s *Screen) bindings() []keys.Binding {
	some := func() bool { return s.view.rows.Matching > 0 }
	shown := func() bool { return s.view.shown != nil }
	to := func(i func() int) func() tea.Cmd { return func() tea.Cmd { return s.choose(i()) } }
	v := &s.view
	return []keys.Binding{
		{Do: "next figure", Keys: []string{"v"}, Rank: 10, Word: keys.When(shown, "view"), Act: keys.Do(s.nextFigure),
			Help: "the next figure: TTFT, TPOT, speed, wait"},
		{Do: "scale", Keys: []string{"l"}, Rank: 20,
			Word: func() string { return format.If(shown(), format.Either(v.Linear, "log", "linear")) },
			Act:  keys.Do(func() { v.Linear = !v.Linear }), Help: "a linear or a logarithmic axis"},
		{Do: "zoom", Keys: []string{"z"}, Rank: 21,
			Word: keys.When(shown, "time"), Act: s.zoom, Help: "how far back: 10 min, 1 h, 24 h, 7 d, all"},
		{Do: "pin", Keys: []string{"="}, Rank: 14, Word: keys.When(shown, "baseline"), Act: keys.Do(s.baseline),
			Help: "save the part since the change as baseline"},
		{Do: "next change", Keys: []string{"n"}, Rank: 15,
			Word: keys.When(func() bool { return len(s.places()) > 0 }, "next change"), Act: func() tea.Cmd { return s.step(1) },
			Help: "the next change with its phases, or failure"},
		{Do: "previous change", Keys: []string{"N"},
			Word: nil, Act: func() tea.Cmd { return s.step(-1) }, Help: "the change point or failure before"},
		{Do: "open run", Keys: []string{"enter"}, Rank: 11,
			Word: keys.When(s.openable, "open"), Act: s.openRun, Help: "open the run's recording on Live"},
		{Do: "filter", Keys: []string{"/"}, Rank: 12,
			Word: keys.When(func() bool { return v.rows.All > 0 }, "filter"), Act: keys.Do(s.filter),
			Help: "filter: groq ttft>500 since:7d sort:-ttft"},
		{Do: keys.Up, Keys: []string{"up"},
			Act: to(func() int { return v.Selected - 1 }), Help: "the newer run; the chart shows its series"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 16,
			Word: keys.When(some, "select"), Act: to(func() int { return v.Selected + 1 }),
			Help: "the older run; the chart shows its series"},
		{Do: keys.PageUp, Keys: []string{"pgup"},
			Act: to(func() int { return v.Selected - s.page() }), Help: "a page of newer runs"},
		{Do: keys.PageDown, Keys: []string{"pgdown"},
			Act: to(func() int { return v.Selected + s.page() }), Help: "a page of older runs"},
		{Do: keys.Home, Keys: []string{"home"}, Act: to(func() int { return 0 }), Help: "the newest run"},
		{Do: keys.End, Keys: []string{"end"}, Act: to(func() int { return v.rows.Matching - 1 }), Help: "the oldest run"},
		{Do: keys.Save, Keys: []string{"s"}, Rank: 43,
			Word: keys.When(some, "save"), Act: s.save, Help: "write the runs that match to a file"},
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 9,
			Word: func() string { return format.Either(s.ask.filter != "", "all runs", s.host.BackWord()) },
			Act:  s.leave, Help: "without the filter; then the screen before"},
	}
}

// quoted writes a value as one word of a filter.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t") {
		return `"` + strings.ReplaceAll(s, `"`, "") + `"`
	}
	return s
}

// suggestions are filters that match something now.
func (s *Screen) suggestions() (out []string) {
	add := func(text string) {
		if text = sanitize.Line(text, 80); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, field := range [...]string{"endpoint", "model", "workload"} {
		for i := range s.view.rows.Entries {
			name, _ := history.Order{Field: field}.Key(&s.view.rows.Entries[i])
			if name != "" && len(out) < 12 {
				add(field + ":" + quoted(name))
			}
		}
	}
	for _, text := range [...]string{"since:24h", "state:failed,truncated", "kind:watch", "sort:-ttft", "suspect:no"} {
		add(text)
	}
	return out
}

// Commands implements screen.Screen: the orders of the runs, and a page.
func (s *Screen) Commands() []keys.Binding {
	var out []keys.Binding
	for _, o := range [...]struct{ name, order string }{
		{"newest first", "sort:-at"}, {"longest TTFT first", "sort:-ttft"},
		{"longest TPOT first", "sort:-tpot"}, {"slowest first", "sort:speed"}, {"by endpoint", "sort:endpoint"},
	} {
		out = append(out, keys.Binding{Do: keys.Intent("sort runs: " + o.name), Help: "on History", Act: func() tea.Cmd {
			return tea.Batch(s.host.Show(screen.History), s.orderBy(o.order))
		}})
	}
	return append(out, screen.Paged(s.host, "history", func() bool { return s.view.rows.Matching > 0 },
		func() html.Found { return html.Found{Filter: s.ask.filter} },
		func(ctx context.Context, x html.Found) (_ html.Found, err error) {
			store := func(q history.Query) (history.View, error) { return s.back.HistoryView(ctx, q) }
			x.View, err = store(history.Query{Filter: x.Filter, Limit: pageRuns, Quantiles: true})
			if err == nil {
				x.Now, err = Lately(store, &x.View, time.Now())
			}
			return x, err
		}, html.History))
}

// pageRuns is the number of runs that a page lists.
const pageRuns = 10
