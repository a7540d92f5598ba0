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

func (c *choice) cancel() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
	c.id++
}

// ask puts questions off the interface's goroutine, in place of the pending ones. What a
// question returns uses the answer, unless newer questions have replaced it.
func (c *choice) ask(within time.Duration, questions ...func(context.Context) (use func())) tea.Cmd {
	c.cancel()
	ctx, stop := context.WithTimeout(context.Background(), within)
	c.stop = stop
	id, asked := c.id, make([]tea.Cmd, len(questions))
	for i, question := range questions {
		asked[i] = c.m.safely(func() screen.Reply {
			use := question(ctx)
			return func() tea.Cmd {
				if id == c.id {
					use()
				}
				return nil
			}
		})
	}
	return tea.Batch(asked...)
}

func (c *choice) endpoints() tea.Cmd {
	d := dialog.NewEndpoints(c.m.back.Endpoint(), c.m.spin)
	d.Typed = c.m.back.Typed
	c.m.open(d, nil)
	return c.ask(endpointsWithin, c.askEndpoints)
}

func (c *choice) models(e metrics.Endpoint) tea.Cmd {
	c.m.open(dialog.NewModels(e, c.m.spin), nil)
	return c.ask(modelsWithin, c.modelsOf(e))
}

func (c *choice) askEndpoints(ctx context.Context) (use func()) {
	ctx, end := context.WithTimeout(ctx, endpointsWithin)
	defer end()
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
}

func (c *choice) modelsOf(e metrics.Endpoint) func(context.Context) (use func()) {
	return func(ctx context.Context) func() {
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
	}
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
