package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
)

// watched is a simulated watch in virtual time: targets that are measured every so
// often, and what happens to them.
type watched struct {
	From, To time.Time
	Every    time.Duration
	Targets  []watchedTarget
}

// watchedTarget is one target: its figures in ms, how much they vary, and its
// changes.
type watchedTarget struct {
	Series        history.Series
	Connect       float64 // DNS and TCP; 0 reuses the connection
	Prefill, TPOT float64
	Vary          float64 // standard deviation of the logarithm
	Changes       []watchedChange
}

// watchedChange multiplies prefill and TPOT from a moment on, and lets a share of
// the requests fail with 429.
type watchedChange struct {
	At            time.Time
	Prefill, TPOT float64
	Failing       float64
}

// aWeek is a week of four targets until now; TTFT of groq doubles
// six hours before now.
func aWeek(now time.Time, every time.Duration) watched {
	series := func(endpoint, url, model string) history.Series {
		return history.Series{Machine: "lab-1", Endpoint: endpoint, URL: url, Model: model,
			Workload: "chat", Prompt: "c0ffee", InputTokens: 31, MaxTokens: 200, Proto: "HTTP/1.1", Users: 1}
	}
	return watched{From: now.Add(-7 * 24 * time.Hour), To: now, Every: every, Targets: []watchedTarget{
		{series("groq", "https://api.groq.com/openai/v1", "llama-3.3-70b"), 11.9, 255,
			7.1, .07, []watchedChange{{now.Add(-6*time.Hour - 13*time.Minute), 2, 1, .04}}},
		{series("fireworks", "https://api.fireworks.ai/inference/v1", "llama-3.3-70b"), 14, 301, 9.9, .09, nil},
		{series("together", "https://api.together.xyz/v1", "llama-3.3-70b"), 18, 214, 8.4, .12,
			[]watchedChange{{now.Add(-4 * 24 * time.Hour), 1, 1.3, 0}, {now.Add(-60 * time.Hour), 1, 1, 0}}},
		{series("lab", "http://10.0.0.7:8000/v1", "qwen3-32b"), 0, 96, 14.2, .03, nil},
	}}
}

// entries runs the watch. The same watch gives the same entries.
func (w watched) entries() []history.Entry {
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
func (t *watchedTarget) entry(r *rand.Rand, at time.Time, id string) history.Entry {
	prefill, tpot, failing := t.Prefill, t.TPOT, 0.002
	for _, c := range t.Changes {
		if !at.Before(c.At) {
			prefill, tpot, failing = t.Prefill*c.Prefill, t.TPOT*c.TPOT, 0.002+c.Failing
		}
	}
	hour := at.Sub(at.Truncate(24*time.Hour)).Hours() / 24
	prefill *= 1 + 0.05*math.Sin(2*math.Pi*(hour-.3)) // busier by day
	vary := func(v float64) float64 { return v * math.Exp(r.NormFloat64()*t.Vary) }
	e := history.Entry{
		ID: at.Format("20060102150405") + fmt.Sprintf("%018s", id), At: at, Kind: history.Watch,
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

// found are the change points that a search finds: those of the watch, dated and
// measured.
func (w watched) found(entries []history.Entry) map[history.Series][]history.Change {
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
