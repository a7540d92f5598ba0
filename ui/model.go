package ui

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Model is the root of the interface: it routes messages and lays out the
// frame. It belongs to Bubble Tea's goroutine; only Notify may be called by
// others.
type Model struct {
	back Backend
	opt  Options

	wake  chan struct{}
	gone  chan struct{}
	close sync.Once
}

// New returns the interface over b, not yet running.
func New(b Backend, o Options) *Model {
	return &Model{back: b, opt: o, wake: make(chan struct{}, 1), gone: make(chan struct{})}
}

// Run shows the interface on the terminal until the person quits or ctx ends;
// both return nil. It returns the error of a terminal that cannot be used and
// of a panic, after the terminal has been restored.
func (m *Model) Run(ctx context.Context, opts ...tea.ProgramOption) error {
	defer m.close.Do(func() { close(m.gone) })
	_, err := tea.NewProgram(m, append([]tea.ProgramOption{tea.WithContext(ctx)}, opts...)...).Run()
	if err != nil && (ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return m.listen() }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case changedMsg:
		return m, m.listen()
	case tea.KeyPressMsg:
		return m, tea.Quit
	}
	return m, nil
}

// View implements tea.Model.
func (m *Model) View() tea.View { return tea.NewView("") }
