package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// Options configures the interface. The zero value works: a dark or light
// theme by the terminal's background, no color, mouse off.
type Options struct {
	// Theme is a theme's name; "" follows the terminal's background.
	Theme   string
	Profile themes.Profile
	ASCII   bool
	// ReducedMotion draws four frames a second, without fades.
	ReducedMotion bool
	// Mouse captures the mouse from the beginning.
	Mouse bool
	// FPS is the rate of the frame clock while something moves; 0 is 30. Use
	// FPSFor to lower it over SSH.
	FPS int
	// Screens configures the screens.
	Screens screen.Options
	// Output is the terminal; nil is os.Stdout.
	Output io.Writer
	// Yield, when set, lowers the priority of the calling goroutine's thread.
	// The interface calls it where it draws and writes, so that drawing never
	// delays a reader of the network.
	Yield func()
	// Start starts the first screen as soon as the interface is open. First
	// names another screen to start instead.
	Start bool
	First screen.Name
}

// Rates of the interface.
const (
	// framesPerSecond makes arriving text look continuous. A higher rate is not
	// seen and takes time from the readers.
	framesPerSecond = 30
	// flushesPerSecond is the most frames that are written. A key that follows
	// another one is seen within 17 ms.
	flushesPerSecond = 60
	// modesPerSecond is how often Bubble Tea looks for changed modes of the
	// terminal, also when nothing moves. A cursor or the mouse come on within
	// 100 ms.
	modesPerSecond = 10
	// framesOverSSH is lower: frames are not synchronized there, and each costs
	// a packet.
	framesOverSSH = 15
	// framesReduced is for people whom motion disturbs. Frames come as often as
	// figures change.
	framesReduced = 4
)

// FPSFor returns the frame rate for an environment: lower over SSH.
func FPSFor(env func(string) string) int {
	return format.Either(env("SSH_TTY") != "", framesOverSSH, framesPerSecond)
}

func (o Options) output() io.Writer {
	if o.Output == nil {
		return os.Stdout
	}
	return o.Output
}

func (o Options) fps() int {
	switch {
	case o.ReducedMotion:
		return framesReduced
	case o.FPS > 0:
		return min(o.FPS, 60)
	}
	return framesPerSecond
}

// ErrInterrupted is what Run returns when the terminal is closed, and after a
// SIGINT that Bubble Tea handled. ctrl+c as a key quits without an error.
var ErrInterrupted = tea.ErrInterrupted

// ErrStuck is what Run returns when ctx has ended and the terminal still takes no
// output: it was paused with ctrl+s, or its connection hangs. Nothing more can be
// written to it.
var ErrStuck = errors.New("the terminal takes no output")

// stuckAfter is how long the terminal may take to be restored after the end of ctx.
const stuckAfter = 2 * time.Second

// Run shows the interface on the terminal until the person quits or ctx ends;
// both return nil. It returns ErrInterrupted when the terminal is closed. It
// also returns the error of an unusable terminal or of a panic, after it
// restored the terminal, and ErrStuck. opts follow the program's own options; the output is
// that of Options. A Model runs once.
func (m *Model) Run(ctx context.Context, opts ...tea.ProgramOption) error {
	defer m.close.Do(func() { close(m.closed) })
	options := []tea.ProgramOption{
		tea.WithFPS(modesPerSecond),
		tea.WithColorProfile(colorprofile.TrueColor), // its frame has no color; it would ask the environment
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return m.filter(msg) }),
	}
	t := &terminal{out: m.opt.output(), changed: m.Notify, lost: true}
	if f, ok := m.opt.output().(*os.File); ok && term.IsTerminal(f.Fd()) {
		m.askGround = t.askGround
	}
	options = append(append(options, opts...), tea.WithOutput(t.teaOutput()))
	// The end of ctx is a message like a key: a program whose own context ends
	// is killed by Bubble Tea, which then closes its input under the reader.
	var p *tea.Program
	var hungUp atomic.Bool
	options = append([]tea.ProgramOption{tea.WithInput(hearing{os.Stdin, func() {
		if !hungUp.Swap(true) {
			go p.Send(screen.Reply(m.quit))
		}
	}})}, options...)
	p = tea.NewProgram(onTerminal{m, t}, options...)
	defer restoreOnQuit(p.ReleaseTerminal)()
	defer context.AfterFunc(ctx, func() { p.Send(screen.Reply(m.quit)) })()
	restore := keepMode(os.Stdin)
	ended := apart(m.opt.Yield, func() error {
		_, err := p.Run()
		return err
	})
	err := await(ctx, ended, m.patience)
	if errors.Is(err, ErrStuck) {
		restore() // all else would wait for the terminal
		return err
	}
	m.screens.shown().Leave()
	t.close()
	switch {
	case err == nil && hungUp.Load() && ctx.Err() == nil, errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case err == nil:
		return nil
	}
	return fmt.Errorf("terminal interface: %w", err)
}

// apart runs f on a goroutine, whose thread yields if yield is set, and returns
// where its result arrives. The caller's own thread keeps its priority.
func apart(yield func(), f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		if yield != nil {
			yield()
		}
		done <- f()
	}()
	return done
}

// await returns the result, or ErrStuck if it is not there within patience after
// the end of ctx.
func await(ctx context.Context, result <-chan error, patience time.Duration) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-result:
		return err
	case <-time.After(patience):
		return ErrStuck
	}
}

// keepMode returns a function that gives f the mode that it has now, if it is a
// terminal. It does not wait for output.
func keepMode(f *os.File) (restore func()) {
	mode, err := term.GetState(f.Fd())
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(f.Fd(), mode) }
}
