package watch

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// served is an endpoint in virtual time: the engine of the embedded endpoint,
// without its HTTP, in a bubble of testing/synctest. Other users send prompts to it
// around each probe, so that probes wait, prefill and decode differently. It must
// be asked by one row alone.
type served struct {
	origin time.Time
	e      *engine.Engine
	rng    *rand.Rand
	// slow is that of the engine by the time since origin.
	slow func(at time.Duration) engine.Slowness
	// users is the rate of the other users, requests per second.
	users float64
	// connect returns the time of TCP at a moment in ms, before its jitter.
	connect  func(at time.Duration) float64
	fault    func(at time.Duration) *metrics.Fault // nil: none
	endpoint metrics.Endpoint

	mu    sync.Mutex
	id    int
	sent  []time.Duration
	works []metrics.Workload
}

func setupOf(tb testing.TB) *physics.Setup {
	tb.Helper()
	m, _ := physics.ModelOf("llama-3.1-8b")
	p, _ := physics.PrecisionOf("bf16")
	h, _ := physics.Machine("h100")
	st, _ := physics.StackOf("vllm")
	s, err := physics.New(physics.Config{Model: m, Precision: p, Hardware: h, Stack: st, TP: 1, Sharing: physics.Tensor})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func serve(setup *physics.Setup, rng *rand.Rand) *served {
	s := &served{origin: time.Now(), rng: rng, users: 2}
	s.e = engine.New(engine.Options{Setup: setup, Slow: func(at float64) engine.Slowness {
		if s.slow == nil {
			return engine.Slowness{Prefill: 1, Decode: 1}
		}
		return s.slow(time.Duration(at * 1e9))
	}})
	return s
}

// servedStream is one answered probe.
type servedStream struct {
	done chan struct{}
	v    metrics.Stream
	cut  bool
}

func (s *servedStream) Done() <-chan struct{} { return s.done }

func (s *servedStream) Snapshot() metrics.Stream {
	if s.cut {
		s.v.State, s.v.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled}
	}
	return s.v
}

// yield is when a token of the probe came, in seconds.
type yield struct {
	at float64
	n  int
}

// send answers a probe. Its stream ends when the last token has come.
func (s *served) send(ctx context.Context, _ int, w metrics.Workload) stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.origin)
	s.id++
	s.sent, s.works = append(s.sent, now), append(s.works, w)
	out := &servedStream{done: make(chan struct{})}
	v := &out.v
	*v = metrics.Stream{ID: s.id, State: metrics.Done, Wall: time.Now(), Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, Work: w, Endpoint: s.endpoint}
	stamp := func(seconds float64) metrics.Stamp { return metrics.Stamp(seconds * 1e9) }
	begin := now.Seconds()
	v.Marks.Start, v.Marks.ConnectStart = stamp(begin), stamp(begin)
	connect := 12.0
	if s.connect != nil {
		connect = s.connect(now)
	}
	sent := begin + connect/1e3*math.Exp(0.1*s.rng.NormFloat64())
	v.Marks.ConnectDone, v.Marks.GotConn, v.Marks.Sent = stamp(sent), stamp(sent), stamp(sent)
	end := sent
	if s.fault != nil {
		v.Fault = s.fault(now)
	}
	if v.Fault != nil {
		v.State, v.Marks.End = metrics.Failed, stamp(sent)
	} else {
		end = s.answer(v, sent, w)
	}
	go func() {
		if !sleep(ctx, s.origin.Add(time.Duration(end*1e9))) {
			out.cut = true
		}
		close(out.done)
	}()
	return out
}

// answer runs the engine through the probe and fills in v. It returns the end in
// seconds.
func (s *served) answer(v *metrics.Stream, sent float64, w metrics.Workload) float64 {
	network := func() float64 { return 0.006 * math.Exp(0.15*s.rng.NormFloat64()) }
	probe := &engine.Request{Prompt: max(w.InputTokens, 40), Output: w.MaxTokens}
	type due struct {
		at float64
		r  *engine.Request
	}
	arrive := sent + network()
	dues := []due{{arrive, probe}}
	for at := max(arrive-1, s.e.Now()); ; {
		if at += s.rng.ExpFloat64() / s.users; at > arrive+1 {
			break
		}
		dues = append(dues, due{at, &engine.Request{Prompt: 100 + s.rng.IntN(400), Output: 20 + s.rng.IntN(80)}})
	}
	slices.SortFunc(dues, func(a, b due) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	var came []yield
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
			if y.Request == probe {
				came = append(came, yield{at, y.N})
			}
		}
	}
	back := network()
	stamp := func(seconds float64) metrics.Stamp { return metrics.Stamp(seconds * 1e9) }
	n := 0
	for i, y := range came {
		at := stamp(y.at + back)
		v.Text = append(v.Text, "word "...)
		v.Chunks = append(v.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Bytes: 100, TextEnd: int32(len(v.Text)), Tokens: int16(y.n), Kernel: true})
		n += y.n
		v.Marks.End, v.Reads, v.Events = at, i+1, i+1
	}
	first := stamp(came[0].at + back)
	v.Marks.FirstByte, v.Marks.Headers, v.Marks.FirstEvent = first, first, first
	v.Usage.Prompt, v.Usage.Completion, v.TokensFrom = probe.Prompt, n, metrics.TokensUsage
	seconds := func(s float64) time.Duration { return time.Duration(s * 1e9) }
	v.Server = []metrics.ServerTime{{Name: metrics.ServerQueue, D: seconds(probe.Admitted - probe.Arrive)}, {Name: metrics.ServerPrefill, D: seconds(probe.First - probe.Admitted)}}
	return came[len(came)-1].at + back
}
