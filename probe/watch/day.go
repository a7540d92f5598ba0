package watch

import (
	"cmp"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/watchstat"
)

// day counts on a board what the targets elsewhere used on one day (UTC), against its
// bounds. Watch.mu guards it.
type day struct {
	*watchstat.Board
	begin time.Time
	most  [][2]float64 // of each row, by one probe: prompt and output
}

// renew begins a new day where now is one.
func (d *day) renew(now time.Time) {
	if b := now.UTC().Truncate(24 * time.Hour); !b.Equal(d.begin) {
		d.begin, d.Tokens, d.Money = b, 0, 0
	}
}

// openOutput is the expected answer of a probe without an output limit, in tokens.
const openOutput = 1000

// full says whether what the next probe of a row takes at most would pass a bound, and
// when the next day begins.
func (d *day) full(row int, now time.Time) (watchstat.SkipCode, time.Time) {
	t := &d.Targets[row]
	if t.Here {
		return watchstat.NotSkipped, now
	}
	prompt := max(racestat.EstimatePrompt(&t.Work), d.most[row][0])
	output := max(cmp.Or(float64(t.Work.MaxTokens), openOutput), d.most[row][1])
	money := (prompt*t.Endpoint.Price.In + output*t.Endpoint.Price.Out) / 1e6
	d.renew(now)
	tomorrow := d.begin.Add(24 * time.Hour)
	switch {
	case d.Bounds.Tokens > 0 && d.Tokens+(prompt+output) > d.Bounds.Tokens:
		return watchstat.SkipTokens, tomorrow
	case d.Bounds.Money > 0 && d.Money+money > d.Bounds.Money:
		return watchstat.SkipMoney, tomorrow
	}
	return watchstat.NotSkipped, now
}

// charge counts an ended probe of a row and returns its tokens.
func (d *day) charge(row int, now time.Time, r *metrics.Run) float64 {
	res := racestat.ResultOf(&r.Stream, &r.Figures)
	if d.Targets[row].Here {
		return res.Prompt + res.Output
	}
	d.renew(now)
	m := &d.most[row]
	m[0], m[1] = max(m[0], res.Prompt), max(m[1], res.Output)
	d.Tokens += res.Prompt + res.Output
	if res.Cost.OK {
		d.Money += res.Cost.V
		d.Currency = r.Stream.Endpoint.Price.Currency
	}
	return res.Prompt + res.Output
}
