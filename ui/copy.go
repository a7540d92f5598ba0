package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// savedMsg holds where the results are. text goes to the clipboard; it is ""
// when only saving was asked for.
type savedMsg struct {
	path, text string
	err        error
}

// saveWithin limits the time for writing the results.
const saveWithin = 10 * time.Second

func (s *Model) save() tea.Cmd { return s.saving(s.back.Save) }

// saving says where to wrote the results.
func (m *Model) saving(to func(context.Context) (string, error)) tea.Cmd {
	return safely(func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		path, err := to(ctx)
		return savedMsg{path: path, err: err}
	})
}

// copyRun copies the summary of the last ended run. Terminals do not say
// whether they took it (tmux, by default, does not), so the same text is
// written to a file beside the results.
func (m *Model) copyRun() tea.Cmd {
	if len(m.view.Runs) == 0 {
		return nil
	}
	text := Markdown(m.view.Runs[len(m.view.Runs)-1])
	return safely(func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		path, err := m.back.Save(ctx)
		if err == nil {
			path = strings.TrimSuffix(path, filepath.Ext(path)) + ".md"
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		return savedMsg{path, text, err}
	})
}

func (m *Model) onSaved(msg savedMsg) tea.Cmd {
	switch {
	case msg.err != nil && msg.text != "":
		return tea.Batch(tea.SetClipboard(msg.text), m.complain(fmt.Errorf("sent to the clipboard, but not written: %w", msg.err)))
	case msg.err != nil:
		return m.complain(fmt.Errorf("not saved: %w", msg.err))
	case msg.text != "":
		return tea.Batch(tea.SetClipboard(msg.text), m.say("sent to the clipboard, and written to "+msg.path))
	}
	return m.say("saved " + msg.path)
}
