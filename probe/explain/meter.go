package explain

import (
	"maps"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// recordsKept bounds the requests whose times are kept individually: the
// newest.
const recordsKept = 1024

// Objectives are the limits for a good request, in ms; 0: no objective.
type Objectives struct{ TTFT, TPOT float64 }

// met reports whether a request with these times, in ms, is good.
func (o Objectives) met(ttft, tpot float64) bool {
	return (o.TTFT == 0 || ttft <= o.TTFT) && (o.TPOT == 0 || tpot <= o.TPOT)
}

// Measured holds the figures of a meter.
type Measured struct {
	serving.EngineFigures
	Queue    metrics.Value // mean wait in the queue, ms
	Complete bool          // every user has begun, and all were present for the time of an answer
	Progress float64       // completed share of that, 0 to 1
	GoodRate metrics.Value // requests per second that met both objectives
	// Present is the share of the users in the engine, on average:
	//
	//	answers a second · time of an answer / users      (Little's law)
	//
	// It is about 1 in a closed loop whose users lose no time. Far below 1, the
	// machine that runs the users could not keep up.
	Present metrics.Value
	Evicted metrics.Value // preempted requests per second
	// Bandwidth and Compute are the used shares of the group's datasheet
	// bandwidth, and of its peak in the format of the products, weighted by
	// time.
	Bandwidth, Compute metrics.Value
	// KVRead is the share of time spent on reading the cache, in steps without
	// prompt tokens.
	KVRead metrics.Value
}

// Meter measures an engine from a moment on by the output of its steps, live
// and in virtual time alike. Its methods are for one goroutine.
type Meter struct {
	setup *physics.Setup
	peak  float64 // of setup, in the format of the products
	users int
	since float64
	obj   Objectives

	now           float64
	ttft, tpot    []float64
	round, queue  float64 // sums, s
	ended, good   int
	gaps          metrics.Sketch
	last          map[uint64]float64 // the last yield of each running request
	begun         map[uint64]bool    // requests begun since the moment, until they end
	joined        int                // requests begun since the moment with at least one token
	full          float64            // when their number reached the number of users; 0: not yet
	fullAt        float64            // the latest arrival of these
	steady        bool               // a request that arrived after fullAt has ended
	tokens        int                // since full
	output        int                // tokens of the ended requests
	goodSince     int
	chunks, chunk int // outputs, and tokens in them
	steps         int
	changes       uint64 // of the engine, as of the last step
	preempted     int
	kv            float64
	// The seconds of all steps, and the used shares of both peaks, weighted by them.
	time, bandwidth, compute float64
	// The steps without prompt tokens, their seconds, and those of reading the cache.
	decodes          int
	decoding, kvRead float64
}

// newMeter measures from the moment since of engine time. users is the number
// of users of the closed loop.
func newMeter(s *physics.Setup, users int, since float64, o Objectives) *Meter {
	return &Meter{setup: s, peak: machineOf(s).FormatPeak, users: users, since: since,
		now: since, obj: o, last: map[uint64]float64{}, begun: map[uint64]bool{}}
}

// Saw adds an ended step and its output.
func (m *Meter) Saw(s *engine.Step) {
	m.step(s)
	for _, y := range s.Yield {
		m.yield(y.Request, y.N)
	}
}

// step adds an ended step. A step that began before the meter's moment
// continues as planned, and new requests wait for its end; the moment then
// moves to that end.
func (m *Meter) step(s *engine.Step) {
	if s.Start < m.since {
		m.since = max(m.since, s.End)
		m.now = max(m.now, m.since)
		return
	}
	m.now = max(m.now, s.End)
	m.steps++
	if s.Changes == m.changes {
		m.preempted += s.Preempted // preemptions by a change are not for lack of memory
	}
	m.changes = s.Changes
	m.kv = max(m.kv, s.KV)
	t := s.End - s.Start
	if s.Setup != nil && s.Setup != m.setup { // a change may take effect some steps later
		m.setup, m.peak = s.Setup, machineOf(s.Setup).FormatPeak
	}
	bandwidth, _ := m.setup.Used(&s.Cost)
	m.time += t
	m.bandwidth += t * bandwidth
	m.compute += s.Cost.FLOPs() / m.peak
	if s.Prefilled == 0 {
		m.decodes++
		m.decoding += t
		m.kvRead += s.Cost.Terms[physics.DecodeAttention].Seconds
	}
}

// yield adds the n tokens of a step for a request. It follows the call of step.
func (m *Meter) yield(y *engine.Request, n int) {
	before, had := m.last[y.ID]
	m.last[y.ID] = y.Last
	if y.Finished {
		delete(m.last, y.ID)
	}
	if y.Last <= m.since {
		return
	}
	m.now = max(m.now, y.Last)
	m.chunks++
	m.chunk += n
	if had && before >= m.since {
		m.gaps.Add(1e3 * (y.Last - before))
	}
	if m.full > 0 {
		m.tokens += n
	}
	if y.Arrive < m.since {
		return
	}
	if !m.begun[y.ID] {
		m.begun[y.ID] = true
		m.joined++
		if m.full == 0 {
			m.fullAt = max(m.fullAt, y.Arrive)
		}
		if m.joined == m.users {
			m.full = y.Last
		}
	}
	if y.Finished {
		delete(m.begun, y.ID)
		m.end(y)
	}
}

// end adds a finished request. Requests from the ramp-up, the last of these included,
// saw an emptier engine, or one that still works for those before the change; they are
// dropped once a steady-state request has finished.
func (m *Meter) end(y *engine.Request) {
	if late := m.full > 0 && y.Arrive > m.fullAt; late && !m.steady {
		m.steady = true
		m.ttft, m.tpot, m.round, m.queue, m.ended, m.good, m.output = nil, nil, 0, 0, 0, 0, 0
	} else if !late && m.steady {
		return
	}
	ttft, tpot := 1e3*(y.First-y.Arrive), 0.0
	m.ttft = newest(m.ttft, ttft)
	if y.Produced > 1 {
		tpot = 1e3 * (y.Last - y.First) / float64(y.Produced-1)
		m.tpot = newest(m.tpot, tpot)
	}
	m.ended++
	m.output += y.Produced
	m.round += y.Last - y.Arrive
	m.queue += y.Queued()
	if m.obj.met(ttft, tpot) {
		m.good++
		if m.full > 0 {
			m.goodSince++
		}
	}
}

// keep forgets all requests but those that are here: they were taken back.
func (m *Meter) keep(here map[uint64]bool) {
	maps.DeleteFunc(m.last, func(id uint64, _ float64) bool { return !here[id] })
	maps.DeleteFunc(m.begun, func(id uint64, _ bool) bool { return !here[id] })
}

func newest(list []float64, v float64) []float64 {
	if len(list) >= recordsKept {
		list = append(list[:0], list[recordsKept/2:]...)
	}
	return append(list, v)
}

// Figures returns the current figures.
func (m *Meter) Figures() Measured {
	n := m.ended
	var f Measured
	f.Since, f.Requests, f.Steps, f.Preempted = m.since, n, m.steps, m.preempted
	ttft, tpot := metrics.Distribution(m.ttft), metrics.Distribution(m.tpot)
	f.TTFT, f.TTFTP99, f.TPOT = because(ttft.Mean,
		metrics.WhyNoneEndedSince), ttft.P99, because(tpot.Mean, metrics.WhyNoneEndedSince)
	f.TTFTP95, f.TPOTP95 = ttft.P95, tpot.P95
	if n == 0 {
		f.TTFTP99 = metrics.Unknown(metrics.WhyNoneEndedSince)
	}
	gaps := m.gaps.Dist(metrics.WhyNoPairs)
	f.Gap50, f.Gap99, f.MaxGap = gaps.P50, gaps.P99, gaps.Max
	if f.Speed = metrics.Unknown(f.TPOT.Why); f.TPOT.OK && f.TPOT.V > 0 {
		f.Speed = metrics.Known(1e3/f.TPOT.V, f.TPOT.N)
	}
	f.Queue = ratio(1e3*m.queue, float64(n), n, metrics.WhyNoneEndedSince)
	f.KV = ratio(m.kv*float64(m.steps), float64(m.steps), m.steps, metrics.WhyNoStep)
	f.PerStep = ratio(float64(m.chunk), float64(m.chunks), m.chunks, metrics.WhyNoToken)
	m.totals(&f)
	f.Bandwidth = ratio(m.bandwidth, m.time, m.steps, metrics.WhyNoStep)
	f.Compute = ratio(m.compute, m.time, m.steps, metrics.WhyNoStep)
	f.KVRead = ratio(m.kvRead, m.decoding, m.decodes, metrics.WhyNoDecodeStep)
	f.Evicted = ratio(float64(m.preempted), m.now-m.since, m.steps, metrics.WhyNoStep)
	f.Goodput = metrics.Unknown(metrics.WhyNoObjectives)
	if m.obj != (Objectives{}) {
		f.Goodput = ratio(float64(m.good), float64(n), n, metrics.WhyNoneEndedSince)
	}
	f.ClientTTFT, f.ClientTPOT = metrics.Unknown(metrics.WhyNoneEndedSince), metrics.Unknown(metrics.WhyNoneEndedSince)
	return f
}

// totals fills the aggregate figures. They begin when every user has had a
// token and cover at least the time of one answer. In a closed loop every
// user has then produced one answer's tokens.
func (m *Meter) totals(f *Measured) {
	f.Progress = 0.5 * min(1, float64(m.joined)/float64(m.users))
	if m.full > 0 && m.ended > 0 {
		f.Progress += 0.5 * min(1, (m.now-m.full)*float64(m.ended)/m.round)
	}
	none := metrics.Unknown(metrics.WhyNotFullAnswer)
	if m.full == 0 {
		none = metrics.Unknown(metrics.WhyNotAllBegun)
	}
	f.Total, f.GoodRate, f.Present = none, none, none
	if m.full > 0 && m.steady && m.now-m.full >= m.round/float64(m.ended) {
		f.Complete = true
		f.Total = ratio(float64(m.tokens), m.now-m.full, m.chunks, metrics.WhyNotFullAnswer)
		f.Present = ratio(f.Total.V*m.round, float64(m.output*m.users), m.ended, metrics.WhyNotFullAnswer)
		f.GoodRate = metrics.Unknown(metrics.WhyNoObjectives)
		if m.obj != (Objectives{}) {
			f.GoodRate = ratio(float64(m.goodSince), m.now-m.full, m.ended, metrics.WhyNotFullAnswer)
		}
	}
}

// ratio returns a/b from n observations, unknown with why for n = 0.
func ratio(a, b float64, n int, why metrics.Why) metrics.Value {
	if n == 0 || !(b > 0) {
		return metrics.Unknown(why)
	}
	return metrics.Known(a/b, n)
}

// because sets the reason of an unknown value.
func because(v metrics.Value, why metrics.Why) metrics.Value {
	if !v.OK {
		v.Why = why
	}
	return v
}
