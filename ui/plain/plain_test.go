package plain

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/report"
	"tokscope/ui/uitest"
)

// play runs Run on a backend that script moves, in virtual time.
func play(t *testing.T, ctx context.Context, drive func(b *uitest.Backend)) (out string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := uitest.New().Backend
		var buf bytes.Buffer
		done := make(chan struct{})
		go func() {
			defer close(done)
			err = Run(ctx, b, &buf, metrics.Workload{Name: "chat", Prompt: "Hi"}, report.Origin{})
		}()
		for len(b.Begun()) == 0 {
			time.Sleep(time.Millisecond)
		}
		drive(b)
		<-done
		out = buf.String()
	})
	return out, err
}

// pass advances both clocks.
func pass(b *uitest.Backend, d time.Duration) {
	b.Advance(d)
	time.Sleep(d)
}

func inOrder(t *testing.T, out string, parts ...string) {
	t.Helper()
	rest := out
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		testkit.Given(t, ok, "%q does not follow in\n%s", p, out)
		rest = after
	}
}

func TestLinesAreWrittenAsTheyArrive(t *testing.T) {
	out, err := play(t, context.Background(), func(b *uitest.Backend) {
		pass(b, 150*time.Millisecond)
		b.Sent()
		pass(b, 400*time.Millisecond)
		b.ChunkOf(metrics.Reasoning, "let me think")
		pass(b, 200*time.Millisecond)
		for range 30 {
			b.Chunk("several words ")
			pass(b, 20*time.Millisecond)
		}
		b.Chunk("end\nlast")
		b.Finish()
	})
	testkit.OK(t, err)
	inOrder(t, out, "[request 1 to demo, llama-3.1-8b@h100]\n", "[sent, waiting for the first token]\n",
		"[first token after 400 ms]\n",
		"[reasoning]\n", "let me think\n", "[content]\n", "several words", "end\nlast\n", "[done]\n", "TTFT ", "400 ms",
		"TPOT ")
	for _, line := range strings.Split(out, "\n") {
		testkit.That(t, !strings.HasPrefix(line, "several") || len(line) <= lineMost, "a line of %d: %q", len(line), line)
	}
}

// TestWhatIsNotKnownIsNotNamed checks that a request without a model's name
// leaves no empty place for it.
func TestWhatIsNotKnownIsNotNamed(t *testing.T) {
	var buf bytes.Buffer
	p := printer{w: &buf}
	s := metrics.Stream{ID: 1, State: metrics.Connecting, Endpoint: metrics.Endpoint{Name: "127.0.0.1:8000"}}
	p.print(&s)
	testkit.Is(t, buf.String(), "[request 1 to 127.0.0.1:8000]\n")
}

func TestNothingMovesTheCursor(t *testing.T) {
	out, err := play(t, context.Background(), func(b *uitest.Backend) {
		b.Sent()
		b.Chunk("a\x1b[2Jb\rc\u202ed\u009be")
		pass(b, time.Second)
		b.Fail(metrics.Fault{Kind: metrics.FaultReset, Message: "broken\x1b[31m"})
	})
	testkit.That(t, errors.Is(err, ErrFailed), "error %v", err)
	for _, r := range out {
		testkit.Given(t, r == '\n' || r >= 0x20 && (r < 0x7f || r >= 0xa0) && r != 0x202e, "%U in %q", r, out)
	}
	inOrder(t, out, "a␛[2Jb␍c", "[failed]", "ended", "broken")
}

func TestACharacterCutInTwoIsWhole(t *testing.T) {
	out, _ := play(t, context.Background(), func(b *uitest.Backend) {
		b.Sent()
		b.Chunk("日"[:1])
		pass(b, 300*time.Millisecond)
		b.Chunk("日"[1:])
		b.Finish()
	})
	inOrder(t, out, "\n日\n")
}

func TestCancelStopsTheRequestAndWritesItsSummary(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out, err := play(t, ctx, func(b *uitest.Backend) {
		b.Sent()
		b.Chunk("the beginning")
		pass(b, time.Second)
		cancel()
	})
	testkit.That(t, errors.Is(err, context.Canceled), "error %v", err)
	inOrder(t, out, "the beginning\n", "[stopped]\n", "ended")
}

type broken struct{ n int }

var errPipe = errors.New("broken pipe")

func (w *broken) Write(p []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, errPipe
	}
	return len(p), nil
}

func TestAWriterThatFailsEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.New().Backend
		done := make(chan error)
		go func() { done <- Run(context.Background(), b, &broken{1}, metrics.Workload{}, report.Origin{}) }()
		time.Sleep(time.Millisecond)
		b.Sent()
		err := <-done
		testkit.That(t, errors.Is(err, errPipe), "error %v", err)
		calls := b.Calls()
		testkit.That(t, calls[len(calls)-1] == "stop", "the request goes on: %q", calls)
	})
}

// Calls of functions are printed as name(arguments), one a line.
func TestCallsAsLines(t *testing.T) {
	var buf bytes.Buffer
	p := printer{w: &buf}
	s := metrics.Stream{State: metrics.Decoding}
	p.state = s.State
	for _, c := range []struct {
		kind       metrics.Kind
		name, text string
	}{{metrics.ToolCall, "weather", ""}, {metrics.ToolCall, "", `{"city":`}, {metrics.ToolCall, "", `"Oslo"}`},
		{metrics.ToolCall, "clock", `{}`}, {metrics.Content, "", "Done."}} {
		s.Text = append(s.Text, c.name+c.text...)
		s.Chunks = append(s.Chunks, metrics.Chunk{Kind: c.kind, Name: uint16(len(c.name)), TextEnd: int32(len(s.Text))})
		p.print(&s)
	}
	p.flush()
	testkit.Is(t, buf.String(), "[tool call]\nweather({\"city\":\"Oslo\"})\nclock({})\n[content]\nDone.\n")
}

// toured runs the tour on a fake engine whose clock follows the bubble's.
func toured(t *testing.T, lesson int, stand bool) (out string, b *uitest.ExplainBackend, err error) {
	synctest.Test(t, func(t *testing.T) {
		b = uitest.New().ExplainBackend
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		go func() {
			for ctx.Err() == nil && !stand {
				time.Sleep(50 * time.Millisecond)
				b.Advance(50 * time.Millisecond)
			}
		}()
		var w bytes.Buffer
		err = Tour(ctx, b, &w, lesson)
		out = w.String()
		cancel()
		time.Sleep(time.Second) // the clock notices
	})
	return out, b, err
}

func TestTourAsLines(t *testing.T) {
	out, b, err := toured(t, 0, false)
	testkit.OK(t, err)
	testkit.Has(t, out, "lesson 1 of 11: Two phases", "claim: One user wastes the machine", "stage 3 of 3: 64 users",
		"  aggr.: predicted 5,720 tok/s, measured 5,720 tok/s",
		"verdict: it holds: 64 users: 93.3 tok/s per user, 5,720 tok/s aggregate", "need a screen")
	calls := b.Calls()
	testkit.That(t, calls[0] == "explain open" && calls[len(calls)-1] == "explain close", "the engine was told %q", calls)
}

func TestOneLessonAsLines(t *testing.T) {
	out, _, err := toured(t, 2, false)
	testkit.That(t, err == nil && !strings.Contains(out, "lesson 1") && strings.Contains(out, "lesson 2 of 11"),
		"error %v\n%s", err, out)
}

// An unmeasured stage is reported, and fails.
func TestATourThatDoesNotMove(t *testing.T) {
	out, _, err := toured(t, 3, true)
	if !errors.Is(err, ErrNotMeasured) || !strings.Contains(out, "not measured within 1m30s") ||
		strings.Contains(out, "verdict") {
		t.Errorf("error %v\n%s", err, out)
	}
}
