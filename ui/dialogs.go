package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/dialog"
	"tokscope/ui/prompts"
)

func (s *Model) top() dialog.Dialog {
	if len(s.dialogs) == 0 {
		return nil
	}
	return s.dialogs[len(s.dialogs)-1]
}

func (m *Model) open(d dialog.Dialog) {
	m.dialogs = append(m.dialogs, d)
	m.dirty = true
}

// leave closes the top dialog and what it asked for.
func (m *Model) leave() {
	if len(m.dialogs) > 0 {
		m.dialogs = m.dialogs[:len(m.dialogs)-1]
	}
	m.ask()
	m.dirty = true
}

// ask cancels the question under way and returns the number of the next.
func (c *Model) ask() int {
	if c.search.cancel != nil {
		c.search.cancel()
		c.search.cancel = nil
	}
	c.search.id++
	return c.search.id
}

func (s *Model) openEditor() {
	s.loadEditor()
	s.open(s.editor)
}

func (m *Model) openEndpoints() tea.Cmd {
	m.open(dialog.NewEndpoints(m.back.Endpoint(), m.spin))
	id := m.ask()
	ctx, end := context.WithTimeout(context.Background(), endpointsWithin)
	m.search.cancel = end
	return safely(func() tea.Msg {
		defer end()
		return endpointsMsg{id, m.back.Endpoints(ctx)}
	})
}

func (m *Model) openModels(e metrics.Endpoint) tea.Cmd {
	m.open(dialog.NewModels(e, m.spin))
	id := m.ask()
	ctx, end := context.WithTimeout(context.Background(), modelsWithin)
	m.search.cancel = end
	return safely(func() tea.Msg {
		defer end()
		names, err := m.back.Models(ctx, e)
		return modelsMsg{id, names, err}
	})
}

// onAnswer gives an answer to the dialog that waits for it.
func (m *Model) onAnswer(msg tea.Msg) tea.Cmd {
	m.dirty = true
	switch msg := msg.(type) {
	case endpointsMsg:
		if d, ok := m.top().(*dialog.Endpoints); ok && msg.id == m.search.id {
			d.Found(msg.all)
		}
	case modelsMsg:
		d, ok := m.top().(*dialog.Models)
		switch {
		case !ok || msg.id != m.search.id:
		case msg.err != nil:
			d.Fail(msg.err.Error())
		default:
			d.Found(msg.names)
		}
	case selectedMsg:
		m.sample(true)
		if msg.err != nil {
			return m.complain(msg.err)
		}
	case savedMsg:
		return m.onSaved(msg)
	}
	return nil
}

// act does what a dialog asks for.
func (m *Model) act(a dialog.Act) tea.Cmd {
	switch a := a.(type) {
	case dialog.Closed:
		err := m.keepText()
		m.leave()
		m.applyTheme(m.opt.Theme) // takes back a preview
		if err != nil {
			return m.say("the lengths stay as they were: " + err.Error())
		}
	case dialog.RunPrompt:
		m.leave()
		if err := m.keepText(); err != nil {
			return m.complain(err)
		}
		if m.load.on {
			return m.start()
		}
		return m.begin(m.work)
	case dialog.UseEndpoint:
		return m.openModels(a.Endpoint)
	case dialog.UseModel:
		m.ask()
		m.dialogs = m.dialogs[:0]
		e := a.Endpoint
		e.Model = a.Model
		m.quitLoad()
		return m.choose(e)
	case dialog.Confirmed:
		return m.answered(true)
	case dialog.Declined:
		return m.answered(false)
	case dialog.UseObjectives:
		m.leave()
		m.setObjectives(a.SLOs)
	case dialog.UseKnobs:
		m.leave()
		return m.setKnobs(a.Knobs)
	case dialog.UseLesson:
		m.leave()
		m.lesson(a.Number)
	case dialog.UseTask:
		m.leave()
		m.view.Task = a.Task
	case dialog.UseLength:
		m.leave()
		return m.setLength(a.MaxTokens)
	case dialog.PreviewTheme:
		m.applyTheme(a.Name)
	case dialog.UseTheme:
		m.leave()
		m.opt.Theme = a.Name
		m.applyTheme(a.Name)
	}
	return nil
}

// loadEditor puts the workload of the screen that is shown into the editor.
func (s *Model) loadEditor() {
	if l := &s.load; l.on {
		s.editor.LoadLengths(l.work, l.input, l.output)
		return
	}
	s.editor.Load(s.work)
}

// keepText takes over what was written in the editor, so that the next run
// sends it. The chosen length and connection stay unless a preset brings its
// own length; the lengths of a load are written in the editor too. The error
// says which of them cannot be read: they stay as they were.
func (m *Model) keepText() error {
	w, now := m.editor.Workload(), m.editing()
	in, out, lengths, err := m.editor.Lengths()
	if w.Prompt == "" || !lengths && w.Prompt == now.Prompt && w.InputTokens == now.InputTokens {
		return nil
	}
	w.System, w.Connection = now.System, now.Connection
	w.Temperature, w.Seed = now.Temperature, now.Seed
	switch {
	case err != nil:
		w.InputTokens, w.MaxTokens = now.InputTokens, now.MaxTokens
	case lengths:
		m.load.input, m.load.output = drawn(in), drawn(out)
	case w.Name == prompts.Custom || w.MaxTokens == 0:
		w.MaxTokens = now.MaxTokens
	}
	*now = w
	return err
}

// drawn is l where it varies; what does not is a part of the workload.
func drawn(l metrics.Lengths) metrics.Lengths {
	if !l.Varies() {
		return metrics.Lengths{}
	}
	return l
}

// editing is the workload of the screen that is shown.
func (m *Model) editing() *metrics.Workload {
	if m.load.on {
		return &m.load.work
	}
	return &m.work
}

// choose makes e the endpoint of the next request. The backend may look
// things up for it, so it is not asked on the interface's goroutine.
func (m *Model) choose(e metrics.Endpoint) tea.Cmd {
	return safely(func() tea.Msg { return selectedMsg{m.back.Select(e)} })
}
