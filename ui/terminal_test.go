package ui

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/screen"
)

// recorder keeps the last write and shows all on a terminal.
type recorder struct {
	*vt.Emulator
	last   []byte
	writes int
}

func (r *recorder) Write(b []byte) (int, error) {
	r.last, r.writes = bytes.Clone(b), r.writes+1
	return r.Emulator.Write(b)
}

// shows is the text of the terminal.
func (r *recorder) shows() string {
	rows := strings.Split(r.Emulator.String(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

// onRecorder is a model on a terminal of 80x24 that has had its first frame.
func onRecorder(t *testing.T, m *Model) (onTerminal, *recorder) {
	t.Helper()
	r := &recorder{Emulator: vt.NewEmulator(80, 24)}
	t.Cleanup(func() { _ = r.Close() })
	o := onTerminal{m, &terminal{out: r, changed: func() {}, lost: true}}
	o.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if !bytes.HasPrefix(r.last, []byte(enterAlt+hideCursor)) {
		t.Fatalf("the first frame begins with %q", r.last[:min(len(r.last), 40)])
	}
	return o, r
}

func (o onTerminal) frameNow() bool { return o.t.write(&o.m.surface) }

// plain is the text of the model's frame.
func (o onTerminal) plain() string { return o.m.surface.grid.Plain() }

func TestTheTerminalShowsEachFrame(t *testing.T) {
	m, b := warm(80, 24)
	o, r := onRecorder(t, m)
	for i := range 50 {
		b.Advance(33 * time.Millisecond)
		b.Chunk("another 漢字 ")
		m.Update(frameMsg{})
		if i%10 == 5 {
			tap(m, "p")
		} else if i%10 == 8 {
			tap(m, "esc")
		}
		o.frameNow()
		testkit.Need(t, r.shows(), o.plain(), "frame", i, "the terminal shows")
		before := r.writes
		testkit.Given(t, !o.frameNow() && r.writes == before, "an unchanged frame is written: %q", r.last)
	}
}

// Bubble Tea's own bytes may overwrite anything; what would blank the screen is
// left out.
func TestAFrameFollowsOtherOutput(t *testing.T) {
	m, _ := warm(80, 24)
	asked := 0
	o, r := onRecorder(t, m)
	o.t.changed = func() { asked++ }
	for _, other := range []string{"\x1b[?25h", "\x1b[?1049h\x1b[H\x1b[2Jgarbage", "\x1b[5;5Hgarbage\x1b[K\n\n"} {
		asked = 0
		if n, err := o.t.Write([]byte(other)); n != len(other) || err != nil {
			t.Errorf("%q: %d, %v", other, n, err)
		}
		testkit.That(t, !bytes.Contains(r.last, []byte(enterAlt)) && !bytes.Contains(r.last, []byte(eraseAll)) && asked == 1,
			"%q was written as %q; %d frames were asked for", other, r.last, asked)
		if !o.frameNow() || r.shows() != o.plain() {
			t.Errorf("after %q the terminal shows\n%s", other, r.shows())
		}
	}
	if _, err := o.t.Write([]byte(leaveAlt)); err != nil || !strings.HasSuffix(string(r.last), leaveAlt) {
		t.Errorf("left with %q, %v", r.last, err)
	}
	testkit.That(t, !o.frameNow(), "a frame after the end: %q", r.last)
	o.t.close()
	testkit.Is(t, string(r.last), leaveAlt, "left a second time")
	if _, err := o.t.Write([]byte(enterAlt)); err != nil || !o.frameNow() || r.shows() != o.plain() {
		t.Errorf("entered again, the terminal shows\n%s", r.shows())
	}
}

// A program that is killed before Bubble Tea has drawn leaves the alternate
// screen nevertheless.
func TestCloseLeavesTheAlternateScreen(t *testing.T) {
	m, _ := warm(80, 24)
	o, r := onRecorder(t, m)
	o.t.close()
	testkit.Is(t, string(r.last), showCursor+leaveAlt, "closed with")
}

func TestTheCursorStandsWhereTextIsTyped(t *testing.T) {
	m, _ := warm(80, 24)
	o, r := onRecorder(t, m)
	tap(m, "p")
	at := func() {
		t.Helper()
		o.frameNow()
		if c, p := m.surface.caret, r.CursorPosition(); !c.shown || p.X != c.x || p.Y != c.y {
			t.Errorf("the terminal's cursor is at %v, the caret at %v", p, c)
		}
	}
	at()
	if b := r.last; !bytes.HasPrefix(b, []byte(hideCursor)) || !bytes.HasSuffix(b, []byte(showCursor)) {
		t.Errorf("the cursor shows while it moves: %q", b)
	}
	tap(m, "left")
	at()
	if c := o.View().Cursor; c == nil || c.Position != (tea.Position{}) {
		t.Errorf("Bubble Tea is given the cursor %v", c)
	}
	o.Update(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
	tap(m, "right")
	at()
	if b := r.last; !bytes.HasPrefix(b, []byte(beginSync)) || !bytes.HasSuffix(b, []byte(endSync)) {
		t.Errorf("no synchronized update: %q", b)
	}
}

// Frames that come in a row are written flushEvery apart, the last one always.
func TestFramesKeepApart(t *testing.T) {
	m, b := warm(80, 24)
	o, r := onRecorder(t, m)
	now := time.Now().Add(time.Hour)
	next := func() {
		b.Chunk("word ")
		m.Update(frameMsg{})
	}
	next()
	if cmd := o.t.show(&m.surface, now); cmd != nil || r.shows() != o.plain() {
		t.Error("a frame after a rest is not written at once")
	}
	next()
	before := r.writes
	if cmd := o.t.show(&m.surface, now.Add(flushEvery/2)); cmd == nil || r.writes != before {
		t.Error("a frame that comes too early is written, or never")
	}
	next()
	if cmd := o.t.show(&m.surface, now.Add(2*flushEvery)); cmd != nil || r.writes != before {
		t.Error("a frame does not wait for the pending one")
	}
	o.t.wrote = now.Add(-2 * time.Hour) // Update takes the real time
	o.Update(screen.Reply(o.t.flush))
	testkit.Is(t, r.shows(), o.plain(), "the last frame is not written")
}

// sequence is what a frame may contain: moves, styles, erasing to the right.
var sequence = regexp.MustCompile(`^\x1b\[([0-9;:]*[mH]|K)`)

// raw is the rest of what a terminal gets from the first character on that no frame
// may contain, "" without one.
func raw(rest string) string {
	for rest != "" {
		if seq := sequence.FindString(rest); seq != "" {
			rest = rest[len(seq):]
			continue
		}
		c, n := utf8.DecodeRuneInString(rest)
		if c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x202e {
			return rest[:min(len(rest), 40)]
		}
		rest = rest[n:]
	}
	return ""
}

func TestAFrameIsWrittenWithoutAllocating(t *testing.T) {
	m, _ := warm(200, 50)
	o := nowhere(m)
	o.frameNow()
	changed, i := 0, 0
	all := testing.AllocsPerRun(100, func() {
		m.surface.grid.Text(3, 10, []string{"one", "two"}[i%2], themes.Text, 3)
		m.surface.drawn++
		if i++; o.frameNow() {
			changed++
		}
	})
	if all > 0 || changed < 100 {
		t.Errorf("%v allocations a frame, %d frames written", all, changed)
	}
}
