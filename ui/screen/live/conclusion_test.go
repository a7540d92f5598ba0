package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// TestTheConclusionIsTheFirstRow holds the sentence at every size from 80x24
// on, while it happens and after; smaller terminals have no such row.
func TestTheConclusionIsTheFirstRow(t *testing.T) {
	for _, c := range []struct {
		name, want string
	}{
		{"waiting", " No token for 410 ms"}, {"decoding", " First token after 41.0 ms"}, {"stalled", " Nothing for 4.29 s after chunk 94"},
		{"done", " First token after 41.0 ms, 32.8 ms of it prefill. Then 141 tok/s"}, {"refused", " Failed after 69.9 ms, no token: HTTP 401"}, {"idle", " no request sent yet"},
	} {
		for _, size := range [][2]int{{80, 24}, {80, 50}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
			row, _, _ := strings.Cut(frame(scene(c.name), size[0], size[1]).Plain(), "\n")
			if !strings.HasPrefix(row, c.want) {
				t.Errorf("%s %v begins with %q", c.name, size, row)
			}
		}
		for _, size := range [][2]int{{79, 24}, {80, 23}, {40, 12}} {
			if text := frame(scene(c.name), size[0], size[1]).Plain(); strings.HasPrefix(text, c.want) {
				t.Errorf("%s %v has the row", c.name, size)
			}
		}
	}
}

// TestTheConclusionFollowsTheClock holds that the row counts a silence on, and
// is written anew only with new findings.
func TestTheConclusionFollowsTheClock(t *testing.T) {
	sc := layOut("reused", "prefill 90ms", "60 x 20ms", "stall 40s", "done")
	for at, want := range map[time.Duration]string{1300 * time.Millisecond: " First token", 3 * time.Second: " Nothing for 1.71 s", 6 * time.Second: " Nothing for 4.71 s"} {
		find(t, frame(sc.view(at), 80, 24), want)
	}
}

// TestTheClocksAgree holds that the running clock of the row is that of the
// figures in every frame of a wait, whenever the figures were computed.
func TestTheClocksAgree(t *testing.T) {
	sc := layOut("reused", "prefill 12s")
	now := metrics.Stamp(0)
	var src quietSource
	v := newScreen(screen.Deps{Look: &screen.Look{Glyphs: themes.UnicodeGlyphs()}}).show(&src)
	for at := 30 * time.Millisecond; at < 900*time.Millisecond; at += 33 * time.Millisecond {
		src.st = sc.at(at)
		now = src.st.Now
		v.Sample(now, false)
		g := draw.New(119, 38)
		v.Draw(g, g.Bounds())
		row, rest, _ := strings.Cut(g.Plain(), "\n")
		clock, _, _ := strings.Cut(strings.TrimPrefix(row, " No token for "), ";")
		if !strings.Contains(rest, "wait "+clock) {
			t.Fatalf("after %v the row says %q and the panel does not", at, row)
		}
	}
}

// quietSource is a source of one stream, which changes with the clock, in a session
// without runs.
type quietSource struct {
	quiet
	st metrics.Stream
}

func (s quietSource) name() screen.Name              { return "quiet" }
func (s quietSource) session() session               { return idleBackend{} }
func (s quietSource) look() (uint64, bool)           { return uint64(s.st.Now), false }
func (s quietSource) stream() metrics.Stream         { return s.st }
func (s quietSource) animating() bool                { return false }
func (s quietSource) running() bool                  { return false }
func (s quietSource) status(*screen.Status)          {}
func (s quietSource) keys() []keys.Binding           { return nil }
func (s quietSource) ended() (int, bool)             { return 0, false }
func (s quietSource) run() (r metrics.Run, _ string) { return r, "" }

// idleBackend has no runs and no endpoint.
type idleBackend struct{ Backend }

func (idleBackend) Runs() []metrics.Run        { return nil }
func (idleBackend) RunsLeftOut() int           { return 0 }
func (idleBackend) Observer() metrics.Observer { return metrics.Observer{} }
func (idleBackend) Endpoint() metrics.Endpoint { return metrics.Endpoint{URL: "http://127.0.0.1:1/v1"} }

// TestAnotherEndpointsConclusionIsNamed holds that a sentence about a run
// elsewhere is dim and says whose it is.
func TestAnotherEndpointsConclusionIsNamed(t *testing.T) {
	v := scene("done")
	v.Endpoint = metrics.Endpoint{Name: "groq", URL: "https://api.groq.com/openai/v1"}
	for _, w := range []int{80, 120} {
		if _, _, role := find(t, frame(v, w, 40), " last run, demo: "); role != themes.Text && role != themes.Dim {
			t.Errorf("%d columns: role %d", w, role)
		}
		row, _, _ := strings.Cut(frame(v, w, 40).Plain(), "\n")
		if !strings.Contains(row, "41.0 ms") || !strings.HasSuffix(strings.TrimRight(row, " "), ".") {
			t.Errorf("%d columns: %q", w, row)
		}
	}
}

// TestTheSumStandsBesideTheTotal holds the identity of the time to the last
// chunk with its residual in the panel of figures.
func TestTheSumStandsBesideTheTotal(t *testing.T) {
	find(t, frame(scene("done"), 120, 40), "total     1.07 s   = TTFT + 145 × TPOT + 0 ms")
	find(t, frame(scene("done"), 200, 50), "residual 0 ms")
	find(t, frame(scene("done"), 300, 80), "= TTFT + 145 × TPOT + 0 ms")
}
