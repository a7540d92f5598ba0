package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/dialog"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// Time limits of the questions. A person does not wait longer.
const (
	endpointsWithin = 3 * time.Second
	modelsWithin    = 10 * time.Second
)

// choice handles the choice of an endpoint and a model. It holds the pending
// question to the backend; answers to older questions are ignored.
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
	d := dialog.NewEndpoints(c.m.back.Endpoint(), c.m.spin)
	d.Typed = c.m.back.Typed
	c.m.open(d, nil)
	ctx, end, id := c.ask(endpointsWithin)
	return c.askEndpoints(ctx, end, id)
}

// all asks for the endpoints and, beside that, for the models of the one in
// use.
func (c *choice) all() tea.Cmd {
	ctx, _, id := c.ask(modelsWithin) // ends when the palette closes, or in time
	within, end := context.WithTimeout(ctx, endpointsWithin)
	return tea.Batch(c.askEndpoints(within, end, id), c.askModels(ctx, func() {}, id, c.m.back.Endpoint()))
}

// models lists the models of e.
func (c *choice) models(e metrics.Endpoint) tea.Cmd {
	c.m.open(dialog.NewModels(e, c.m.spin), nil)
	ctx, end, id := c.ask(modelsWithin)
	return c.askModels(ctx, end, id, e)
}

func (c *choice) askEndpoints(ctx context.Context, end func(), id int) tea.Cmd {
	return c.answered(end, id, func() func() {
		all := c.m.back.Endpoints(ctx)
		return func() {
			c.known.endpoints = all
			switch d := c.m.stack.top().(type) {
			case *dialog.Endpoints:
				d.Found(all)
			case *dialog.Palette:
				d.Endpoints(all)
			}
		}
	})
}

// answered asks off the interface's goroutine, and lets the answer to question id be
// used unless a newer one replaced that.
func (c *choice) answered(end func(), id int, ask func() (use func())) tea.Cmd {
	return c.m.safely(func() screen.Reply {
		defer end()
		use := ask()
		return func() tea.Cmd {
			if id == c.id {
				use()
			}
			return nil
		}
	})
}

func (c *choice) askModels(ctx context.Context, end func(), id int, e metrics.Endpoint) tea.Cmd {
	return c.answered(end, id, func() func() {
		names, err := c.m.back.Models(ctx, e)
		return func() {
			if err == nil {
				c.known.of, c.known.models = e, names
			}
			switch d := c.m.stack.top().(type) {
			case *dialog.Models:
				if err != nil {
					d.Fail(err.Error())
				} else {
					d.Found(names)
				}
			case *dialog.Palette:
				d.Models(c.known.of, c.known.models)
			}
		}
	})
}

// choose makes e the endpoint of the next request. It runs off the
// interface's goroutine, since the backend may look things up.
func (c *choice) choose(e metrics.Endpoint) tea.Cmd {
	m := c.m
	return m.safely(func() screen.Reply {
		err := m.back.Select(e)
		return func() tea.Cmd {
			m.sample(true)
			if err != nil {
				return m.complain(err)
			}
			return nil
		}
	})
}

// curl makes a pasted curl command the next request, after a yes where it reads
// something.
func (c *choice) curl(a dialog.UseCurl) tea.Cmd {
	m := c.m
	use := func(answer dialog.Act) tea.Cmd {
		if _, yes := answer.(dialog.Confirmed); !yes {
			return nil
		}
		c.cancel()
		m.stack = m.stack[:0]
		return tea.Batch(m.screens.broadcast(screen.EndpointChanges{}), m.safely(func() screen.Reply {
			w, notes, err := m.back.UseCurl(a.Text)
			return func() tea.Cmd {
				m.sample(true)
				if err != nil {
					return m.complain(err)
				}
				told := m.say(strings.Join(append(notes, "the next request is that of the command"), "; "))
				return tea.Batch(m.screens.broadcast(screen.WorkChanges{Work: w}), told)
			}
		}))
	}
	if len(a.Reads) == 0 {
		return use(dialog.Confirmed{})
	}
	m.open(dialog.NewConfirm("confirm", say.PastedReads(a.Reads, a.Endpoint.URL)), use)
	return nil
}

// safely runs f as a command and draws a frame after its reply. A panic in f is
// reported and does not end the program.
func (m *Model) safely(f func() screen.Reply) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = screen.Reply(func() tea.Cmd { return m.complain(fmt.Errorf("a bug in tokscope: %v", r)) })
			}
		}()
		then := f()
		return screen.Reply(func() tea.Cmd {
			m.dirty = true
			return then()
		})
	}
}
