package transport_test

import (
	"context"
	"fmt"
	"net"
	"net/http/httptrace"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// watched keeps every state of a request that is pushed.
type watched struct {
	mu  sync.Mutex
	all []transport.RequestState
}

func (w *watched) RequestChanged(s *transport.RequestState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, *s)
}

// states returns the pushed states, the oldest first.
func (w *watched) states() []transport.RequestState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[:len(w.all):len(w.all)]
}

// last returns the state that was pushed last.
func (w *watched) last() transport.RequestState { all := w.states(); return all[len(all)-1] }

// check checks the pushed states of an ended request: the first is empty, the
// last is that of the capture and the only one with an end. On one connection
// a known mark stays known, and a final one stays as it is.
func (w *watched) check(t *testing.T, c *transport.Capture) {
	t.Helper()
	all := w.states()
	if d := cmp.Diff(transport.RequestState{Marks: metrics.NewRequestMarks(), End: metrics.NoStamp}, all[0]); d != "" {
		t.Errorf("the first state is not empty (-empty +pushed):\n%s", d)
	}
	if d := cmp.Diff(*c.State(), w.last()); d != "" || !w.last().End.Known() {
		t.Errorf("the last state (-present +pushed):\n%s", d)
	}
	for i := 1; i < len(all); i++ {
		was, is := all[i-1], all[i]
		testkit.That(t, was != is && !was.End.Known(), "state %d was pushed twice, or after the end: %+v", i, is)
		if was.SentFinal && was.Marks.GotConn == is.Marks.GotConn && (!is.SentFinal || is.Marks.Sent != was.Marks.Sent) {
			t.Errorf("the final moment of sending changed from %+v to %+v", was, is)
		}
		a, b := reflect.ValueOf(was.Marks), reflect.ValueOf(is.Marks)
		for k := range a.NumField() {
			lost := metrics.Stamp(a.Field(k).Int()).Known() && !metrics.Stamp(b.Field(k).Int()).Known()
			if lost && was.Marks.GotConn == is.Marks.GotConn {
				t.Errorf("state %d has lost %s: %+v, then %+v", i, a.Type().Field(k).Name, was, is)
			}
		}
	}
}

// The marks are pushed in their order, and chunks push nothing.
func TestMarksArePushed(t *testing.T) {
	count := map[int]int{}
	for _, tokens := range []int{3, 300} {
		overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
			w := &watched{}
			c := newCapture(r)
			c.Watch(w)
			r.followWatched(c, w, r.request(with(c), fmt.Sprintf("headers; prefill 50ms; %d tokens @ 10us", tokens)), 0)
			var order []string
			known := map[string]bool{}
			for _, s := range w.states() {
				marks := reflect.ValueOf(s.Marks)
				for k := range marks.NumField() {
					if name := marks.Type().Field(k).Name; !known[name] && metrics.Stamp(marks.Field(k).Int()).Known() {
						known[name] = true
						order = append(order, name)
					}
				}
			}
			d := cmp.Diff([]string{"ConnectStart", "ConnectDone", "GotConn", "Sent", "FirstByte", "Headers"}, order)
			testkit.That(t, d == "", "%d tokens (-want +pushed):\n%s", tokens, d)
			count[tokens] = len(w.states())
		})
	}
	if count[300] > count[3]+1 {
		t.Errorf("300 chunks pushed %d states, 3 chunks %d", count[300], count[3])
	}
}

// The moment of sending is pushed by the write, before any byte of an answer
// and without anybody who asks.
func TestSentIsPushedByTheWrite(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		c, w := newCapture(r), &watched{}
		c.Watch(w)
		ctx, stop := context.WithCancel(with(c))
		defer stop()
		go r.readAll(c, r.request(ctx, "prefill 1s; 5 tokens @ 1ms"))
		time.Sleep(500 * time.Millisecond)
		s := w.last()
		testkit.That(t, s.Marks.Sent.Known() && !s.Marks.FirstByte.Known(), "while the server is silent: %+v", s)
		time.Sleep(time.Second)
		if again := w.last(); again.Marks.Sent != s.Marks.Sent || !again.SentFinal || !again.Marks.FirstByte.Known() {
			t.Errorf("after the answer: %+v, before %+v", again, s)
		}
	})
}

// The marks of a dial are pushed while it runs. Of several addresses that
// answer, the first counts: net uses its connection.
func TestMarksOfARaceOfConnections(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		c, w := newCapture(r), &watched{}
		c.Watch(w)
		r.tr.SetDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
			trace := httptrace.ContextClientTrace(ctx)
			trace.ConnectStart(network, "first")
			time.Sleep(300 * time.Millisecond)
			trace.ConnectStart(network, "second")
			if m := w.last().Marks; !m.ConnectStart.Known() || m.ConnectDone.Known() || m.GotConn.Known() {
				t.Errorf("while it connects: %+v", m)
			}
			time.Sleep(20 * time.Millisecond)
			trace.ConnectDone(network, "second", nil)
			go func() {
				time.Sleep(time.Millisecond)
				trace.ConnectDone(network, "first", nil) // at the same time, and closed by net
			}()
			time.Sleep(2 * time.Millisecond)
			here, there := net.Pipe()
			go r.server.Serve(there)
			return here, nil
		})
		got := r.followWatched(c, w, r.request(with(c), "prefill 5ms; 3 tokens @ 1ms"), 0)
		m := got.marks
		if d := m.ConnectDone - m.ConnectStart; d != metrics.Stamp(320*time.Millisecond) {
			t.Errorf("connected after %v, want 320 ms", time.Duration(d))
		}
		if d := m.GotConn - m.ConnectStart; d != metrics.Stamp(322*time.Millisecond) {
			t.Errorf("the connection is ready after %v, want 322 ms", time.Duration(d))
		}
	})
}
