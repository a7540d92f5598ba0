package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/dialog"
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
		of    metrics.Endpoint
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

// choice handles the choice of an endpoint and a model. It holds the pending
// question to the backend.
type choice struct {
	m    *Model
	id   int
	stop context.CancelFunc
	// known are the last answers: endpoints, and the models of one of them.
	known struct {
		endpoints []metrics.Endpoint
		of        metrics.Endpoint
		models    []string
	}
}

// cancel cancels the pending question.
func (c *choice) cancel() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
	c.id++
}

// ask starts a question and replaces the pending one.
func (c *choice) ask(within time.Duration) (ctx context.Context, end context.CancelFunc, id int) {
	c.cancel()
	ctx, end = context.WithTimeout(context.Background(), within)
	c.stop = end
	return ctx, end, c.id
}

// endpoints lists the endpoints.
func (c *choice) endpoints() tea.Cmd {
	c.m.open(dialog.NewEndpoints(c.m.back.Endpoint(), c.m.spin), nil)
	ctx, end, id := c.ask(endpointsWithin)
	return askEndpoints(ctx, end, c.m.back, id)
}

// all asks for the endpoints and, beside that, for the models of the one in
// use.
func (c *choice) all() tea.Cmd {
	ctx, _, id := c.ask(modelsWithin) // ends when the palette closes, or in time
	within, end := context.WithTimeout(ctx, endpointsWithin)
	return tea.Batch(askEndpoints(within, end, c.m.back, id), askModels(ctx, func() {}, c.m.back, id, c.m.back.Endpoint()))
}

// models lists the models of e.
func (c *choice) models(e metrics.Endpoint) tea.Cmd {
	c.m.open(dialog.NewModels(e, c.m.spin), nil)
	ctx, end, id := c.ask(modelsWithin)
	return askModels(ctx, end, c.m.back, id, e)
}

func askEndpoints(ctx context.Context, end func(), b Backend, id int) tea.Cmd {
	return safely(func() tea.Msg {
		defer end()
		return endpointsMsg{id, b.Endpoints(ctx)}
	})
}

func askModels(ctx context.Context, end func(), b Backend, id int, e metrics.Endpoint) tea.Cmd {
	return safely(func() tea.Msg {
		defer end()
		names, err := b.Models(ctx, e)
		return modelsMsg{id, e, names, err}
	})
}

// choose makes e the endpoint of the next request. It runs off the
// interface's goroutine, since the backend may look things up.
func (c *choice) choose(e metrics.Endpoint) tea.Cmd {
	b := c.m.back
	return safely(func() tea.Msg { return selectedMsg{b.Select(e)} })
}

// answered passes an answer to the dialog that waits for it.
func (c *choice) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case endpointsMsg:
		if msg.id != c.id {
			return nil
		}
		c.known.endpoints = msg.all
		switch d := c.m.stack.top().(type) {
		case *dialog.Endpoints:
			d.Found(msg.all)
		case *dialog.Palette:
			d.Endpoints(msg.all)
		}
	case modelsMsg:
		if msg.id != c.id {
			return nil
		}
		if msg.err == nil {
			c.known.of, c.known.models = msg.of, msg.names
		}
		switch d := c.m.stack.top().(type) {
		case *dialog.Models:
			if msg.err != nil {
				d.Fail(msg.err.Error())
			} else {
				d.Found(msg.names)
			}
		case *dialog.Palette:
			d.Models(c.known.of, c.known.models)
		}
	case selectedMsg:
		c.m.sample(true)
		if msg.err != nil {
			return c.m.complain(msg.err)
		}
	}
	return nil
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
