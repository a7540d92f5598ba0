package history

import (
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// TestUsual holds which entries make what is usual for a request: the last good ones of
// its endpoint, model, workload and connection, of 30 days, without the hour before it.
func TestUsual(t *testing.T) {
	now := t0.Add(40 * 24 * time.Hour)
	s := opened(t, now)
	v := metrics.Stream{Wall: now, Endpoint: metrics.Endpoint{Name: "groq", URL: "https://groq.example/v1",
		Model: "llama"},
		Work: metrics.Workload{Name: "chat", MaxTokens: 200}}
	v.Conn.Proto = "HTTP/1.1"
	v.Marks.Start, v.Marks.Sent = 1, 1
	n := 0
	put := func(count int, ago time.Duration, ttft float64, change func(e *history.Entry)) {
		for range count {
			n++
			e := sample(n, now.Add(-ago-time.Duration(n)*time.Millisecond), "groq", ttft)
			e.Figures[history.TCP] = metrics.Known(3, 1)
			e.Figures[history.Speed] = metrics.Known(1e3/ttft, 1)
			if change != nil {
				change(&e)
			}
			add(t, s, e)
		}
	}
	want := func(n int, median float64) {
		t.Helper()
		if u := s.Usual(&v); u.TTFT.N != n || u.TTFT.Median != median {
			t.Errorf("%+v, want %d of %g", u.TTFT, n, median)
		}
	}
	want(0, 0)
	put(metrics.MinUsual-1, 2*time.Hour, 170, nil)
	want(0, 0) // too few
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.State, e.Failed = metrics.Failed, 1 })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Suspect = true })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Kind = history.Point })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Figures[history.TCP] = metrics.Unknown(metrics.WhyNoConnect) })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Series.Model = "other" })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Series.Workload = "long answer" })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Series.Cold = true })
	put(20, 2*time.Hour, 900, func(e *history.Entry) { e.Series.Endpoint = "together" })
	put(20, 30*time.Minute, 900, nil)
	put(20, 31*24*time.Hour, 900, nil)
	want(0, 0)
	testkit.Is(t, s.Usual(&v).Recent, 20, "runs of the last hour")
	put(1, 24*time.Hour, 170, nil)
	want(metrics.MinUsual, 170)
	v.Conn.Reused = true
	want(20, 900)
	v.Conn.Reused = false
	put(1, 24*time.Hour, 170, func(e *history.Entry) { e.Output = metrics.Unknown(metrics.WhyNoServerTokens) })
	if u := s.Usual(&v); u.Speed.N != metrics.MinUsual || u.TTFT.N != metrics.MinUsual+1 {
		t.Errorf("estimated tokens count in the usual speed: %+v", u)
	}
	put(metrics.MostUsual, 90*time.Minute, 300, nil)
	want(metrics.MostUsual, 300)
	v.Conn.Proto, v.State = "", metrics.Connecting // as the last one did
	want(metrics.MostUsual, 300)
	custom := v
	custom.Work.Name, custom.Work.Prompt = "", "of a person"
	testkit.Is(t, s.Usual(&custom), metrics.Usual{}, "another prompt")
}
