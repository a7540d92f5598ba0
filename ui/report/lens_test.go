package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// lensRun is a request that ended in state: a first token after ttft, then 21
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
		lens string
		task slo.AgentTask
		runs []metrics.Run
		has  []string
		not  []string
	}{
		{lens: "chat", runs: runs, not: []string{"\ntask"}, has: []string{
			"lens        chat: a person reads while the answer is written (medians of 3 requests)",
			"TTFT            620 ms   ≤ 450 ms      misses    170 ms over",
			"speed       50.0 tok/s   ≥ 5.3 tok/s   meets     9.5× what is needed   as fast as a 238 wpm reader",
			"sources     MLPerf Inference v5.0",
		}},
		{lens: "agent", task: slo.AgentTask{Steps: 10, Tokens: 31}, runs: runs[:1], has: []string{
			"(one request)", "step            1.26 s   ≤ 10 s       meets",
			"task        10 steps of 31 tokens take 12.6 s: 51 % waiting for first tokens, 49 % decoding", "half the TPOT 25 %",
		}},
		{lens: "chat", runs: runs[3:], has: []string{"TTFT               –   ≤ 450 ms      unknown   no request ended well"}},
	} {
		var b bytes.Buffer
		if err := put(&b, Lens(c.runs, slo.LensByKey(c.lens), c.task).Text(0)); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.has {
			if !strings.Contains(flat(b.String()), flat(w)) {
				t.Errorf("%s: %q is missing from\n%s", c.lens, w, b.String())
			}
		}
		for _, w := range c.not {
			if strings.Contains(b.String(), w) {
				t.Errorf("%s: %q is in\n%s", c.lens, w, b.String())
			}
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := len([]rune(line)); n > lineWidth {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}
