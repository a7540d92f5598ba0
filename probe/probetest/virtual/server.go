// Package virtual serves requests in virtual time, for tests in a bubble of
// testing/synctest: the engine of the embedded endpoint without its HTTP.
package virtual

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Server is an endpoint in virtual time. Other users send prompts to it around each
// request, so that requests wait, prefill and decode differently. Requests must come
// one after the other. Its fields are set before the first one.
type Server struct {
	// Slow is that of the engine by the time since the server began; nil: never.
	Slow func(at time.Duration) engine.Slowness
	// Users is the rate of the other users, requests per second.
	Users float64
	// Connect returns the time of TCP at a moment in ms, before its jitter; nil: 12.
	Connect  func(at time.Duration) float64
	Fault    func(at time.Duration) *metrics.Fault // nil: none
	Endpoint metrics.Endpoint

	origin time.Time
	e      *engine.Engine
	rng    *rand.Rand

	mu    sync.Mutex
	id    int
	sent  []time.Duration
	works []metrics.Workload
}

// Setup returns the machine that tests share: Llama 3.1 8B on one H100.
func Setup() (*physics.Setup, error) {
	m, _ := physics.ModelOf("llama-3.1-8b")
	p, _ := physics.PrecisionOf("bf16")
	h, _ := physics.Machine("h100")
	st, _ := physics.StackOf("vllm")
	return physics.New(physics.Config{Model: m, Precision: p, Hardware: h, Stack: st, TP: 1, Sharing: physics.Tensor})
}

// New returns a server that begins now, with two other users a second.
func New(setup *physics.Setup, rng *rand.Rand) *Server {
	s := &Server{origin: time.Now(), rng: rng, Users: 2}
	s.e = engine.New(engine.Options{Config: engine.Config{Setup: setup}, Slow: func(at float64) engine.Slowness {
		if s.Slow == nil {
			return engine.Slowness{Prefill: 1, Decode: 1}
		}
		return s.Slow(time.Duration(at * 1e9))
	}})
	return s
}

// SlowFrom returns a slowness from a moment on.
func SlowFrom(at time.Duration, x engine.Slowness) func(time.Duration) engine.Slowness {
	return func(now time.Duration) engine.Slowness {
		if now >= at {
			return x
		}
		return engine.Slowness{Prefill: 1, Decode: 1}
	}
}

// Sent returns when the requests were sent, since the server began, and Works what
// they asked.
func (s *Server) Sent() []time.Duration { return s.sent }

// Works returns what the requests asked.
func (s *Server) Works() []metrics.Workload { return s.works }

// Stream is one answered request.
type Stream struct {
	done chan struct{}
	v    metrics.Stream
	cut  bool
}

// Done is closed when the request has ended.
func (s *Stream) Done() <-chan struct{} { return s.done }

// Run returns the request with its figures. It is called after its end.
func (s *Stream) Run(p metrics.Pace) metrics.Run {
	if s.cut {
		s.v.State, s.v.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled}
	}
	return metrics.Run{Stream: s.v, Figures: metrics.Measure(&s.v, metrics.Options{Pace: p})}
}

// stamp is a moment in seconds.
func stamp(seconds float64) metrics.Stamp { return metrics.Stamp(seconds * 1e9) }

// Send answers a request. Its stream ends when the last token has come, or is cut
// by the end of ctx.
func (s *Server) Send(ctx context.Context, w metrics.Workload) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.origin)
	s.id++
	s.sent, s.works = append(s.sent, now), append(s.works, w)
	out := &Stream{done: make(chan struct{})}
	v := &out.v
	*v = metrics.Stream{ID: s.id, State: metrics.Done, Wall: time.Now(), Marks: metrics.NewMarks(),
		Usage: metrics.NoUsage(), LiveTokens: -1, Work: w, Endpoint: s.Endpoint}
	begin := now.Seconds()
	v.Marks.Start, v.Marks.ConnectStart = stamp(begin), stamp(begin)
	connect := 12.0
	if s.Connect != nil {
		connect = s.Connect(now)
	}
	sent := begin + connect/1e3*math.Exp(0.1*s.rng.NormFloat64())
	v.Marks.ConnectDone, v.Marks.GotConn, v.Marks.Sent = stamp(sent), stamp(sent), stamp(sent)
	end := sent
	if s.Fault != nil {
		v.Fault = s.Fault(now)
	}
	if v.Fault != nil {
		v.State, v.Marks.End = metrics.Failed, stamp(sent)
	} else {
		end = s.answer(v, sent, w)
	}
	go func() {
		timer := time.NewTimer(time.Until(s.origin.Add(time.Duration(end * 1e9))))
		defer timer.Stop()
		select {
		case <-timer.C:
			out.cut = ctx.Err() != nil
		case <-ctx.Done():
			out.cut = true
		}
		close(out.done)
	}()
	return out
}

// answer runs the engine through the request and fills in v. It returns the end in
// seconds.
func (s *Server) answer(v *metrics.Stream, sent float64, w metrics.Workload) float64 {
	network := func() float64 { return 0.006 * math.Exp(0.15*s.rng.NormFloat64()) }
	probe := &engine.Request{Prompt: max(w.InputTokens, 40), Output: w.MaxTokens}
	type due struct {
		at float64
		r  *engine.Request
	}
	arrive := sent + network()
	dues := []due{{arrive, probe}}
	for at := max(arrive-1, s.e.Now()); ; {
		if at += s.rng.ExpFloat64() / s.Users; at > arrive+1 {
			break
		}
		dues = append(dues, due{at, &engine.Request{Prompt: 100 + s.rng.IntN(400), Output: 20 + s.rng.IntN(80)}})
	}
	slices.SortFunc(dues, func(a, b due) int { return cmp.Compare(a.at, b.at) })
	back, end := network(), 0.0
	v.Usage.Prompt, v.Usage.Completion, v.TokensFrom = probe.Prompt, 0, metrics.TokensUsage
	for {
		at, busy := s.e.Next()
		if len(dues) > 0 && (!busy || dues[0].at <= at) {
			_ = s.e.Submit(max(dues[0].at, s.e.Now()), dues[0].r)
			dues = dues[1:]
			continue
		}
		if !busy {
			break
		}
		for _, y := range s.e.Advance(at) {
			if y.Request != probe {
				continue
			}
			end = at + back
			v.Text = append(v.Text, "word "...)
			v.Chunks = append(v.Chunks, metrics.Chunk{At: stamp(end), User: stamp(end), Read: int32(v.Reads),
				Event: int32(v.Events), Bytes: 100, TextEnd: int32(len(v.Text)), Tokens: int16(y.N), Kernel: true})
			v.Usage.Completion += y.N
			v.Reads, v.Events = v.Reads+1, v.Events+1
		}
	}
	first := v.Chunks[0].At
	v.Marks.FirstByte, v.Marks.Headers, v.Marks.FirstEvent, v.Marks.End = first, first, first, stamp(end)
	seconds := func(s float64) time.Duration { return time.Duration(s * 1e9) }
	v.Server = []metrics.ServerTime{{Name: metrics.ServerQueue, D: seconds(probe.First - probe.Arrive - probe.Prefill)},
		{Name: metrics.ServerPrefill, D: seconds(probe.Prefill)}}
	return end
}
