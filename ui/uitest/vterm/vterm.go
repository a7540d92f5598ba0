//go:build !windows

// Package vterm runs a program in a virtual terminal. It types, waits for
// words on the screen, resizes, and returns the screen as text or as a
// picture. The journeys and the pictures of the README use it.
package vterm

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Term is a running program in its own terminal.
type Term struct {
	cmd  *exec.Cmd
	pty  *os.File
	done chan struct{} // the program has ended
	read chan struct{} // all output was read
	pump sync.WaitGroup
	once sync.Once

	mu     sync.Mutex
	vt     *vt.Emulator
	raw    bytes.Buffer // everything the program wrote
	paused bool
	reads  []time.Time // of the output since Pause
	text   string      // of the screen, while drawn
	drawn  bool        // nothing was written since text was made
}

// Start runs cmd in a dark terminal of cols by rows cells. The caller must
// close it.
func Start(cmd *exec.Cmd, cols, rows int) (*Term, error) {
	return StartOn(color.Black, true, cmd, cols, rows)
}

// StartOn is Start in a terminal of another background. The terminal reports
// that background when asked, if it answers questions at all.
func StartOn(background color.Color, answers bool, cmd *exec.Cmd, cols, rows int) (*Term, error) {
	x := &Term{cmd: cmd, vt: vt.NewEmulator(cols, rows), done: make(chan struct{}), read: make(chan struct{})}
	x.vt.SetDefaultBackgroundColor(background)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		return nil, fmt.Errorf("start in a terminal: %w", err)
	}
	x.pty = f
	x.pump.Go(func() { // the program's output
		defer close(x.read)
		buf := make([]byte, 64<<10)
		for {
			n, err := f.Read(buf)
			x.mu.Lock()
			x.raw.Write(buf[:n])
			if x.paused {
				x.reads = append(x.reads, time.Now())
			} else {
				_, _ = x.vt.Write(buf[:n])
				x.drawn = false
			}
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	to := io.Discard
	if answers {
		to = f
	}
	x.pump.Go(func() { _, _ = io.Copy(to, x.vt) }) // the terminal's answers
	go func() {
		_ = cmd.Wait()
		close(x.done)
	}()
	return x, nil
}

// Close kills the program if it still runs and frees the terminal. A second
// Close does nothing.
func (x *Term) Close() { x.once.Do(x.end) }

func (x *Term) end() {
	_ = x.cmd.Process.Kill()
	<-x.done
	_ = x.pty.Close()
	// The emulator's own Close does not end a waiting Read; closing its answers
	// does.
	if answers, ok := x.vt.InputPipe().(io.Closer); ok {
		_ = answers.Close()
	}
	x.pump.Wait()
	_ = x.vt.Close()
}

// Pause detaches the emulator, for measurements of the program. The program's
// output is read at once and stored, at almost no cost. Screen stays as it
// is, and no question of the program is answered.
func (x *Term) Pause() {
	x.mu.Lock()
	x.paused, x.reads = true, nil
	x.mu.Unlock()
}

// Resume ends a Pause and returns when the output was read since. It is not
// drawn, since that can take longer than the pause. The program must redraw
// everything, as after a Resize.
func (x *Term) Resume() (reads []time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	reads, x.paused, x.reads = x.reads, false, nil
	return reads
}

// HangUp closes the terminal under the program, as closing its window does.
func (x *Term) HangUp() error { return x.pty.Close() }

// Screen is the visible text, without colors and trailing blanks.
func (x *Term) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.drawn {
		return x.text
	}
	lines := strings.Split(x.vt.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	x.text, x.drawn = strings.TrimRight(strings.Join(lines, "\n"), "\n"), true
	return x.text
}

// Written is the program's whole output, including escape sequences.
func (x *Term) Written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// Forget drops what the program wrote so far from Written and Left, for programs
// that draw for many minutes.
func (x *Term) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw, x.reads = bytes.Buffer{}, nil
}

// AltScreen reports whether the alternate screen is shown.
func (x *Term) AltScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.vt.IsAltScreen()
}

// modes are what a program may switch on and must switch off again.
var modes = []struct{ number, name string }{
	{"?1049", "the alternate screen"}, {"?1000", "mouse clicks"}, {"?1002", "mouse drags"}, {"?1003", "mouse moves"},
	{"?1006", "SGR mouse"}, {"?2004", "bracketed paste"}, {"?1004", "focus reports"},
}

// Left returns what a program that has ended did not give back, a sentence for
// each: the alternate screen, modes, the cursor. Nil is an intact terminal.
func (x *Term) Left() []string {
	var left []string
	if x.AltScreen() {
		left = append(left, "the terminal was left in the alternate screen")
	}
	raw := x.Written()
	for _, m := range modes {
		if strings.LastIndex(raw, "\x1b["+m.number+"h") > strings.LastIndex(raw, "\x1b["+m.number+"l") {
			left = append(left, m.name+" was left on")
		}
	}
	if strings.LastIndex(raw, "\x1b[?25l") > strings.LastIndex(raw, "\x1b[?25h") {
		left = append(left, "the cursor was left hidden")
	}
	return left
}

// Wait polls ok until it is true. After limit it returns an error with the
// screen.
func (x *Term) Wait(what string, limit time.Duration, ok func() bool) error {
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("waited in vain for %s; the screen:\n%s", what, x.Screen())
		}
	}
	return nil
}

// Until waits until all texts are on the screen.
func (x *Term) Until(limit time.Duration, texts ...string) error {
	return x.Wait(fmt.Sprintf("%q on the screen", texts), limit, func() bool {
		s := x.Screen()
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(s, text) })
	})
}

// sequences are the key names of Keys.
var sequences = map[string]string{
	"<esc>": "\x1b", "<enter>": "\r", "<tab>": "\t", "<up>": "\x1b[A",
	"<down>": "\x1b[B", "<right>": "\x1b[C", "<left>": "\x1b[D",
	"<ctrl+c>": "\x03", "<ctrl+s>": "\x13", "<ctrl+r>": "\x12", "<ctrl+t>": "\x14", "<ctrl+u>": "\x15", "<ctrl+z>": "\x1a",
	"<backspace>": "\x7f", "<space>": " ", "<home>": "\x1b[H", "<end>": "\x1b[F",
}

// word is a key of a step, in quotes if it has spaces.
var word = regexp.MustCompile(`"[^"]*"|\S+`)

// Step returns what a step says: keys for Keys, and after " > " the texts for Until,
// between bars.
func Step(step string) (keys, texts []string) {
	pressed, wanted, waits := strings.Cut(" "+step, " > ")
	for _, w := range word.FindAllString(pressed, -1) {
		keys = append(keys, strings.Trim(w, `"`))
	}
	if waits {
		texts = strings.Split(wanted, " | ")
	}
	return keys, texts
}

// Keys types plain texts and keys of the table above, with short pauses: an
// escape must not join the next key.
func (x *Term) Keys(keys ...string) error {
	for _, k := range keys {
		if seq, ok := sequences[k]; ok {
			k = seq
		}
		if _, err := io.WriteString(x.pty, k); err != nil {
			return fmt.Errorf("type %q: %w", k, err)
		}
		time.Sleep(60 * time.Millisecond)
	}
	return nil
}

// Type sends bytes unchanged, without a pause.
func (x *Term) Type(s string) error {
	_, err := io.WriteString(x.pty, s)
	return err
}

// Resize changes the terminal's size under the running program.
func (x *Term) Resize(cols, rows int) error {
	x.mu.Lock()
	x.vt.Resize(cols, rows)
	x.drawn = false
	x.mu.Unlock()
	return pty.Setsize(x.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
}

// Signal sends sig to the program.
func (x *Term) Signal(sig os.Signal) error { return x.cmd.Process.Signal(sig) }

// drained limits how long Exit waits for the last output. A child of the
// program may hold the terminal open.
const drained = 2 * time.Second

// Exit waits for the program's end and its last output, and returns its exit
// code.
func (x *Term) Exit(limit time.Duration) (int, error) {
	select {
	case <-x.done:
		select {
		case <-x.read:
		case <-time.After(drained):
		}
		return x.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
		return 0, fmt.Errorf("the program does not end; the screen:\n%s", x.Screen())
	}
}

// Pid is the id of the program's process.
func (x *Term) Pid() int { return x.cmd.Process.Pid }
