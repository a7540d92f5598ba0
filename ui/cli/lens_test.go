package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
)

// lensRun is a request that ended as told: a first token after ttft, then 21
// tokens 20 ms apart.
func lensRun(ttft time.Duration, state metrics.State) metrics.Run {
	s := metrics.Stream{State: state, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, TokensFrom: metrics.TokensUsage}
	s.Marks.Start, s.Marks.Sent = 1e9, 1e9
	s.Usage.Completion = 21
	for i := range 21 {
		s.Text = append(s.Text, "word "...)
		at := s.Marks.Sent + metrics.Stamp(ttft) + metrics.Stamp(i)*20e6
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Tokens: 1, TextEnd: int32(len(s.Text))})
	}
	s.Marks.End = s.Chunks[20].At
	s.Now = s.Marks.End
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

func TestLens(t *testing.T) {
	const ms = time.Millisecond
	runs := []metrics.Run{lensRun(640*ms, metrics.Done), lensRun(600*ms, metrics.Done), lensRun(620*ms, metrics.Done), lensRun(20*ms, metrics.Failed)}
	for _, c := range []struct {
		lens Lens
		runs []metrics.Run
		has  []string
		not  []string
	}{
		{lens: Lens{}, runs: runs, not: []string{"lens"}},
		{lens: Lens{Key: "chat"}, runs: nil, not: []string{"lens"}},
		{lens: Lens{Key: "chat"}, runs: runs, not: []string{"\ntask"}, has: []string{
			"lens        chat: a person reads while the answer is written (medians of 3 requests)",
			"TTFT          620 ms   ≤ 450 ms      misses    170 ms over",
			"speed       50 tok/s   ≥ 5.3 tok/s   meets     9.5x what is needed   a reader at 238 wpm keeps up",
			"sources     MLPerf Inference v5.0",
		}},
		{lens: Lens{"agent", metrics.AgentTask{Steps: 10, Tokens: 31}}, runs: runs[:1], has: []string{
			"(one request)", "step          1.26 s   ≤ 10.0 s     meets",
			"task        10 steps of 31 tokens take 12.6 s: 51 % waiting for first tokens, 49 % decoding", "half the TPOT 25 %",
		}},
		{lens: Lens{Key: "chat"}, runs: runs[3:], has: []string{"TTFT               –   ≤ 450 ms      unknown   no request ended well"}},
	} {
		var b bytes.Buffer
		if err := c.lens.Print(&b, c.runs); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.has {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%+v: %q is missing from\n%s", c.lens, w, b.String())
			}
		}
		for _, w := range c.not {
			if strings.Contains(b.String(), w) {
				t.Errorf("%+v: %q is in\n%s", c.lens, w, b.String())
			}
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := len([]rune(line)); n > lineWidth {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}

func TestLensFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want Lens
		say  string // what is wrong; "" when it is taken
	}{
		{"", Lens{"", metrics.DefaultAgentTask}, ""},
		{"--lens voice", Lens{"voice", metrics.DefaultAgentTask}, ""},
		{"--lens agent --agent-steps 5 --agent-tokens 70", Lens{"agent", metrics.AgentTask{Steps: 5, Tokens: 70}}, ""},
		{"--lens agent --json", Lens{"agent", metrics.DefaultAgentTask}, ""},
		{"--lens opera", Lens{}, "chat, voice, agent, batch"},
		{"--lens=", Lens{}, "chat, voice, agent, batch"},
		{"--agent-steps 5", Lens{}, "belong to --lens agent"},
		{"--lens chat --agent-tokens 5", Lens{}, "belong to --lens agent"},
		{"--lens agent --agent-steps 0", Lens{}, "give 1 to"},
		{"--lens agent --agent-tokens -5", Lens{}, "give 1 to"},
		{"--lens chat --ndjson", Lens{}, "use --json"},
	} {
		var got *Probe
		root := New(Actions{Probe: func(_ context.Context, o *Probe) error { got = o; return nil }}, "test")
		root.SetArgs(append([]string{"probe"}, strings.Fields(c.args)...))
		root.SilenceErrors, root.SilenceUsage = true, true
		err := root.Execute()
		if c.say != "" {
			if err == nil || !strings.Contains(err.Error(), c.say) || CodeOf(err) != ExitUsage {
				t.Errorf("%s: %v with exit code %d, want one about %q", c.args, err, CodeOf(err), c.say)
			}
			continue
		}
		if err != nil || got.Lens != c.want {
			t.Errorf("%s: %+v (%v), want %+v", c.args, got, err, c.want)
		}
	}
}
