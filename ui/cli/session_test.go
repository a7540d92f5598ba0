package cli

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
)

// TestSessionFlags: what --session makes of the bounds of a race and of a sweep, of which those
// that are given stay, and of what is asked beside it.
func TestSessionFlags(t *testing.T) {
	script := &turn.Script{Turns: 13, Prompt: 1300, Output: 130}
	j := &Job{Console: Console{Out: io.Discard, Err: io.Discard}, Script: func(string) (*turn.Script, error) { return script, nil }}
	raced := func(args ...string) (o *Race, p racestat.Plan) {
		take := func(_ context.Context, r *Race) error { o = r; return nil }
		testkit.OK(t, execute(t, Actions{Race: take}, append([]string{"race", "a", "b"}, args...)...))
		w := metrics.Workload{Name: "chat", Prompt: "Why?", System: "Be brief.", InputTokens: 5, MaxTokens: 40, Concurrency: 3}
		var err error
		o.Plan.Script, err = o.played(t.Context(), j, &w)
		testkit.OK(t, err)
		return o, o.plan(w)
	}
	if _, p := raced("--session", "f"); p.Script != script || p.Bounds != (racestat.Bounds{Pairs: 39, Tokens: 20_000}) ||
		p.Work.Name != "session" || p.Work.Blank() || p.Work.System != "" || p.Work.InputTokens+p.Work.MaxTokens != 0 || p.Work.Concurrency != 3 {
		t.Errorf("%+v", p)
	}
	if _, p := raced("--session", "f", "--pairs", "5", "--duration", "1m"); p.Bounds.Pairs != 5 || p.Bounds.Most != time.Minute {
		t.Errorf("%+v", p.Bounds)
	}
	if _, p := raced(); p.Script != nil || p.Bounds != racestat.DefaultBounds || p.Work.MaxTokens != 40 {
		t.Errorf("without the flag: %+v", p)
	}
	var s *Sweep
	take := func(_ context.Context, o *Sweep) error { s = o; return nil }
	for _, x := range []struct {
		args     []string
		duration time.Duration
		requests int
	}{{nil, 0, 0}, {[]string{"--duration", "9s"}, 9 * time.Second, 0}, {[]string{"-n", "7"}, 0, 7}} {
		if err := execute(t, Actions{Sweep: take}, append([]string{"sweep", "--session", "f"}, x.args...)...); err != nil ||
			s.Duration != x.duration || s.Requests != x.requests {
			t.Errorf("%v: %v, %d, %v", x.args, s.Duration, s.Requests, err)
		}
	}
	j.Script = func(string) (*turn.Script, error) { return nil, errors.New("no session of a tap") }
	w := metrics.Workload{Name: "chat"}
	if p, err := s.played(t.Context(), j, &w); err == nil || p != nil || w.Name != "chat" {
		t.Errorf("a file of another kind: %v, %v, %+v", p, err, w)
	}
}
