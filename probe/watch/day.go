package watch

import (
	"cmp"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/watchstat"
)

// day counts what the targets elsewhere used on one day (UTC), against its bounds.
// Watch.mu guards it.
type day struct {
	bounds   watchstat.Bounds
	begin    time.Time
	tokens   float64
	money    float64
	currency string
	most     map[int][2]float64 // of a row, by one probe: prompt and output
}

// renew begins a new day where now is one.
func (d *day) renew(now time.Time) {
	if b := now.UTC().Truncate(24 * time.Hour); !b.Equal(d.begin) {
		d.begin, d.tokens, d.money = b, 0, 0
	}
}

// use is what a probe takes: tokens, and money where a price is known.
type use struct{ tokens, money float64 }

// openOutput is the expected answer of a probe without an output limit, in tokens.
const openOutput = 1000

// expect returns what the next probe of a row takes at most.
func (d *day) expect(row int, t *watchstat.Target) use {
	prompt, output := racestat.EstimatePrompt(&t.Work), float64(t.Work.MaxTokens)
	output = cmp.Or(output, openOutput)
	if m, ok := d.most[row]; ok {
		prompt, output = max(prompt, m[0]), max(output, m[1])
	}
	p := t.Endpoint.Price
	return use{prompt + output, (prompt*p.In + output*p.Out) / 1e6}
}

// full says whether one more probe would pass a bound, and when the next day
// begins.
func (d *day) full(now time.Time, next use) (watchstat.SkipCode, time.Time) {
	d.renew(now)
	tomorrow := d.begin.Add(24 * time.Hour)
	switch {
	case d.bounds.Tokens > 0 && d.tokens+next.tokens > d.bounds.Tokens:
		return watchstat.SkipTokens, tomorrow
	case d.bounds.Money > 0 && d.money+next.money > d.bounds.Money:
		return watchstat.SkipMoney, tomorrow
	}
	return watchstat.NotSkipped, now
}

// charge counts an ended probe and returns its tokens.
func (d *day) charge(row int, now time.Time, r *metrics.Run, here bool) float64 {
	res := racestat.ResultOf(&r.Stream, &r.Figures)
	if here {
		return res.Prompt + res.Output
	}
	d.renew(now)
	if d.most == nil {
		d.most = map[int][2]float64{}
	}
	m := d.most[row]
	d.most[row] = [2]float64{max(m[0], res.Prompt), max(m[1], res.Output)}
	d.tokens += res.Prompt + res.Output
	if res.Cost.OK {
		d.money += res.Cost.V
		d.currency = r.Stream.Endpoint.Price.Currency
	}
	return res.Prompt + res.Output
}
