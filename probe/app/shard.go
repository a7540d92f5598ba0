package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/dialect"
)

// Await prepares a shard: it compares the clocks and sets when the load begins here. The
// warnings are sentences for a person. The error says that nothing is left to measure. Of a
// whole load it does nothing.
func (s *Sweep) Await(ctx context.Context) (warnings []string, err error) {
	p := &s.plan
	if !p.Shard.Parted() {
		return nil, nil
	}
	run := loadstat.ShardRun{Shard: p.Shard, Start: p.StartAt, Users: p.Users, Rates: p.Rates}
	run.Clock = s.app.clock(ctx, time.Until(p.StartAt))
	wait := time.Until(p.StartAt)
	if c := &run.Clock; c.Corrected {
		wait -= time.Duration(c.Offset.V * float64(time.Millisecond))
		warnings = append(warnings, fmt.Sprintf("the clock of this machine is %.3f s off from the endpoint's: "+
			"the load begins by the endpoint's", -c.Offset.V/1000))
	} else if !c.Offset.OK {
		warnings = append(warnings, "the endpoint's answers have no Date: the load begins by the clock of this machine alone")
	}
	s.curve.StartAt = time.Now().Add(wait)
	if run.Late = max(-wait, 0); run.Late > 0 {
		over, slot := 0, s.curve.Timetable()/time.Duration(len(s.curve.Steps()))
		if over = int(run.Late / slot); over >= len(s.curve.Steps()) {
			return nil, fmt.Errorf("--start-at was %v ago, and the load of all shards lasts for %v: "+
				"nothing is left to measure; start all shards again with a later time",
				run.Late.Round(time.Second), s.curve.Timetable())
		}
		warnings = append(warnings, fmt.Sprintf("this shard begins %.1f s late: %d of %d steps are over",
			run.Late.Seconds(), over, len(s.curve.Steps())))
	}
	s.shard = run
	s.curve.Part = func(p loadstat.Part) { s.shard.Parts = append(s.shard.Parts, p) }
	return warnings, nil
}

// Bounds of the comparison of clocks.
const (
	// clockReadings narrow a whole second down to 8 ms and the way of a request, and take
	// about as many seconds. A shard that is late takes clockHurried.
	clockReadings, clockHurried = 8, 3
	clockTime                   = 12 * time.Second
	// dateOld is how old the Date of uvicorn can be, which makes it once in a second.
	dateOld = time.Second
)

// clock compares the clock of this machine with the endpoint's. The load begins in left.
//
// An answer with the Date D to a request that was sent at s and answered at r says of the
// endpoint's clock that it is ahead by D − r at least and by less than D + 1 s − s. Each
// request after the first is sent so that it arrives when the endpoint's second turns, as
// far as that is known: its Date halves what is not known.
func (a *App) clock(ctx context.Context, left time.Duration) (c loadstat.Clock) {
	c.Offset = metrics.Unknown(metrics.WhyNotRecorded)
	readings := clockReadings
	if left < clockTime {
		readings = clockHurried
	}
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
	var low, high, way time.Duration
	for i := range readings {
		if i > 0 {
			there := time.Now().Add((low+high)/2 + way)
			wait := there.Truncate(time.Second).Add(time.Second).Sub(there)
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		sent, came, date, old, ok := a.date(ctx)
		if !ok {
			break
		}
		least, most := date.Sub(came.Round(0)), date.Add(time.Second+old).Sub(sent.Round(0))
		if i == 0 {
			low, high = least, most
		}
		low, high, way = max(low, least), min(high, most), came.Sub(sent)/2
		c.Offset = metrics.Known(float64((low+high)/2)/1e6, i+1)
		c.Within = float64((high - low).Abs()) / 2e6
		c.Corrected = low > 0 || high < 0
	}
	return c
}

// date asks the endpoint for its list of models, for the Date of the answer alone.
func (a *App) date(ctx context.Context) (sent, came, date time.Time, old time.Duration, ok bool) {
	do, err := a.Engine.AskOf(a.Target)
	if err != nil {
		return
	}
	address := a.Target.URL + "/models"
	if list := dialect.Speaks(a.Target.API).ListURLs(a.Target.URL); len(list) > 0 {
		address = list[0]
	}
	sent = time.Now()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { sent = time.Now() }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	a.Target.Authorize(req)
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
	return sent, came, date, old, err == nil
}
