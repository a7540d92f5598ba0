package uitest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
)

// HistoryBackend is a backend with a history that the test sets. It has the other
// screens as well.
type HistoryBackend struct {
	*RaceBackend
	*Memory
}

// NewHistory returns one without entries.
func NewHistory() *HistoryBackend { return &HistoryBackend{NewRace(), &Memory{}} }

// Memory is a history in memory. All methods may be called by any goroutine.
type Memory struct {
	mu        sync.Mutex
	entries   []history.Entry // ascending
	changes   map[history.Series][]history.Change
	baselines map[history.Series]history.Baseline
	version   uint64
	opened    []string
	asked     []history.Query
	answers   map[answerKey][]history.SeriesView
	// Err, when set, is returned by every question.
	Err error
	// Replay is what OpenReplay returns.
	Replay error
}

// answerKey is what the series of an answer depend on.
type answerKey struct {
	version  uint64
	filter   string
	from, to time.Time
	series   history.Series
}

// SetHistory makes entries, ascending, the history, with those change points.
func (m *Memory) SetHistory(entries []history.Entry, changes map[history.Series][]history.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries, m.changes = entries, changes
	m.version++
}

// Asked are the questions since the last call.
func (m *Memory) Asked() []history.Query {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// Opened are the recordings that were opened.
func (m *Memory) Opened() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.opened)
}

// HistoryVersion implements the backend of the History screen, as all of the
// following do.
func (m *Memory) HistoryVersion(context.Context) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version
}

// HistoryRows answers with entries alone.
func (m *Memory) HistoryRows(_ context.Context, q history.Query) (history.View, error) {
	v, _, err := m.rows(q)
	return v, err
}

// HistoryView answers with entries and series.
func (m *Memory) HistoryView(_ context.Context, q history.Query) (history.View, error) {
	v, f, err := m.rows(q)
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := answerKey{m.version, q.Filter, q.From, q.To, history.Series{}}
	if q.Series != nil {
		k.series = *q.Series
	}
	if v.Series = m.answers[k]; v.Series != nil {
		return v, nil
	}
	defer func() {
		if m.answers == nil {
			m.answers = map[answerKey][]history.SeriesView{}
		}
		m.answers[k] = v.Series
	}()
	order := []history.Series{}
	slotters := map[history.Series]*history.Slotter{}
	views := map[history.Series]*history.SeriesView{}
	from, to := span(q, f)
	width := time.Minute
	if len(m.entries) > 0 {
		first := m.entries[0].At
		if from.After(first) {
			first = from
		}
		for _, w := range history.Widths {
			if width = w; m.entries[len(m.entries)-1].At.Sub(first) <= 500*w {
				break
			}
		}
	}
	for i := range m.entries {
		e := &m.entries[i]
		if !f.Series(&e.Series) || q.Series != nil && *q.Series != e.Series {
			continue
		}
		s := views[e.Series]
		if s == nil {
			s = &history.SeriesView{Series: e.Series, First: e.At, Changes: m.changes[e.Series]}
			if b, ok := m.baselines[e.Series]; ok {
				s.Baseline = &b
			}
			views[e.Series], slotters[e.Series] = s, &history.Slotter{Width: width}
			order = append(order, e.Series)
		}
		s.Last = e.At
		if e.At.Before(from) || !to.IsZero() && !e.At.Before(to) {
			continue
		}
		s.N, s.Failed = s.N+e.N, s.Failed+e.Failed
		slotters[e.Series].Add(e)
	}
	for _, s := range order {
		x := views[s]
		x.Slots = slotters[s].Slots()
		v.Series = append(v.Series, *x)
	}
	slices.SortStableFunc(v.Series, func(a, b history.SeriesView) int { return b.Last.Compare(a.Last) })
	return v, nil
}

// span is the time that a question asks for.
func span(q history.Query, f history.Filter) (from, to time.Time) {
	from, to = q.From, q.To
	if f.From.After(from) {
		from = f.From
	}
	if !f.To.IsZero() && (to.IsZero() || f.To.Before(to)) {
		to = f.To
	}
	return from, to
}

func (m *Memory) rows(q history.Query) (v history.View, f history.Filter, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, q)
	if m.Err != nil {
		return v, f, m.Err
	}
	if f, err = history.ParseFilter(q.Filter, time.Now()); err != nil {
		return v, f, err
	}
	order, err := history.ParseOrder(q.Sort)
	if err != nil {
		return v, f, err
	}
	if f.Order != (history.Order{}) {
		order = f.Order
	}
	v.All = len(m.entries)
	if v.All == 0 {
		return v, f, nil
	}
	v.Since = m.entries[0].At
	from, to := span(q, f)
	after := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(m.entries, t, func(e history.Entry, t time.Time) int { return e.At.Compare(t) })
		return i
	}
	found := m.entries[after(from):]
	if !to.IsZero() {
		found = found[:max(len(found)-(len(m.entries)-after(to)), 0)]
	}
	if q.Filter != "" || q.Series != nil {
		var chosen []history.Entry // a copy of all that is then thinned out takes several times as long
		for i := range found {
			e := &found[i]
			if (q.Series == nil || *q.Series == e.Series) && f.Series(&e.Series) && f.Entry(e) {
				chosen = append(chosen, *e)
			}
		}
		found = chosen
	}
	v.Matching = len(found)
	if !order.Time() {
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b history.Entry) int {
			x, okX := order.Number(&a)
			y, okY := order.Number(&b)
			switch {
			case okX != okY && okX:
				return -1
			case okX != okY:
				return 1
			case order.Descending:
				x, y = y, x
			}
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
	limit := q.Limit
	if limit == 0 {
		limit = len(found)
	}
	v.Entries = slices.Grow(v.Entries, max(min(limit, len(found)-q.Offset), 0))
	for i := q.Offset; i < len(found) && len(v.Entries) < limit; i++ {
		at := i
		if order.Time() && order.Descending {
			at = len(found) - 1 - i
		}
		v.Entries = append(v.Entries, found[at])
	}
	return v, f, nil
}

// HistoryBaseline sets a baseline.
func (m *Memory) HistoryBaseline(_ context.Context, b history.Baseline) (history.Baseline, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sums history.Sums
	for i := range m.entries {
		if e := &m.entries[i]; e.Series == b.Series && !e.At.Before(b.From) && e.At.Before(b.To) {
			sums.Add(e)
		}
	}
	if b.N = sums.N - sums.Failed; b.N == 0 {
		return b, errors.New("no run in this time ended well")
	}
	b.Figures = sums.Figures()
	if m.baselines == nil {
		m.baselines = map[history.Series]history.Baseline{}
	}
	m.baselines[b.Series] = b
	m.version++
	return b, nil
}

// HistorySave returns a path.
func (m *Memory) HistorySave(context.Context, history.Query) (string, error) {
	return "/state/tokscope/session-history.json", m.Err
}

// OpenReplay opens nothing.
func (m *Memory) OpenReplay(_ context.Context, path string, request int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = append(m.opened, fmt.Sprintf("%s %d", path, request))
	return m.Replay
}

// Watched is a simulated watch in virtual time: targets that are measured every so
// often, and what happens to them.
type Watched struct {
	From, To time.Time
	Every    time.Duration
	Targets  []WatchedTarget
}

// WatchedTarget is one target: its figures in ms, how much they vary, and its
// changes.
type WatchedTarget struct {
	Series        history.Series
	Connect       float64 // DNS and TCP; 0 reuses the connection
	Prefill, TPOT float64
	Vary          float64 // standard deviation of the logarithm
	Changes       []WatchedChange
}

// WatchedChange multiplies prefill and TPOT from a moment on, and lets a share of
// the requests fail with 429.
type WatchedChange struct {
	At            time.Time
	Prefill, TPOT float64
	Failing       float64
}

// AWeek is a week of four targets until now; TTFT of groq doubles
// six hours before now.
func AWeek(now time.Time, every time.Duration) Watched {
	series := func(endpoint, url, model string) history.Series {
		return history.Series{Machine: "lab-1", Endpoint: endpoint, URL: url, Model: model,
			Workload: "chat", Prompt: "c0ffee", InputTokens: 31, MaxTokens: 200, Proto: "HTTP/1.1", Users: 1}
	}
	return Watched{From: now.Add(-7 * 24 * time.Hour), To: now, Every: every, Targets: []WatchedTarget{
		{series("groq", "https://api.groq.com/openai/v1", "llama-3.3-70b"), 11.9, 255,
			7.1, .07, []WatchedChange{{now.Add(-6*time.Hour - 13*time.Minute), 2, 1, .04}}},
		{series("fireworks", "https://api.fireworks.ai/inference/v1", "llama-3.3-70b"), 14, 301, 9.9, .09, nil},
		{series("together", "https://api.together.xyz/v1", "llama-3.3-70b"), 18, 214, 8.4, .12,
			[]WatchedChange{{now.Add(-4 * 24 * time.Hour), 1, 1.3, 0}, {now.Add(-60 * time.Hour), 1, 1, 0}}},
		{series("lab", "http://10.0.0.7:8000/v1", "qwen3-32b"), 0, 96, 14.2, .03, nil},
	}}
}

// Entries runs the watch. The same watch gives the same entries.
func (w Watched) Entries() []history.Entry {
	r := rand.New(rand.NewPCG(14, 5))
	var out []history.Entry
	for at, n := w.From, 0; at.Before(w.To); at, n = at.Add(w.Every), n+1 {
		for i := range w.Targets {
			t := &w.Targets[i]
			out = append(out, t.entry(r, at.Add(time.Duration(i)*900*time.Millisecond), fmt.Sprintf("%08d%02d", n, i)))
		}
	}
	return out
}

// entry is one request of a target.
func (t *WatchedTarget) entry(r *rand.Rand, at time.Time, id string) history.Entry {
	prefill, tpot, failing := t.Prefill, t.TPOT, 0.002
	for _, c := range t.Changes {
		if !at.Before(c.At) {
			prefill, tpot, failing = t.Prefill*c.Prefill, t.TPOT*c.TPOT, 0.002+c.Failing
		}
	}
	hour := float64(at.Unix()%86400) / 86400
	prefill *= 1 + 0.05*math.Sin(2*math.Pi*(hour-.3)) // busier by day
	vary := func(v float64) float64 { return v * math.Exp(r.NormFloat64()*t.Vary) }
	e := history.Entry{
		ID: fmt.Sprintf("%012x%020s", at.UnixMilli(), id), At: at, Kind: history.Watch,
		Group: "watch-1", Series: t.Series, State: metrics.Done, N: 1,
		Prompt: metrics.Known(31, 1), Output: metrics.Known(200, 1),
		Session: "/state/tokscope/session-" + at.Format("20060102") + ".ndjson", Request: 1, Version: "test",
	}
	known := func(f history.Figure, v float64) { e.Figures[f] = metrics.Known(v, 1) }
	for f := range e.Figures {
		e.Figures[f] = metrics.Unknown(metrics.WhyNotBegun)
	}
	pre, per, connect, spike, fails := vary(prefill), vary(tpot),
		vary(t.Connect), r.Float64() < 0.01, r.Float64() < failing
	if fails {
		e.State, e.Fault, e.Status, e.Failed = metrics.Failed, metrics.FaultRateLimit, 429, 1
		return e
	}
	if spike {
		pre *= 1.5 + 2*r.Float64()
	}
	if t.Connect > 0 {
		known(history.DNS, connect*.2)
		known(history.TCP, connect*.8)
	}
	known(history.Prefill, pre)
	known(history.TTFB, pre+t.Connect*.5)
	known(history.TTFT, pre+t.Connect*.5+1.2)
	known(history.TTFC, pre+t.Connect*.5+1.2)
	known(history.TPOT, per)
	known(history.Speed, 1e3/per)
	known(history.Longest, per*(3+r.Float64()))
	known(history.Total, e.Figures[history.TTFT].V+199*per)
	return e
}

// Found are the change points that a search finds: those of the watch, dated and
// measured.
func (w Watched) Found(entries []history.Entry) map[history.Series][]history.Change {
	out := map[history.Series][]history.Change{}
	for i := range w.Targets {
		t := &w.Targets[i]
		var mine []history.Entry
		for j := range entries {
			if entries[j].Series == t.Series {
				mine = append(mine, entries[j])
			}
		}
		for j, c := range t.Changes {
			from, to := w.From, w.To
			if j > 0 {
				from = t.Changes[j-1].At
			}
			if j+1 < len(t.Changes) {
				to = t.Changes[j+1].At
			}
			var before, after []history.Entry
			for k := range mine {
				switch at := mine[k].At; {
				case at.Before(from) || !at.Before(to):
				case at.Before(c.At):
					before = append(before, mine[k])
				default:
					after = append(after, mine[k])
				}
			}
			r := comparison.Of(before, after)
			for k := range r.Rows {
				row := &r.Rows[k]
				if moved := math.Abs(math.Log(row.Ratio)); row.Different() &&
					moved > .1 && (row.Figure == history.TTFT || row.Figure == history.TPOT) {
					out[t.Series] = append(out[t.Series], history.Change{
						Figure: row.Figure, At: c.At, Before: row.A, After: row.B,
						Ratio: row.Ratio, Low: row.Low, High: row.High, NBefore: row.NA, NAfter: row.NB,
					})
				}
			}
		}
	}
	return out
}
