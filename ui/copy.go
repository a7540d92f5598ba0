package ui

import (
	"context"
	"fmt"
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

// saving calls to, which writes the results. b writes text beside them, into a file
// with ending ext, unless it is "".
func saving(b Backend, to func(context.Context) (string, error), text, ext string) tea.Cmd {
	return safely(func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		path, err := to(ctx)
		if err == nil && text != "" {
			path, err = b.SaveText(ctx, path, ext, []byte(text))
		}
		return savedMsg{path, text, err}
	})
}

func (m *Model) onSaved(msg savedMsg) tea.Cmd {
	switch {
	case msg.err != nil && msg.text != "":
		return tea.Batch(tea.SetClipboard(msg.text), m.complain(fmt.Errorf("copied, but not saved: %w", msg.err)))
	case msg.err != nil:
		return m.complain(fmt.Errorf("not saved: %w", msg.err))
	case msg.text != "":
		return tea.Batch(tea.SetClipboard(msg.text), m.say("copied; saved to "+msg.path))
	}
	return m.say("saved " + msg.path)
}
