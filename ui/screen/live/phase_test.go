package live

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/chart/scope"
)

// TestPhasesAgreeWithFigures holds the phases of random streams against their figures:
// the setup ends at 0, the parts of the wait end with the first chunk and add up to TTFT,
// decode ends with the last chunk, and there is a silence for each stall. What stands
// below the band, read from the screen, adds up to TTFT too.
func TestPhasesAgreeWithFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		millis := func(name string, most float64) time.Duration {
			return time.Duration(math.Round(math.Exp(rapid.Float64Range(0, math.Log(most)).Draw(t, name)))) * time.Millisecond
		}
		steps := []string{"reused"}
		if rapid.Bool().Draw(t, "connects") {
			steps[0] = "connect " + (6 * millis("connect", 200)).String()
		}
		wait := 10 * millis("wait", 3000)
		if queue := millis("queue", 3000); rapid.Bool().Draw(t, "queued") && queue < wait/5 {
			steps = append(steps, "queue "+queue.String())
		}
		steps = append(steps, "prefill "+wait.String())
		gap := millis("gap", 60)
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			switch n := strconv.Itoa(rapid.IntRange(2, 60).Draw(t, "n")); rapid.IntRange(0, 3).Draw(t, "part") {
			case 0:
				steps = append(steps, "stall "+(100*gap).String())
			case 1:
				steps = append(steps, "burst "+n)
			default:
				steps = append(steps, n+" x "+gap.String())
			}
		}
		steps = append(steps, rapid.SampledFrom([]string{"done", "stop", "cut"}).Draw(t, "end"))
		v := layOut(steps...).view(-1)
		w, h := rapid.IntRange(110, 300).Draw(t, "w"), rapid.IntRange(24, 80).Draw(t, "h")
		s := newPicture()
		g := drawnBy(s, v, w, h)
		st, f := &v.Stream, &v.Figures
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6*(1+math.Abs(b)) }
		waited, pauses, decoded, lead, within := 0.0, 0, math.NaN(), 0.0, 0.0
		for _, x := range s.scope.list {
			if x.Kind == scope.Decoding || x.Kind == scope.Paused && x.Name != "nothing more" {
				within += x.Ms
			}
			switch {
			case x.Kind == scope.Connecting:
				if lead = min(lead, x.From); x.To > 1e-9 {
					t.Fatalf("%v: the setup ends at %v: %+v", steps, x.To, x)
				}
			case x.Kind == scope.Waiting:
				testkit.Given(t, near(x.From, waited), "%v: a part of the wait begins at %v, not at %v", steps, x.From, waited)
				waited = x.To
			case x.Kind == scope.Decoding:
				decoded = x.To
			case pauses < len(f.Stalls):
				if stall := f.Stalls[pauses]; x.To-x.From != stall.Ms && !near(x.To-x.From, stall.Ms) ||
					!near(x.To, float64(stall.At-st.Marks.Sent)/1e6) {
					t.Fatalf("%v: %+v is not %+v", steps, x, stall)
				}
				pauses++
			}
		}
		if want := float64(st.Chunks[len(st.Chunks)-1].At-st.Marks.Sent) / 1e6; !near(waited, f.TTFT.V) ||
			!near(decoded, want) || pauses < len(f.Stalls) {
			t.Fatalf("%v: the wait ends at %v of %v, decode at %v of %v, %d of %d stalls", steps, waited, f.TTFT.V, decoded,
				want, pauses, len(f.Stalls))
		}
		testkit.Given(t, near(within, decoded-waited),
			"%v: decode and the pauses in it add up to %v of %v", steps, within, decoded-waited)
		if want := float64(st.Marks.Sent-st.Marks.Start) / 1e6; lead < -want-1e-6 {
			t.Fatalf("%v: the setup begins at %v, the request began at %v", steps, lead, -want)
		}
		if sum, row := named(t, g.Plain()); math.Abs(sum-f.TTFT.V) > 0.006*f.TTFT.V+0.1 {
			t.Fatalf("%v, %dx%d: %q adds up to %v of %v ms", steps, w, h, row, sum, f.TTFT.V)
		}
	})
}

// setup are the names of what comes before the request was sent.
var setup = []string{"connect", "send", "dns", "tcp", "tls", "client", "retried"}

// named is the sum of the written parts of the wait, and their row.
func named(t *rapid.T, screen string) (sum float64, row string) {
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		if strings.Contains(line, "phases ") {
			row = lines[i+1]
		}
	}
	for _, part := range strings.Split(row, "  ") {
		f := strings.Fields(part)
		if n := len(f); n >= 4 && !strings.ContainsAny(part, "⠶⠆│") && !slices.Contains(setup, f[1]) {
			ms, err := strconv.ParseFloat(strings.ReplaceAll(f[n-2], ",", ""), 64)
			testkit.OK(t, err, part, "is no time")
			sum += ms * map[string]float64{"µs": 1e-3, "ms": 1, "s": 1e3}[f[n-1]]
		}
	}
	return sum, row
}

// TestNothingIsWaitedForBeforeItIsSent holds that what comes before the request was sent
// lies left of 0, also while it lasts, and does not move when it is sent.
func TestNothingIsWaitedForBeforeItIsSent(t *testing.T) {
	sc := layOut("connect 480ms", "prefill 2s", "9 x 20ms", "done")
	s, at := newPicture(), -1
	for _, after := range []time.Duration{20 * ms, 100 * ms, 300 * ms, 470 * ms, 481 * ms} {
		g := drawnBy(s, sc.view(after), 120, 40)
		for _, x := range s.scope.list {
			testkit.That(t, (x.Kind != scope.Connecting || x.To <= 1e-6) && (x.Kind == scope.Connecting || x.To <= 1),
				"after %v: %+v", after, x)
		}
		word := "now"
		if after > 480*ms {
			word = "sent"
		}
		area := s.scope.scope.Area()
		x := -2
		for col := area.X; col < area.Right(); col++ {
			a, _ := g.At(col, area.Bottom()+1)
			if b, _ := g.At(col+1, area.Bottom()+1); a+b == word[:2] {
				x = col
				break
			}
		}
		testkit.That(t, x >= at, "after %v 0 moved from column %d to %d", after, at, x)
		at = x
	}
}

// TestAStopKeepsTheSilence holds that the band of a stopped stream lasts until then.
func TestAStopKeepsTheSilence(t *testing.T) {
	v := layOut("reused", "prefill 260ms", "30 x 20ms", "silence 5500ms", "stop").view(-1)
	find(t, frame(v, 120, 40), "nothing more 5.50 s")
	v.Stream.State = metrics.Done
	testkit.Lacks(t, frame(v, 120, 40).Plain(), "nothing more")
}

// TestWhatWasHeldBackIsNoPause holds that a silence in which the model went on is named
// so in the band, and is where it was.
func TestWhatWasHeldBackIsNoPause(t *testing.T) {
	v := layOut("reused", "prefill 90ms", "30 x 20ms", "stall 3s", "20 x 20ms", "done").view(-1)
	v.Figures.Stalls = nil
	v.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectWithheld, Ms: 3000, Name: "write_file", Chunk: 31}}
	s := newPicture()
	find(t, drawnBy(s, v, 120, 40), "tool arguments held back 3.00 s")
	x := s.scope.list[len(s.scope.list)-1]
	want := float64(v.Stream.Chunks[31].At-v.Stream.Marks.Sent) / 1e6
	testkit.That(t, math.Abs(x.To-want) <= 1e-6 && x.To-x.From == 3000, "%+v ends not at %v", x, want)
	v = layOut("reused", "prefill 90ms", "30 x 20ms", "stall 3s", "9 x 20ms", "stall 4s", "9 x 20ms", "stall 5s",
		"9 x 20ms", "stall 6s", "9 x 20ms", "stall 7s", "9 x 20ms", "done").view(-1)
	v.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectWithheld, Ms: 7000, Chunk: v.Figures.Stalls[4].Chunk}}
	v.Figures.Stalls = v.Figures.Stalls[:4]
	find(t, frame(v, 200, 50), "4× paused 18.0 s, longest 6.00 s")
}
