package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// Await compares the clocks and sets when a shard begins here. The warnings are sentences
// for a person. The error says that nothing is left to measure.
func (s *Sweep) Await(ctx context.Context) (warnings []string, err error) {
	p := &s.curve.SweepPlan
	s.shard = loadstat.ShardRun{Shard: p.Shard, Start: p.StartAt, Users: p.Users, Rates: p.Rates}
	s.app.compareClocks(ctx, &s.shard)
	wait := time.Until(p.StartAt)
	if s.shard.Corrected() {
		wait -= time.Duration(s.shard.Offset.V * float64(time.Millisecond))
		warnings = append(warnings, fmt.Sprintf("the endpoint's clock is %+.3f s ahead of this machine's: "+
			"the load begins by the endpoint's", s.shard.Offset.V/1000))
	} else if !s.shard.Offset.OK {
		warnings = append(warnings, "no Date came from the endpoint: the load begins by the clock of this machine alone")
	}
	s.curve.StartAt = time.Now().Add(wait)
	if s.shard.Late = max(-wait, 0); s.shard.Late > 0 {
		over, of := int(s.shard.Late/s.curve.Slot()), len(s.curve.Steps())
		warnings = append(warnings, fmt.Sprintf("this shard begins %.1f s late: %d of %d steps are over",
			s.shard.Late.Seconds(), over, of))
		if over >= of {
			err = fmt.Errorf("%s; start all shards again with a later --start-at", warnings[len(warnings)-1])
		}
	}
	s.curve.Part = func(p loadstat.Part) { s.shard.Parts = append(s.shard.Parts, p) }
	return warnings, err
}

// Bounds of the comparison of clocks.
const (
	// clockReadings take about as many seconds, and narrow a whole one down to 8 ms and the
	// way of a request. A shard that is late takes clockHurried.
	clockReadings, clockHurried = 8, 3
	clockTime                   = 12 * time.Second
	dateOld                     = time.Second // how old the Date of uvicorn can be: it is made once in a second
)

// compareClocks compares the clock of this machine with the endpoint's. An answer with the
// Date D to a request that was sent at s and answered at r says that the endpoint's is ahead
// by D − r at least and by less than D + 1 s − s. Each request after the first is sent so that
// it arrives when the endpoint's second turns, as far as that is known: it halves the rest.
func (a *App) compareClocks(ctx context.Context, to *loadstat.ShardRun) {
	to.Offset = metrics.Unknown(metrics.WhyNotRecorded)
	readings := clockReadings
	if time.Until(to.Start) < clockTime {
		readings = clockHurried
	}
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
	var low, high, way time.Duration
	for i := range readings {
		if i > 0 {
			there := time.Now().Add((low+high)/2 + way)
			select {
			case <-time.After(there.Truncate(time.Second).Add(time.Second).Sub(there)):
			case <-ctx.Done():
			}
		}
		sent, came, date, old, err := a.date(ctx)
		if err != nil {
			return
		}
		least, most := date.Sub(came.Round(0)), date.Add(time.Second+old).Sub(sent.Round(0))
		if i == 0 {
			low, high = least, most
		}
		low, high, way = max(low, least), min(high, most), came.Sub(sent)/2
		to.Offset, to.Within = metrics.Known(float64((low+high)/2)/1e6, i+1), float64((high-low).Abs())/2e6
	}
}

// date asks the endpoint for its list of models, without a key: any answer has a Date, which
// can be older than the answer by old.
func (a *App) date(ctx context.Context) (sent, came, date time.Time, old time.Duration, err error) {
	sent = time.Now()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent = time.Now() }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.Target.URL+"/models", nil)
	do, bad := a.Engine.AskOf(a.Target)
	if err = cmp.Or(err, bad); err != nil {
		return
	}
	resp, err := do.Do(req)
	if err != nil {
		return
	}
	came = time.Now()
	_ = resp.Body.Close()
	if strings.Contains(strings.ToLower(resp.Header.Get("Server")), "uvicorn") {
		old = dateOld
	}
	date, err = http.ParseTime(resp.Header.Get("Date"))
	return sent, came, date, old, err
}
