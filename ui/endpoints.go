package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
)

// Answers of the backend to what a dialog asked. Each carries the number of
// the question: an answer to an older one is ignored.
type (
	endpointsMsg struct {
		id  int
		all []metrics.Endpoint
	}
	modelsMsg struct {
		id    int
		names []string
		err   error
	}
	selectedMsg struct{ err error }
)

// Bounds of the questions: a person who waits longer has gone on.
const (
	endpointsWithin = 3 * time.Second
	modelsWithin    = 10 * time.Second
)

// search is the question under way.
type choice struct {
	id     int
	cancel context.CancelFunc
}

// safely runs f as a command; a panic in it becomes a message, not the end of
// the program.
func safely(f func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = selectedMsg{fmt.Errorf("a bug in tokscope: %v", r)}
			}
		}()
		return f()
	}
}
