package live

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

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

func (s quietSource) name() screen.Name                 { return "quiet" }
func (s quietSource) session() session                  { return idleBackend{} }
func (s quietSource) look() (uint64, bool)              { return uint64(s.st.Now), false }
func (s quietSource) stream() metrics.Stream            { return s.st }
func (s quietSource) animating() bool                   { return false }
func (s quietSource) running() bool                     { return false }
func (s quietSource) status(*screen.Status)             {}
func (s quietSource) keys() []keys.Binding              { return nil }
func (s quietSource) ended() (int, bool)                { return 0, false }
func (s quietSource) run() (r metrics.Run, _ string)    { return r, "" }
func (s quietSource) enter() error                      { return nil }
func (s quietSource) click(draw.Target) (tea.Cmd, bool) { return nil, false }

// idleBackend has no runs and no endpoint.
type idleBackend struct{ Backend }

func (idleBackend) Runs() []metrics.Run        { return nil }
func (idleBackend) RunsLeftOut() int           { return 0 }
func (idleBackend) Observer() metrics.Observer { return metrics.Observer{} }
func (idleBackend) Endpoint() metrics.Endpoint { return metrics.Endpoint{URL: "http://127.0.0.1:1/v1"} }
