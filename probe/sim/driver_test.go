package sim

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
)

// drive runs a driver of the default model in virtual time.
func drive(t *testing.T, speed float64, log *slog.Logger, sleep func(time.Duration)) *driver {
	t.Helper()
	f := testkit.Must(find(nil, DefaultModel))(t)
	d := newDriver(DefaultModel, speed, &Options{Log: log, Sleep: sleep})
	d.start(engine.Options{Config: engine.Config{Setup: f.setup}})
	return d
}

func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// collect waits for all tokens of an outbox. It returns the arrival times of
// each step's tokens, since its call, and the last copy of the request.
func collect(t *testing.T, f *outbox, tokens int) (at []time.Duration, last engine.Request) {
	t.Helper()
	began := time.Now()
	for tokens > 0 {
		<-f.sig
		got := testkit.Must(f.swap(nil))(t)
		for _, a := range got {
			tokens -= a.n
			at = append(at, time.Since(began))
			last = a.req
		}
	}
	return at, last
}

func TestWallClockAgreesWithEngine(t *testing.T) {
	for _, speed := range []float64{1, 0.1, 10} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, speed, discardLog(), time.Sleep)
			f := newOutbox()
			testkit.OK(t, d.submit([]*engine.Request{{Prompt: 1000, Output: 200, User: &requestRef{out: f}}}))
			at, last := collect(t, f, 200)
			virtual := enginetest.Run(t, engine.Options{Config: engine.Config{Setup: d.setup}},
				engine.Workload{Users: 1, Requests: 1, Prompt: 1000,
					Output: 200})
			wallTPOT := (at[len(at)-1] - at[0]).Seconds() * speed / 199
			if e := math.Abs(wallTPOT/virtual.TPOT - 1); e > 0.02 {
				t.Errorf("speed %v: mean gap %v on the wall, %v in the engine", speed, wallTPOT, virtual.TPOT)
			}
			if e := math.Abs(at[0].Seconds()*speed/virtual.TTFT - 1); e > 0.02 {
				t.Errorf("speed %v: first token after %v, planned %v", speed, at[0].Seconds()*speed, virtual.TTFT)
			}
			if last.Produced != 200 || d.pacing().Overloaded() {
				t.Errorf("%+v, %+v", last, d.pacing())
			}
			d.close()
		})
	}
}

func TestOrdersInterruptALongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, 0.001, discardLog(), time.Sleep) // a step takes seven seconds
		f := newOutbox()
		r := &engine.Request{Prompt: 10, Output: 5, User: &requestRef{out: f}}
		testkit.OK(t, d.submit([]*engine.Request{r}))
		time.Sleep(20 * time.Second) // past the front end, in the first step
		d.cancel([]*engine.Request{r})
		synctest.Wait()
		testkit.Is(t, d.view().stats.Running, 0, "running after the cancellation")
		d.close()
	})
}

func TestOverloadIsReported(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		late := func(d time.Duration) { time.Sleep(d + slipAt + 50*time.Millisecond) }
		d := drive(t, 1, slog.New(slog.NewTextHandler(&out, nil)), late)
		f := newOutbox()
		testkit.OK(t, d.submit([]*engine.Request{{Prompt: 10, Output: 10, User: &requestRef{out: f}}}))
		collect(t, f, 10)
		p := d.pacing()
		testkit.That(t, p.Slips >= 10 && p.Late >= 10 && p.Slipped >= time.Second, "%+v", p)
		d.close()
	})
	n := strings.Count(out.String(), "cannot keep up")
	testkit.That(t, n >= 2 && n <= 5, "%d lines in the log for ten slips:\n%s", n, out.String())
}

// Disconnected clients free their places in the queue.
func TestCancellationsDoNotCountAsQueued(t *testing.T) {
	f := testkit.Must(find(nil, DefaultModel))(t)
	d := newDriver(DefaultModel, 1, &Options{Log: discardLog()})
	d.setup, d.maxQueued = f.setup, 2
	d.cancel(make([]*engine.Request, 5))
	two := make([]*engine.Request, 2)
	testkit.Is(t, d.submit(two), nil, "room for two after five cancellations")
	err := d.submit(two[:1])
	testkit.That(t, errors.Is(err, engine.ErrQueueFull), "the third: %v", err)
}

func TestCloseFailsOpenRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, 1, discardLog(), time.Sleep)
		f := newOutbox()
		testkit.OK(t, d.submit([]*engine.Request{{Prompt: 10, Output: 1000, User: &requestRef{out: f}}}))
		time.Sleep(time.Second)
		d.close()
		if _, err := f.swap(nil); !errors.Is(err, errClosed) {
			t.Errorf("the flight ended with %v", err)
		}
		if err := d.submit(nil); !errors.Is(err, errClosed) {
			t.Errorf("a closed driver takes orders: %v", err)
		}
	})
}
