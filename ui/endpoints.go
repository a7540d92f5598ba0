package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
)

// Answers of the backend to a dialog. Each carries the number of its
// question; answers to older questions are ignored.
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

// Time limits of the questions. A person does not wait longer.
const (
	endpointsWithin = 3 * time.Second
	modelsWithin    = 10 * time.Second
)

// search is the question under way.
type choice struct {
	id     int
	cancel context.CancelFunc
}

// safely runs f as a command. A panic in f becomes a message and does not end
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
