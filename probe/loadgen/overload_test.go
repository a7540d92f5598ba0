package loadgen

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// The endpoint of the overload: it answers eight requests at once, each in a
// second, so its capacity is 8 requests per second.
const (
	overloadSlots    = 8
	overloadTokens   = 41
	overloadPrefill  = 200 * time.Millisecond
	overloadGap      = 20 * time.Millisecond
	overloadCapacity = 8.0
)

// overloadEvent is what happened to one request of the overload.
type overloadEvent struct {
	intended    metrics.Stamp // scheduled time; NoStamp in a closed loop
	sent, first metrics.Stamp
	end         metrics.Stamp // NoStamp for one that has not ended
	chunks      []metrics.Stamp
}

// overloaded is a load of 60 s and all that happened in it.
type overloaded struct {
	view   loadstat.View
	events []overloadEvent // in the order of sending
}

// overload runs a load of shape for 60 s of virtual time on an endpoint whose
// capacity is overloadCapacity. intended returns the scheduled time of request
// i, from 0; nil in a closed loop. The window holds the whole load. It must not
// be called in a bubble of synctest.
func overload(t *testing.T, shape Shape, intended func(i int) metrics.Stamp) (o overloaded) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(overloadPrefill, overloadGap)
		f.slots = make(chan struct{}, overloadSlots)
		l := start(context.Background(), Config{Work: metrics.Workload{Prompt: "x", MaxTokens: overloadTokens}, Shape: shape,
			Seed: 1, Window: 2 * time.Minute}, f.deps())
		time.Sleep(time.Minute + 300*time.Millisecond)
		synctest.Wait()
		o.view = l.View()
		for i, s := range f.all {
			v := s.Snapshot()
			e := overloadEvent{intended: metrics.NoStamp, sent: v.Marks.Sent, first: metrics.NoStamp, end: v.Marks.End}
			if intended != nil {
				e.intended = intended(i)
			}
			for _, c := range v.Chunks {
				e.chunks = append(e.chunks, c.At)
			}
			if len(e.chunks) > 0 {
				e.first = e.chunks[0]
			}
			o.events = append(o.events, e)
		}
		finish(l)
	})
	return o
}

// evenly returns the schedule of an open loop of that rate.
func evenly(rate float64) func(int) metrics.Stamp {
	gap := metrics.Stamp(float64(time.Second) / rate)
	return func(i int) metrics.Stamp { return metrics.Stamp(i+1) * gap }
}

// reading is what a person with the list of events counts for p.
type reading struct {
	arrived, ended int
	tokens         float64
	ttft, schedule []float64
}

// read counts the events of p by hand. On a ramp the requests are those that
// ended in it, else those that were also sent in it.
func (o *overloaded) read(p *loadstat.Point, scheduled func(int) metrics.Stamp) (r reading) {
	in := func(at metrics.Stamp) bool { return at.Known() && at >= p.From && at < p.To }
	for i := 0; scheduled != nil && scheduled(i) < p.To; i++ {
		if in(scheduled(i)) {
			r.arrived++
		}
	}
	for _, e := range o.events {
		for _, at := range e.chunks {
			if in(at) {
				r.tokens++
			}
		}
		if !in(e.end) {
			continue
		}
		r.ended++
		if p.Ramp == nil && e.sent < p.From {
			continue
		}
		r.ttft = append(r.ttft, float64(e.first-e.sent)/1e6)
		if e.intended.Known() {
			r.schedule = append(r.schedule, float64(e.first-e.intended)/1e6)
		}
	}
	return r
}

// agree fails where p and the reading of the same events differ at all.
func (r *reading) agree(t *testing.T, what string, p *loadstat.Point) {
	t.Helper()
	seconds := float64(p.To-p.From) / 1e9
	if p.Requests+p.Failed != r.ended || p.Tokens != r.tokens || p.Total.V != r.tokens/seconds ||
		p.Rate.V != float64(r.ended)/seconds {
		t.Errorf("%s: %d ended, %v tokens, %v tok/s, %v req/s; by hand %d, %v", what, p.Requests+p.Failed, p.Tokens,
			p.Total.V, p.Rate.V, r.ended, r.tokens)
	}
	testkit.That(t, !p.Arrived.OK || p.Arrived.V == float64(r.arrived)/seconds,
		"%s: %v req/s arrived; by hand %v", what, p.Arrived.V, float64(r.arrived)/seconds)
	for _, d := range []struct {
		name string
		have metrics.Dist
		want []float64
	}{{"TTFT", p.TTFT, r.ttft}, {"TTFT from the schedule", p.FromIntended, r.schedule}} {
		slices.Sort(d.want)
		if want := metrics.Distribution(d.want); d.have.N != want.N || want.N > 0 &&
			(d.have.P50 != want.P50 || d.have.P99 != want.P99 || d.have.Max != want.Max || d.have.Mean != want.Mean) {
			t.Errorf("%s: %s %+v; by hand %+v", what, d.name, d.have, want)
		}
	}
}

// At 1.5 times its capacity an endpoint falls behind. The open loop shows it,
// to the last request; a closed loop of the same demand hides it.
func TestOverload(t *testing.T) {
	probetest.TakesTime(t, "minutes of virtual time")
	rate := 1.5 * overloadCapacity
	for _, users := range []int{0, 16} {
		o := overload(t, Shape{Drive: loadstat.Drive{Rate: rate, Users: users}}, evenly(rate))
		p := &o.view.Live
		r := o.read(p, evenly(rate))
		r.agree(t, "open loop", p)
		due := 0
		for evenly(rate)(due) <= o.view.Now {
			due++
		}
		testkit.That(t, o.view.Arrived == due && o.view.Backlog == due-len(o.events),
			"%d arrived, %d wait for a user; by hand %d, %d", o.view.Arrived, o.view.Backlog, due, due-len(o.events))
		testkit.That(t, !p.Steady && p.FromIntended.P99.V > 15_000,
			"steady %v, TTFT from the schedule %+v", p.Steady, p.FromIntended)
		grows, ok, _ := p.Growth()
		testkit.That(t, ok && math.Abs(grows-(rate-overloadCapacity)) <= 0.5, "the queue grows by %v a second, %v", grows, ok)
		if users == 0 {
			// as many users as would send that rate to an idle endpoint
			closed := overload(t, Shape{Drive: loadstat.Drive{Users: int(rate)}}, nil)
			q := &closed.view.Live
			hand := closed.read(q, nil)
			hand.agree(t, "closed loop", q)
			if _, ok, _ := q.Growth(); ok {
				t.Error("a closed loop has a queue that grows")
			}
			factor := p.FromIntended.P99.V / q.TTFT.P99.V
			t.Logf("p99 of TTFT after 60 s at 1.5 times capacity: %.0f ms from the schedule, %.0f ms in the closed loop: it "+
				"understates by a factor of %.1f",
				p.FromIntended.P99.V, q.TTFT.P99.V, factor)
			testkit.That(t, factor >= 10, "the factor is %v", factor)
		}
	}
}

// A ramp is a curve of slices. Each counts exactly what happened in it, and
// none is steady.
func TestRampBySlices(t *testing.T) {
	const from, to, within = 2.0, 14.0, 60.0
	due := func(i int) metrics.Stamp { // the area under the ramp is i+1: from·t + k·t²/2, after the constant begin
		const begin, k = 0.1, (to - from) / within
		area := float64(i+1) - begin*from
		if area < 0 {
			return metrics.Stamp(float64(i+1) / from * 1e9)
		}
		return metrics.Stamp((begin + (math.Sqrt(from*from+2*k*area)-from)/k) * 1e9)
	}
	o := overload(t, Shape{Drive: loadstat.Drive{Rate: from, Within: within * time.Second, To: to}}, due)
	for i, e := range o.events {
		// each distance is rounded to a nanosecond
		if d := e.intended - e.sent; e.sent < 60_100_000_000 && (d > 1000 || d < -1000) {
			t.Fatalf("request %d was sent %v from its time on the ramp", i, time.Duration(d))
		}
	}
	sent := func(i int) metrics.Stamp {
		if i < len(o.events) {
			return o.events[i].sent
		}
		return due(i)
	}
	for i := range o.events {
		o.events[i].intended = sent(i) // to the nanosecond
	}
	points := 0
	for i := range o.view.Path {
		p := &o.view.Path[i]
		if p.Ramp == nil {
			continue
		}
		points++
		r := o.read(p, sent)
		r.agree(t, "slice", p)
		if p.Steady || p.Why.Code != loadstat.UnsteadyRamp || !(p.Ramp.To > p.Ramp.From) ||
			math.Abs(p.Asked-(p.Ramp.From+p.Ramp.To)/2) > 0.01 {
			t.Errorf("slice %d: steady %v, %+v, %+v, rate %v", i, p.Steady, p.Why, p.Ramp, p.Asked)
		}
	}
	first, last := &o.view.Path[0], &o.view.Path[points-1]
	testkit.That(t, points == 30 && first.Ramp.From == from && last.Ramp.To == to,
		"%d slices from %+v to %+v", points, first.Ramp, last.Ramp)
	if d := o.view.Drive; d.Ramps() || d.Rate != to {
		t.Errorf("after the ramp: %+v", d)
	}

	// Users, up and down.
	for _, x := range []struct{ from, to int }{{2, 20}, {20, 2}} {
		o = overload(t, Shape{Drive: loadstat.Drive{Users: x.from, Within: within * time.Second, To: float64(x.to)}}, nil)
		points = 0
		for i := range o.view.Path {
			if p := &o.view.Path[i]; p.Ramp != nil {
				points++
				r := o.read(p, nil)
				r.agree(t, "slice of users", p)
				if mean := (p.Ramp.From + p.Ramp.To) / 2; math.Abs(float64(p.Users)-mean) > 0.5001 || p.Steady {
					t.Errorf("%d users in a slice of %+v", p.Users, *p.Ramp)
				}
			}
		}
		testkit.That(t, points == 30 && o.view.Target == x.to, "%d slices, %d users at the end", points, o.view.Target)
	}
}
