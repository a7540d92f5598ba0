package loadgen

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
)

// TestUsersPlayASession: each user plays the turns of a session in their order, with their
// lengths and pauses, with texts that it shares with no other user and no other round; a turn
// that fails is followed by the next one. A step measures as many turns as its users have.
func TestUsersPlayASession(t *testing.T) {
	script := &turn.Script{Turns: 3, Steps: []turn.Step{
		{Said: []turn.Said{{Block: 1, Tokens: 100}}, Prompt: 100, Output: 5, After: -1},
		{Said: []turn.Said{{Block: 1, Tokens: 100}, {Block: 2, Tokens: 30}}, Prompt: 130, Output: 6, Pause: 2 * time.Second},
		{Said: []turn.Said{{Block: 1, Tokens: 100}, {Block: 3, Tokens: 40}}, Prompt: 140, Output: 7, Pause: 5 * time.Second}}}
	sweep := Curve{SweepPlan: loadstat.SweepPlan{Script: script, Users: []int{1, 3}}}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 10*time.Millisecond)
		f.fault = func(i int) *metrics.Fault {
			if i == 4 {
				return &metrics.Fault{Kind: metrics.FaultHTTP, Status: 500}
			}
			return nil
		}
		c := Tune(&sweep.SweepPlan, Config{Script: script, Seed: 7,
			Work: metrics.Workload{Name: "session", Prompt: "Go on.", InputTokens: 120, MaxTokens: 6}})
		l := start(context.Background(), c, f.deps())
		m := spread(l)
		for _, step := range sweep.Steps() {
			testkit.Is(t, step.Requests, 3*step.Users, step)
			p := m.MeasureStep(t.Context(), step)
			if n := p.Requests + p.Failed; n < step.Requests || n > 2*step.Requests || p.Turns.N != p.Requests ||
				p.Turns.P50.V < 140 || p.Turns.Max.V > 161 {
				t.Errorf("%d users: %d turns, their times %+v", step.Users, n, p.Turns)
			}
		}
		finish(l)
		testkit.Is(t, l.View().Failed, 1, "failed")

		type round struct {
			steps []int
			at    []metrics.Stamp
		}
		rounds := map[string]*round{} // by their nonces
		for i, w := range f.works {
			r := rounds[w.Nonce]
			if r == nil {
				r = &round{}
				rounds[w.Nonce] = r
			}
			n := slices.IndexFunc(script.Steps,
				func(s turn.Step) bool { return s.Prompt == w.InputTokens && s.Output == w.MaxTokens })
			r.steps, r.at = append(r.steps, n), append(r.at, f.starts[i])
			testkit.Given(t, w.Messages != "" && n == len(r.steps)-1,
				"request %d of round %q is turn %d with %d B of messages", len(r.steps), w.Nonce, n, len(w.Messages))
		}
		whole := 0
		for _, r := range rounds {
			if len(r.at) < 3 {
				continue
			}
			whole++
			// Each waits for the end of the first one: 100 ms and a token each 10 ms.
			if a, b := time.Duration(r.at[1]-r.at[0]), time.Duration(r.at[2]-r.at[0]); a < 2*time.Second ||
				a > 2200*time.Millisecond ||
				b < 5*time.Second || b > 5200*time.Millisecond {
				t.Errorf("turns at 0, %v, %v", a, b)
			}
		}
		testkit.That(t, whole >= 4, "%d whole rounds of %d", whole, len(rounds))
	})
}
