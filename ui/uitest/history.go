package uitest

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	store "tokscope/probe/history"
	"tokscope/probe/result"
)

// Memory is the store of the program in a folder of the test. The test sets its
// change points, since the search for them takes seconds. All methods may be
// called by any goroutine.
type Memory struct {
	mu     sync.Mutex
	store  *store.Store // nil: no entries
	stores uint64       // so far
	opened []string
	asked  []history.Query
	// Err, when set, is returned by every question.
	Err error
	// Replay is what OpenReplay returns.
	Replay error
}

// written are the files of the stores so far, by the place of their first entry. A
// store with an index is read in a tenth of the time that writing it takes.
var written sync.Map

// changesLine is the form of a series in the store's file of changes.
type changesLine struct {
	Series  history.Series   `json:"series"`
	Changes []history.Change `json:"changes"`
}

// files are the files of a store with these entries and changes.
func files(entries []history.Entry, changes map[history.Series][]history.Change) fs.FS {
	if all, ok := written.Load(&entries[0]); ok {
		return all.(fs.FS)
	}
	dir := must(os.MkdirTemp("", "history"))
	defer os.RemoveAll(dir)
	s := must(store.Open(dir, store.Options{}))
	err := s.Append(entries...)
	if err == nil {
		err = s.Maintain(func() bool { return true }) // writes the index, searches nothing
	}
	var lines []changesLine
	for series, found := range changes {
		lines = append(lines, changesLine{series, found})
	}
	all := fstest.MapFS{"changes.json": {Data: must(result.Marshal(lines)), Mode: 0o600}}
	for _, e := range must(os.ReadDir(dir)) {
		all[e.Name()] = &fstest.MapFile{Data: must(os.ReadFile(filepath.Join(dir, e.Name()))), Mode: 0o600}
	}
	written.Store(&entries[0], must(all, err))
	return all
}

// SetHistory makes entries, ascending and at least one, the history, with those
// change points.
func (m *Memory) SetHistory(tb testing.TB, entries []history.Entry, changes map[history.Series][]history.Change) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "history")
	must(dir, os.CopyFS(dir, files(entries, changes)))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store = must(store.Open(dir, store.Options{}))
	m.stores++
}

// Append adds entries to the history, which must have some.
func (m *Memory) Append(entries ...history.Entry) error { return m.store.Append(entries...) }

// Asked are the questions since the last call.
func (m *Memory) Asked() []history.Query {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// Opened are the recordings that were opened.
func (m *Memory) Opened() []string { return Locked(&m.mu, &m.opened) }

// HistoryVersion implements the backend of the History screen, as all of the
// following do.
func (m *Memory) HistoryVersion(context.Context) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		return 0
	}
	return m.stores<<32 + must(m.store.Version())
}

// HistoryView answers with the entries and series of the store.
func (m *Memory) HistoryView(_ context.Context, q history.Query) (history.View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked = append(m.asked, q); m.Err != nil || m.store == nil {
		return history.View{}, m.Err
	}
	return m.store.View(q)
}

// HistoryBaseline sets a baseline.
func (m *Memory) HistoryBaseline(_ context.Context, b history.Baseline) (history.Baseline, error) {
	return m.store.SetBaseline(b.Name, b.Series, b.From, b.To)
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
		parts := make([][]history.Entry, len(t.Changes)+1) // before, between and after the changes
		for j := range entries {
			if e := &entries[j]; e.Series == t.Series {
				n := 0
				for n < len(t.Changes) && !e.At.Before(t.Changes[n].At) {
					n++
				}
				parts[n] = append(parts[n], *e)
			}
		}
		for j, c := range t.Changes {
			r := comparison.Of(parts[j], parts[j+1])
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
