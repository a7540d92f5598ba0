package loadgen

import (
	"context"
	"sync"
	"time"

	"tokscope/metrics"
	requests "tokscope/metrics/request"
	"tokscope/probe/endpoint"
)

// fake is an endpoint in virtual time: every request has its first chunk
// after wait, then one token per gap. A fault, if returned, ends the request
// after wait instead.
type fake struct {
	origin      time.Time
	wait        func(i int) time.Duration
	gap         time.Duration
	fault       func(i int) *metrics.Fault
	tellsTokens bool          // every chunk tells its tokens
	prompt      bool          // the usage says what was asked for, not 100
	per         int           // tokens a chunk, by the usage at the end
	retried     int           // sendings of each request that were repeated
	leftOpen    bool          // answers have no end marker
	slots       chan struct{} // requests at once, in the order of their sending; nil: all

	mu     sync.Mutex
	starts []metrics.Stamp
	all    []*fakeStream // in the order of their sending
	works  []metrics.Workload
	most   int
	open   int
}

func newFake(wait, gap time.Duration) *fake {
	return &fake{origin: time.Now(), wait: func(int) time.Duration { return wait }, gap: gap,
		fault: func(int) *metrics.Fault { return nil }, tellsTokens: true, per: 1}
}

func (f *fake) now() metrics.Stamp { return metrics.Stamp(time.Since(f.origin)) }

func (f *fake) deps() deps {
	return deps{now: f.now, start: f.start, observer: func() metrics.Observer { return metrics.Observer{N: 500} }}
}

// acted is the record of a request that nobody sends.
type acted struct {
	id   int
	done chan struct{}
	now  func() metrics.Stamp

	mu sync.Mutex
	v  metrics.Stream
}

// newActed is the record of request id, of w, which was sent at that moment.
func newActed(id int, at metrics.Stamp, now func() metrics.Stamp, w metrics.Workload) acted {
	none := metrics.NoStamp
	v := metrics.Stream{ID: id, State: metrics.Waiting, Now: at, Work: w, Marks: metrics.NewMarks(),
		Usage:      metrics.NoUsage(),
		LiveTokens: -1, LastData: none, DataDeadline: none, Progress: metrics.Progress{At: none}}
	v.Marks.Start, v.Marks.Sent = at, at
	return acted{id: id, done: make(chan struct{}), now: now, v: v}
}

func (s *acted) ID() int                                   { return s.id }
func (s *acted) Done() <-chan struct{}                     { return s.done }
func (s *acted) Packed(v *metrics.Stream) *requests.Packed { return requests.Pack(v) }
func (s *acted) OnEnd(f func()) {
	go func() {
		<-s.done
		f()
	}()
}

// Peek sets in v what that of a *client.Stream does.
func (s *acted) Peek(v *metrics.Stream, _ int) int {
	all := s.Snapshot()
	*v = metrics.Stream{ID: all.ID, State: all.State, Now: all.Now, Queue: all.Queue, Chunks: all.Chunks, Text: all.Text}
	return 0
}

func (s *acted) Run(p metrics.Pace) metrics.Run {
	v := s.Snapshot()
	return metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{Pace: p})}
}

func (s *acted) Snapshot() metrics.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.v
	if !v.State.Ended() {
		v.Now = s.now()
	}
	return v
}

type fakeStream struct {
	acted
	f      *fake
	cancel context.CancelFunc
}

func (s *fakeStream) Cancel() { s.cancel() }
func (f *fake) start(ctx context.Context, _ endpoint.Target, w metrics.Workload) stream {
	now := f.now()
	f.mu.Lock()
	i := len(f.starts)
	f.starts, f.works = append(f.starts, now), append(f.works, w)
	f.open++
	f.most = max(f.most, f.open)
	f.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	s := &fakeStream{acted: newActed(i+1, now, f.now, w), f: f, cancel: cancel}
	s.v.Retried, s.v.Conn.LeftOpen = f.retried, f.leftOpen
	f.mu.Lock()
	f.all = append(f.all, s)
	f.mu.Unlock()
	go s.live(ctx, i)
	return s
}

func (s *fakeStream) live(ctx context.Context, i int) {
	f := s.f
	end := func(state metrics.State, fault *metrics.Fault) {
		s.mu.Lock()
		s.v.State, s.v.Fault = state, fault
		s.v.Now = f.now()
		s.v.Marks.End = s.v.Now
		s.mu.Unlock()
		f.mu.Lock()
		f.open--
		f.mu.Unlock()
		s.cancel()
		close(s.done)
	}
	cancelled := &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}
	if f.slots != nil {
		select {
		case f.slots <- struct{}{}:
			defer func() { <-f.slots }()
		case <-ctx.Done():
			end(metrics.Cancelled, cancelled)
			return
		}
	}
	if !sleep(ctx, f.wait(i), nil, nil) {
		end(metrics.Cancelled, cancelled)
		return
	}
	if fault := f.fault(i); fault != nil {
		end(metrics.Failed, fault)
		return
	}
	for k := range s.v.Work.MaxTokens / f.per {
		if k > 0 && !sleep(ctx, f.gap, nil, nil) {
			end(metrics.Cancelled, cancelled)
			return
		}
		tokens := int16(-1)
		if f.tellsTokens {
			tokens = int16(f.per)
		}
		s.mu.Lock()
		s.v.State = metrics.Decoding
		s.v.Text = append(s.v.Text, "word "...)
		s.v.Chunks = append(s.v.Chunks, metrics.Chunk{At: f.now(), User: f.now(), Read: int32(k), Event: int32(k),
			TextEnd: int32(len(s.v.Text)), Tokens: tokens})
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.v.Usage.Prompt, s.v.Usage.Completion, s.v.TokensFrom = 100, s.v.Work.MaxTokens, metrics.TokensUsage
	if f.prompt {
		s.v.Usage.Prompt = s.v.Work.InputTokens
	}
	s.v.Finish = "length"
	s.mu.Unlock()
	end(metrics.Done, nil)
}
