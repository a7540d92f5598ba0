package history

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// What is usual is taken from usualFor before a request, without the last usualNot: what
// changed an hour ago must not be called usual.
const (
	usualFor = 30 * 24 * time.Hour
	usualNot = time.Hour
)

// Usual returns what is usual for the request of v, see metrics.Usual. Without a connection,
// or before an answer that names its tier, these are taken to be the last ones of such
// requests. It is the zero Usual where the history cannot be read.
func (s *Store) Usual(v *metrics.Stream) (u metrics.Usual) {
	series := seriesOf(s.Machine, &v.Endpoint, &v.Work)
	series.Prompt = digest(s.keptSalt, &v.Work) // without a key there is no entry to find, and none is made
	series.Proto, series.Proxy, series.Tier = v.Conn.Proto, v.Conn.Proxy, bounded(v.Served.Tier)
	if series.Proto == "" || series.Tier == "" && v.State != metrics.Done {
		like, ok := s.like(bareSeries(series))
		if !ok {
			return u
		}
		if series.Proto == "" {
			series.Proto, series.Proxy = like.Proto, like.Proxy
		}
		series.Tier = like.Tier
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refresh() != nil {
		return u
	}
	t := &s.table
	n, ok := t.series.numbers[series]
	if !ok {
		return u
	}
	at := sentAt(v.Wall, v.Marks.Start, v.Marks.Sent)
	count := func(row int32, e *history.Entry) bool {
		t.entry(row, e)
		// Only a new connection has a time of its own.
		return e.Counts() && e.Kind != history.Point && e.Figures[history.TCP].OK != v.Conn.Reused
	}
	rows := t.within(s.series[n].rows, at.Add(-usualFor), at.Add(-usualNot))
	var ttft, queue, prefill, tpot, speed []float64
	var e history.Entry
	for i, found := len(rows)-1, 0; i >= 0 && found < metrics.MostUsual; i-- {
		if !count(rows[i], &e) {
			continue
		}
		found++
		add := func(to *[]float64, v metrics.Value) {
			if v.OK {
				*to = append(*to, v.V)
			}
		}
		add(&ttft, e.Figures[history.TTFT])
		add(&queue, e.Figures[history.Queue])
		add(&prefill, e.Figures[history.Prefill])
		if e.Output.OK { // else the count is an estimate
			add(&tpot, e.Figures[history.TPOT])
			add(&speed, e.Figures[history.Speed])
		}
	}
	median := func(values []float64) metrics.Value {
		if len(values) < metrics.MinUsual {
			return metrics.Unknown(metrics.WhyNotMeasured)
		}
		return metrics.Known(stats.Median(values), len(values))
	}
	for _, row := range t.within(s.series[n].rows, at.Add(-usualNot), at) {
		if count(row, &e) {
			u.Recent++
		}
	}
	return metrics.Usual{Recent: u.Recent, TTFT: metrics.BandOf(ttft), Queue: median(queue), Prefill: median(prefill),
		TPOT: metrics.BandOf(tpot), Speed: metrics.BandOf(speed), Tier: series.Tier}
}
