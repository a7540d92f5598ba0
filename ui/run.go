package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tokscope/themes"
)

// ErrInterrupted is what Run returns after SIGINT; ctrl+c as a key is a quit.
var ErrInterrupted = tea.ErrInterrupted

// Run shows the interface on the terminal until the person quits or ctx ends;
// both, and SIGTERM, return nil. After SIGINT it returns ErrInterrupted. It
// returns the error of a terminal that cannot be used and of a panic, after the
// terminal has been restored. opts come after the program's own options. A
// Model runs once.
func (m *Model) Run(ctx context.Context, opts ...tea.ProgramOption) error {
	defer m.close.Do(func() { close(m.gone) })
	own := []tea.ProgramOption{
		tea.WithContext(ctx),
		tea.WithFPS(max(m.opt.fps(), framesPerSecond)), // the flush keeps up with keys even when the frame clock is slow
		tea.WithColorProfile(teaProfile(m.opt.Profile)),
		tea.WithFilter(filter),
	}
	_, err := tea.NewProgram(m, append(own, opts...)...).Run()
	switch {
	case err == nil || ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic):
		return nil
	case errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	}
	return fmt.Errorf("terminal interface: %w", err)
}

// teaProfile keeps Bubble Tea from taking colours away that the palette was
// made for, or from adding any.
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
