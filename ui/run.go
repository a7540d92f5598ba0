package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tokscope/themes"
)

// ErrInterrupted is what Run returns when the terminal is closed, and after a
// SIGINT that Bubble Tea handled. ctrl+c as a key quits without an error.
var ErrInterrupted = tea.ErrInterrupted

// Run shows the interface on the terminal until the person quits or ctx ends;
// both return nil. It returns ErrInterrupted when the terminal is closed. It
// also returns the error of an unusable terminal or of a panic, after it
// restored the terminal. opts follow the program's own options; the output is
// that of Options. A Model runs once.
func (m *Model) Run(ctx context.Context, opts ...tea.ProgramOption) error {
	defer m.close.Do(func() { close(m.closed) })
	defer func() { m.screens.shown().Leave() }()
	options := []tea.ProgramOption{
		tea.WithFPS(modesPerSecond),
		tea.WithColorProfile(teaProfile(m.opt.Profile)),
		tea.WithFilter(filter),
	}
	t := newTerminal(m.opt.output(), m.Notify)
	defer t.close()
	options = append(append(options, opts...), tea.WithOutput(t.teaOutput()))
	// The end of ctx is a message like a key: a program whose own context ends
	// is killed by Bubble Tea, which then closes its input under the reader.
	var p *tea.Program
	var hungUp atomic.Bool
	options = append([]tea.ProgramOption{tea.WithInput(hearing{os.Stdin, func() {
		if !hungUp.Swap(true) {
			go p.Send(leaveMsg{})
		}
	}})}, options...)
	p = tea.NewProgram(onTerminal{m, t}, options...)
	defer restoreOnQuit(p.ReleaseTerminal)()
	defer context.AfterFunc(ctx, func() { p.Send(leaveMsg{}) })()
	err := apart(m.opt.Yield, func() error {
		_, err := p.Run()
		return err
	})
	switch {
	case err == nil && hungUp.Load() && ctx.Err() == nil, errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case err == nil:
		return nil
	}
	return fmt.Errorf("terminal interface: %w", err)
}

// apart runs f on a goroutine whose thread yields, if yield is set. The
// caller's own thread keeps its priority.
func apart(yield func(), f func() error) error {
	if yield == nil {
		return f()
	}
	done := make(chan error, 1)
	go func() {
		yield()
		done <- f()
	}()
	return <-done
}

// teaProfile keeps Bubble Tea from removing colors of the palette or adding
// any.
func teaProfile(p themes.Profile) colorprofile.Profile {
	switch p {
	case themes.TrueColor:
		return colorprofile.TrueColor
	case themes.ANSI256:
		return colorprofile.ANSI256
	case themes.ANSI16:
		return colorprofile.ANSI
	}
	return colorprofile.ASCII
}
