package live

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// stoppedWait is a request that the person stopped before anything of an answer came.
func stoppedWait() *View {
	v := layOut("connect 12ms", "prefill 100s").view(8192 * ms)
	st := &v.Stream
	st.State, st.Marks.End, st.Marks.Headers, st.Marks.FirstByte = metrics.Cancelled, v.Now, metrics.NoStamp, metrics.NoStamp
	st.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped by you"}
	measured(v)
	v.Runs = append(v.Runs, metrics.Run{Stream: *st, Figures: v.Figures})
	return v
}

// TestAWaitSaysNoZeroAndNoDash checks that before the first chunk no panel has a row that
// says nothing, and that the checklist has what was sent, what came and what is awaited.
func TestAWaitSaysNoZeroAndNoDash(t *testing.T) {
	for _, size := range at("80x24 100x30 120x40 200x50") {
		for _, name := range []string{"idle", "connecting", "waiting", "progress"} {
			v := scene(name)
			g := frame(v, size[0], size[1])
			now := layout(g.Bounds(), false).now
			for y, row := range strings.Split(g.Plain(), "\n") {
				if y < now.Y || y >= now.Bottom() {
					continue
				}
				if r := []rune(row); strings.Contains(string(r[now.X:]), "– ") {
					t.Errorf("%s at %v: %s", name, size, row)
				}
			}
		}
		says(t, fmt.Sprint("the checklist at ", size), frame(scene("waiting"), size[0], size[1]),
			"✓ connected", "✓ request sent", "▸ waiting for the answer", "· waiting for a token", "410 ms")
	}
	says(t, "the checklist", frame(scene("waiting"), 120, 40), "at most 400 tokens out", "no byte of an answer yet")
}

// TestAPauseHasNoTickAlone checks the sign of an answer that ended as it should and stood
// still for two seconds: in the header, on its panel and in the list.
func TestAPauseHasNoTickAlone(t *testing.T) {
	v := layOut("reused", "prefill 90ms", "60 x 20ms", "stall 2s", "30 x 20ms", "done").view(-1)
	g := frame(v, 120, 40)
	says(t, "paused", g, "▲ done", "▲ stop", "not:✓ done")
	if _, _, role := find(t, g, "▲ stop"); role != themes.Warn {
		t.Errorf("its sign in the list has role %d", role)
	}
	s := &Screen{look: &screen.Look{Glyphs: themes.UnicodeGlyphs()}, view: *v, phase: metrics.Done}
	if sign, _ := s.state(); sign != themes.UnicodeGlyphs().Stall {
		t.Errorf("its sign in the header is %c", sign)
	}
	short := layOut("reused", "prefill 90ms", "60 x 6ms", "stall 90ms", "30 x 6ms", "done").view(-1)
	says(t, "a pause of 90 ms", frame(short, 120, 40), "✓ done", "✓ stop")
	if len(short.Figures.Stalls) == 0 {
		t.Error("it had no pause")
	}
}

// sayer is a host that counts what it is given to say.
type sayer struct {
	screen.Host
	said int
}

func (h *sayer) Say(string) tea.Cmd {
	h.said++
	return nil
}

// TestNextMarkFindsThem checks that n and N go through pauses, changes of what is written
// and the failure, in their order.
func TestNextMarkFindsThem(t *testing.T) {
	v := layOut("reused", "think", "prefill 90ms", "20 x 20ms", "answer", "40 x 20ms", "stall 2s", "9 x 20ms", "fail").view(-1)
	s := newPicture()
	drawnBy(s, v, 120, 40)
	last := len(v.Stream.Chunks) - 1
	testkit.Need(t, fmt.Sprint(s.marks(v)), fmt.Sprint([]int{21, 61, last}), "marks")
	host := &sayer{}
	live := &Screen{host: host, pic: s, view: *v}
	for i, step := range []struct{ by, at int }{{1, 21}, {1, 61}, {1, last}, {1, last}, {-1, 61}, {-1, 21}, {-1, 21}} {
		live.nextMark(step.by)()
		testkit.Is(t, s.scope.cursor, step.at, "step", i, "the cursor is at")
	}
	testkit.Is(t, host.said, 2, "times there was no further one")
}

// TestTheWaitStays checks that what the wait was made of, and whether that is usual, are on
// the screen when it is over, and how a run failed in the row of 80x24, which y copies.
func TestTheWaitStays(t *testing.T) {
	v := scene("done")
	says(t, "wide", frame(v, 120, 40), "TTFT: queue 2.00 ms, prefill 32.8 ms, unexplained 6.20 ms")
	says(t, "narrow", frame(v, 80, 24), "TTFT: prefill 32.8 ms")
	silent := layOut("reused", "prefill 300ms", "9 x 20ms", "done").view(-1)
	silent.Stream.Marks.FirstByte = silent.Stream.Marks.Sent + 2e6
	silent.Stream.Server, silent.Stream.Usual = nil, &verdict.Usual{Recent: 140}
	silent.Runs = silent.Runs[:1]
	says(t, "no times of the server", frame(measured(silent), 120, 40), "TTFT: first byte 2.00 ms, wait 298 ms; queue or prefill",
		"usual is not known: 140 earlier runs are of the last hour")
	failed := ended(1, 41, func(s *metrics.Stream) {
		s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 500, Message: "no"}
	})
	says(t, "failed", frame(after(failed), 80, 24), "✗   500 server error")
	s := onRuns(&sessionBackend{runs: []metrics.Run{failed}}, &screen.Look{Glyphs: themes.UnicodeGlyphs(), W: 80, H: 24})
	words := ""
	for _, h := range keys.Hints(nil, s.Table, false) {
		words += h.Key + " "
	}
	if y, p := strings.Index(words, "y "), strings.Index(words, "p "); y < 0 || y > p {
		t.Errorf("the keys of a failed run are %s", words)
	}
}
