package turn

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestScriptOfASession: lengths, shared prefixes and pauses of a session with all that changes
// them.
func TestScriptOfASession(t *testing.T) {
	sized := func(blocks []Block, bytes ...int) []Block {
		for i := range blocks {
			blocks[i].Bytes = bytes[i]
		}
		return blocks
	}
	calls := func(prompt, out int) func(*Turn, *metrics.Stream) {
		return func(u *Turn, s *metrics.Stream) {
			counted(prompt, 0, out)(u, s)
			s.Finish = "tool_use"
		}
	}
	first := sized(prompt(d{1}, d{2}, d{3}), 200, 100, 100)
	first[2].Role = "user"
	second := append(slices.Clone(first), sized(prompt(nil, nil, d{4, 5}), 60, 40)...)
	second[3].Role = "assistant"
	agent := sized(prompt(d{1}, d{8}, d{9}), 200, 20, 20)
	edited := sized(prompt(d{1}, d{2}, d{7}), 200, 100, 50)
	v := view(200, false,
		answered(1, 0, 1, first, calls(100, 30)),     // ends at 2 s
		answered(2, 3, 1, agent, counted(60, 0, 10)), // beside it, to 5 s
		answered(3, 6, 1, second, func(u *Turn, s *metrics.Stream) { // fails
			u.Answers, s.State, s.Fault = Tool, metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 529}
		}),
		answered(4, 9, 1, second, func(u *Turn, s *metrics.Stream) { // no usage
			u.Answers, s.Chunks = Tool, append(s.Chunks, s.Chunks...)
		}),
		answered(5, 100, 1, edited, counted(80, 0, 5)), // the person was away for 89 s
	)
	s := v.Script()
	want := []Step{
		{Said: []Said{{1, 50, false}, {2, 25, false}, {3, 25, false}}, Prompt: 100, Output: 30, After: -1},
		{Said: []Said{{1, 50, false}, {4, 5, false}, {5, 5, false}}, Prompt: 60, Shared: 50, Output: 10, Pause: time.Second},
		{Said: []Said{{1, 50, false}, {2, 25, false}, {3, 25, false}, {6, 15, true}, {7, 10, false}}, Prompt: 125,
			Shared: 100, Output: 2, Pause: 7 * time.Second},
		{Said: []Said{{1, 50, false}, {2, 25, false}, {8, 5, false}}, Prompt: 80, Shared: 75, Output: 5, After: 2,
			Pause: MostWait},
	}
	testkit.Need(t, len(s.Steps), len(want), "steps", s.Steps)
	for i := range want {
		if got := s.Steps[i]; !slices.Equal(got.Said, want[i].Said) || got.Prompt != want[i].Prompt ||
			got.Shared != want[i].Shared ||
			got.Output != want[i].Output || got.After != want[i].After || got.Pause != want[i].Pause {
			t.Errorf("step %d is %+v, want %+v", i, got, want[i])
		}
	}
	if s.Turns != 4 || s.OfAgents != 1 || s.Conversations != 2 || s.LeftOut != 1 || s.Estimated != 1 || s.Shortened != 1 ||
		s.Prompt != 365 || s.Shared != 225 || s.Output != 47 || s.Pauses != 38*time.Second {
		t.Errorf("the session is %+v", *s)
	}

	p := Play{Script: s}
	for i, due := range []float64{-1, 11, 17, 42, -1} { // ends are at 10, 11, 12 … s
		at := metrics.Stamp(due * 1e9)
		if due < 0 {
			at = metrics.NoStamp
		}
		step, begins := p.Step()
		if p.Due() != at || step != &s.Steps[i%4] || begins != (i%4 == 0) || p.Round != i/4 {
			t.Errorf("step %d is due at %d, begins %v in round %d", i, p.Due(), begins, p.Round)
		}
		p.Ended(metrics.Stamp((10 + i) * 1e9))
	}
}

// TestScriptOfNewItems: where a client sends what is new alone, a prompt still begins with all
// that was said before, and with the answer.
func TestScriptOfNewItems(t *testing.T) {
	first := prompt(d{1}, d{2}, d{3})
	second := prompt(d{1}, d{2}, d{4})
	v := view(20, false,
		answered(1, 0, 1, first, func(u *Turn, s *metrics.Stream) { counted(90, 0, 20)(u, s); u.Response = 77 }),
		answered(2, 3, 1, second, func(u *Turn, s *metrics.Stream) { counted(115, 0, 5)(u, s); u.Previous = 77 }))
	s := v.Script()
	want := []Said{{1, 30, false}, {2, 30, false}, {3, 30, false}, {4, 20, true}, {5, 5, false}}
	testkit.That(t, len(s.Steps) == 2 && slices.Equal(s.Steps[1].Said, want) && s.Steps[1].Shared == 90, "%+v", s.Steps)
}

// TestScriptsArePlayed: of random agents every answered turn is a step, prompts have as many
// parts in common as those of the session, and no tool's or person's time is lost.
func TestScriptsArePlayed(t *testing.T) {
	scripts(t, func(t *testing.T, _ *rand.Rand, all []*played) {
		v := viewOf(all, 0, false)
		s, failed := v.Script(), 0
		byTurn := map[*played]int{}
		for i, p := range all {
			if p.turn.Stream().State != metrics.Done {
				failed++
				continue
			}
			step := &s.Steps[i-failed]
			byTurn[p] = i - failed
			if step.After >= i-failed || step.Prompt < len(step.Said) || step.Output < 1 || step.Shared > step.Prompt {
				t.Fatalf("step %d: %+v", i, *step)
			}
			at := slices.Index(p.of.turns, p)
			if at == 0 {
				continue
			}
			before := p.of.turns[at-1]
			if before.turn.Stream().State != metrics.Done {
				continue
			}
			pause := time.Duration(0)
			for _, a := range before.doing {
				if a == Client || a == You {
					pause += time.Duration(tick)
				}
			}
			testkit.That(t, step.After == byTurn[before] && step.Pause == pause,
				"turn %d waits %v behind step %d, want %v behind %d", i, step.Pause, step.After, pause, byTurn[before])
			if p.of.socket {
				continue
			}
			same := 0
			for old := &s.Steps[step.After]; same < min(len(old.Said), len(step.Said)) && old.Said[same] == step.Said[same]; {
				same++
			}
			testkit.Is(t, same, common(before.turn.Blocks, p.turn.Blocks), "turn", i, "has … parts of the one before")
		}
		testkit.That(t, s.LeftOut == failed && s.Turns == len(all)-failed,
			"%d of %d turns, %d left out, want %d", s.Turns, len(all), s.LeftOut, failed)
	})
}
