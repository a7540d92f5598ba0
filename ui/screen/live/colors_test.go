package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// roleOf is the role in which text begins on the screen of v.
func roleOf(t *testing.T, v *View, text string) themes.Role {
	t.Helper()
	v.Findings = nil
	_, _, role := find(t, frame(v, 80, 24), text)
	return role
}

// TestAWaitHasOneColor holds that the clock of a wait, its word, its step and its band have
// the color of how long it lasts.
func TestAWaitHasOneColor(t *testing.T) {
	sc := layOut("reused", "prefill 100s")
	for _, after := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 31 * time.Second} {
		v := sc.view(after)
		g, want := frame(v, 120, 40), themes.Heat(draw.Heat(float64(after.Milliseconds())))
		p := &newPicture().canvas
		p.Begin(g, v.Glyphs)
		p.see(v, newPicture())
		testkit.Is(t, p.ttft().role, want, "after", after, "the clock has role")
		for _, text := range []string{"waiting ─", "▸ ", "⡪ wait"} {
			_, _, got := find(t, g, text)
			testkit.That(t, got == want, "after %v %q has role %d, want %d", after, text, got, want)
		}
	}
}

// TestTheSpeedBeforeAStallIsDim checks that no speed stands out while nothing
// arrives, and that it says what it is.
func TestTheSpeedBeforeAStallIsDim(t *testing.T) {
	v := scene("stalled")
	testkit.Is(t, roleOf(t, v, "~29.8"), themes.Dim, "the speed has role")
	find(t, frame(v, 120, 40), "before the pause")
	testkit.Is(t, roleOf(t, scene("decoding"), "~161"), themes.Strong, "a speed has role: accent is no judgment")
}

// TestRedIsForFailures holds that a pause and a long wait that failed nothing have no cell
// in the role of a failure, while it lasts and afterwards, and that of one that failed the
// message has it, and not the sentence too.
func TestRedIsForFailures(t *testing.T) {
	for name, v := range map[string]*View{"a pause": scene("stalled"), "a long wait": scene("longwait"),
		"after it": layOut("reused", "prefill 14s", "90 x 20ms", "stall 3s", "done").view(-1)} {
		g := frame(v, 120, 40)
		for y := range 38 {
			for x := range 119 {
				if text, role := g.At(x, y); role == themes.Bad || role == themes.Alert {
					t.Fatalf("%s: %q at %d,%d has role %d", name, text, x, y, role)
				}
			}
		}
	}
	for _, name := range []string{"refused", "error"} {
		v := scene(name)
		g := frame(v, 120, 40)
		_, y, role := find(t, g, "Failed")
		if _, _, message := find(t, g, "✗ "+strings.Fields(v.Stream.Fault.Message)[0]); y != 0 || role == themes.Bad ||
			message != themes.Bad {
			t.Errorf("%s: the sentence in row %d has role %d, the message %d", name, y, role, message)
		}
	}
}

// TestDoneIsNotAlwaysGood checks the color of the state: a run that ended as it
// should is not green if its figures are bad.
func TestDoneIsNotAlwaysGood(t *testing.T) {
	testkit.Is(t, roleOf(t, scene("done"), "✓ done"), themes.Good, "a good run has role")
	v := layOut("reused", "prefill 14s", "90 x 20ms", "stall 3s", "done").view(-1)
	testkit.Is(t, roleOf(t, v, "▲ done"), themes.Text, "a slow run has role")
}

// TestPhasesDifferWithoutColor checks that the parts of a wait that can stand
// beside each other have patterns of their own.
func TestPhasesDifferWithoutColor(t *testing.T) {
	seen := map[string]string{}
	for _, phase := range []struct {
		name   string
		server bool
	}{{"tcp", false}, {metrics.ServerQueue, true}, {metrics.ServerPrefill, true}, {metrics.ShareServer, true},
		{metrics.ShareUnexplained, false}} {
		_, fill := phaseLook(phase.name, phase.server)
		look := string(fill.Glyph(themes.UnicodeGlyphs()))
		other, ok := seen[look]
		testkit.That(t, !ok, "%s and %s have the pattern %s", other, phase.name, look)
		seen[look] = phase.name
	}
}

// TestASilenceHasAMark checks that the scope shows a gap under way, as long as it is.
func TestASilenceHasAMark(t *testing.T) {
	for _, size := range sizes {
		if g := frame(stallOf(6*time.Second), size[0], size[1]); !strings.ContainsAny(g.Plain(), "▲") {
			t.Errorf("%v: no mark for the gap under way\n%s", size, g.Plain())
		}
	}
	for _, at := range []time.Duration{2500, 4000, 9000} {
		v := stallOf(at * ms)
		clock, unit := format.AppendStopwatch(nil, float64(v.Now-v.Stream.LastData)/1e6)
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			// headline, text, band, mark
			if n := strings.Count(frame(v, size[0], size[1]).Plain(), string(clock)+" "+unit); n < 4 {
				t.Errorf("%v after %v: %s %s is %d times on the screen", size, at, clock, unit, n)
			}
		}
	}
}

// TestEarlierRunsAreDim checks that a run of the same endpoint, model and
// workload stays in view, and one of another endpoint does not.
func TestEarlierRunsAreDim(t *testing.T) {
	dim := func(v *View) int {
		g, n := frame(v, 120, 40), 0
		for y := range 38 {
			for x := range 90 {
				if text, st := g.At(x, y); st == themes.Faint && text != "─" && !strings.Contains(" ┄·", text) {
					n++
				}
			}
		}
		return n
	}
	v := scene("waiting")
	if n := dim(v); n < 40 {
		t.Errorf("%d dim cells of two earlier runs", n)
	}
	for i := range v.Runs {
		v.Runs[i].Stream.Endpoint.URL = "https://elsewhere.example/v1"
	}
	if n := dim(v); n != 0 {
		t.Errorf("%d dim cells of another endpoint's runs", n)
	}
}
