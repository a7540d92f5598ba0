package slo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestParseSLO(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"ttft=500ms", "ttft=500ms"},
		{" ttft <= 0.5s , tpot<50ms ", "ttft=500ms,tpot=50ms"},
		{"speed>=20", "speed>=20"},
		{"speed = 20 tok/s", "speed>=20"},
		{"TTFB=1500µs,ttfc=2s,itl=30ms,gap=1m,total=10s", "ttfb=1.5ms,ttfc=2s,itl=30ms,gap=1m0s,total=10s"},
	} {
		slos, err := Parse(c.text)
		if err != nil {
			t.Errorf("ParseSLO(%q): %v", c.text, err)
			continue
		}
		var parts []string
		for _, o := range slos {
			parts = append(parts, o.String())
		}
		testkit.Is(t, strings.Join(parts, ","), c.want, "ParseSLO", c.text)
		again, err := Parse(c.want)
		testkit.That(t, err == nil && slices.Equal(again, slos), "%q does not read back: %v, %v", c.want, again, err)
	}
}

func TestParseSLOErrorsSayWhatIsRight(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ttft", "write name=limit"},
		{"ttft=500", "with its unit such as ttft=500ms"},
		{"ttft=-1s", "is not a time"},
		{"ttft>=500ms", "upper bound"},
		{"speed<20", "lower bound: write speed>=20"},
		{"speed=fast", "tokens per second"},
		{"speed=NaN", "is not a speed"},
		{"latency=1s", "known are ttfb, ttft, ttfc, tpot, itl, gap, total, speed"},
		{"ttft=1s,ttft=2s", "twice"},
	} {
		_, err := Parse(c.text)
		testkit.That(t, err != nil && strings.Contains(err.Error(), c.want),
			"ParseSLO(%q): %v, want it to say %q", c.text, err, c.want)
	}
}

// answer is a request that was sent at 0 and ended in that state, with a token of
// content in a read of its own at each of these ms.
func answer(state metrics.State, ms ...float64) metrics.Run {
	s := metrics.Stream{State: state, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		TokensFrom: metrics.TokensUsage}
	s.Marks.Sent, s.Usage.Completion = 0, len(ms)
	for i, at := range ms {
		s.Text = append(s.Text, "word "...)
		s.Now = metrics.Stamp(at * 1e6)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: s.Now, Read: int32(i), TextEnd: int32(len(s.Text)), Tokens: -1,
			Kind: metrics.Content})
	}
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// every returns n times, the first at from, the others 20 ms apart.
func every(from float64, n int) (ms []float64) {
	for i := range n {
		ms = append(ms, from+20*float64(i))
	}
	return ms
}

// near fails unless v is known and want.
func near(t *testing.T, name string, v metrics.Value, want float64) {
	t.Helper()
	testkit.That(t, v.OK && math.Abs(v.V-want) <= 1e-6*max(1, math.Abs(want)), "%s is %+v, want %v", name, v, want)
}

func TestMetAndGoodput(t *testing.T) {
	slos := testkit.Must(Parse("ttft=500ms,tpot=50ms,gap=1s"))(t)
	var runs []metrics.Run
	for _, c := range []struct {
		name   string
		run    metrics.Run
		missed []string
	}{
		{"good", answer(metrics.Done, every(100, 11)...), nil},
		{"late", answer(metrics.Done, every(900, 11)...), []string{"ttft"}},
		{"a stall of two seconds", answer(metrics.Done, append(every(100, 10), 2280)...), []string{"tpot", "gap"}},
		{"one token has no TPOT to be good", answer(metrics.Done, 100), []string{"tpot", "gap"}},
		{"failed", answer(metrics.Failed, every(100, 5)...), []string{"ttft", "tpot", "gap"}},
		{"canceled", answer(metrics.Cancelled, every(100, 5)...), []string{"ttft", "tpot", "gap"}},
	} {
		testkit.Is(t, Met(&c.run, slos...), c.missed == nil, c.name)
		for _, o := range slos {
			testkit.Is(t, Met(&c.run, o), !slices.Contains(c.missed, o.Name), c.name, o)
		}
		runs = append(runs, c.run)
	}
	// With too few values for a p99 the longest gap is judged.
	itl, _ := Parse("itl=30ms")
	if !Met(&runs[0], itl...) {
		t.Error("eleven gaps of 20 ms do not meet itl=30ms")
	}
	if Met(&runs[2], itl...) {
		t.Error("a gap of 2 s meets itl=30ms")
	}
}
