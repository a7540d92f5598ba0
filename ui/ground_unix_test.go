//go:build !windows

package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/screen/registry"
)

// lightAnswer is what a light terminal says of its background.
const lightAnswer = "\x1b]11;rgb:fbfb/fafa/f7f7\x1b\\"

// background runs the interface in a terminal that says its background once it is written
// after, never if that is "". It quits once the terminal has shown want, and returns what
// was written before and from the first frame on. within is how long the first frame waits.
func background(t *testing.T, after string, within time.Duration, want string) (before, shown string) {
	t.Helper()
	master, tty, err := pty.Open()
	testkit.OK(t, err)
	testkit.Is(t, pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}), nil)
	var reading sync.WaitGroup
	seen := bytes.Buffer{}
	reading.Go(func() {
		buf := make([]byte, 4096)
		answered, quit := after == "", false
		for {
			n, err := master.Read(buf)
			seen.Write(buf[:n])
			if !answered && strings.Contains(seen.String(), after) {
				answered = true
				_, _ = io.WriteString(master, lightAnswer)
			}
			if !quit && strings.Contains(seen.String(), want) {
				quit = true
				_, _ = io.WriteString(master, "qq")
			}
			if err != nil {
				return
			}
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	m := New(registry.All(), newLive(), Options{Profile: themes.TrueColor, Output: tty})
	m.groundWithin = within
	pressed := ""
	filter := func(_ tea.Model, msg tea.Msg) tea.Msg {
		if key, ok := msg.(tea.KeyPressMsg); ok {
			pressed += key.String()
		}
		return m.filter(msg)
	}
	if err := m.Run(ctx, tea.WithInput(tty), tea.WithoutSignalHandler(), tea.WithFilter(filter)); err != nil ||
		ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	testkit.Is(t, strings.Trim(pressed, "q"), "", "an answer was taken for keys", pressed)
	_ = tty.Close()
	_ = master.Close()
	reading.Wait()
	before, shown, _ = strings.Cut(seen.String(), enterAlt+hideCursor)
	return before, shown
}

// TestTheGroundIsAskedBeforeTheFirstFrame holds that a terminal that answers at once gets
// its own theme with the first frame, one that is late gets it then, and one that never
// answers is not waited for. No byte of an answer reaches the screen as a key.
func TestTheGroundIsAskedBeforeTheFirstFrame(t *testing.T) {
	text := func(dark bool) string { // a style of the theme for that background
		s := surface{dark: dark}
		s.theme("", themes.TrueColor)
		return s.palette.SGR(themes.Accent)
	}
	dark, light := text(true), text(false)
	for _, c := range []struct {
		name   string
		after  string // what it answers to; "": nothing
		within time.Duration
		want   string // shown at the end
		first  bool   // from the first frame on
	}{
		// a busy machine may need more than groundWithin
		{"at once", ansi.RequestBackgroundColor, 10 * time.Second, light, true},
		{"late", dark, groundWithin, light, false},
		{"never", "", groundWithin, dark, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before, shown := background(t, c.after, c.within, c.want)
			testkit.Has(t, before, ansi.RequestBackgroundColor)
			other := map[string]string{light: dark, dark: light}[c.want]
			has := strings.Contains(shown, other)
			testkit.That(t, has != c.first, "the other theme was shown: %v", has)
			testkit.That(t, !strings.Contains(shown, "fbfb") && !strings.Contains(shown, "rgb:"), "the answer was shown")
		})
	}
}
