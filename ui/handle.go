package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/screen/live"
)

// context is where the keys go.
func (m *Model) context() keys.Context {
	if d := m.top(); d != nil {
		return d.Context()
	}
	switch {
	case m.explain.on:
		return keys.Explain
	case m.load.on:
		return keys.Load
	case m.load.lane > 0:
		return keys.Lane
	}
	return keys.Live
}

// state is what the footer's words depend on.
func (m *Model) state() keys.State {
	s := keys.State{Running: m.running(), Ended: len(m.view.Runs) > 0, Frozen: m.view.Frozen, Mouse: m.mouse,
		Defs: m.view.ShowDefinitions, Scroll: m.screen.Scrollable(), Agent: m.view.Lens == "agent"}
	m.loadState(&s)
	m.explainState(&s)
	if d := m.top(); d != nil {
		d.Bindings(&s)
	}
	return s
}

// onKey turns a key into an intent, or into text for the dialog that takes it.
func (m *Model) onKey(k tea.KeyPressMsg) tea.Cmd {
	if in := keys.Lookup(m.context(), k.String(), m.state()); in != keys.None {
		if in == keys.TypeUsers {
			return m.typeUsers(k.String())
		}
		return m.do(in)
	}
	if d := m.top(); d != nil && k.Text != "" {
		m.dirty = true
		return m.act(d.Type(k.Text, false))
	}
	return nil
}

func (m *Model) onPaste(s string) tea.Cmd {
	d := m.top()
	if d == nil || s == "" {
		return nil
	}
	m.dirty = true
	return m.act(d.Type(s, true))
}

// do carries out an intent, whether a key or a click said it.
func (m *Model) do(in keys.Intent) tea.Cmd {
	m.dirty = true
	if h, ok := everywhere[in]; ok {
		return h(m)
	}
	if d := m.top(); d != nil {
		return m.act(d.Do(in))
	}
	if m.explain.on {
		m.explain.look = m.back.Now() + lookFor
	}
	if h, ok := m.handlerOf(in); ok {
		return h(m)
	}
	return nil
}

// handler carries out an intent.
type handler func(*Model) tea.Cmd

// quiet is a handler that needs no command.
func quiet(f func(*Model)) handler { return func(m *Model) tea.Cmd { f(m); return nil } }

var onLive = map[keys.Intent]handler{
	keys.ToLoad:       (*Model).toLoad,
	keys.ToExplain:    (*Model).toExplain,
	keys.Run:          func(m *Model) tea.Cmd { return m.begin(m.work) },
	keys.Stop:         quiet(func(m *Model) { m.back.Stop(); m.sample(true) }),
	keys.EditPrompt:   quiet((*Model).openEditor),
	keys.PickEndpoint: (*Model).openEndpoints,
	keys.PickModel:    func(m *Model) tea.Cmd { return m.openModels(m.back.Endpoint()) },
	keys.PickLength:   quiet(func(m *Model) { m.open(dialog.NewLength(m.work.MaxTokens)) }),
	keys.PickTheme:    quiet(func(m *Model) { m.open(dialog.NewThemes(m.palette.Theme().Name)) }),
	keys.Help:         quiet(func(m *Model) { m.open(dialog.NewHelp()) }),
	keys.Shorter:      func(m *Model) tea.Cmd { return m.setLength(prompts.Step(m.work.MaxTokens, -1)) },
	keys.Longer:       func(m *Model) tea.Cmd { return m.setLength(prompts.Step(m.work.MaxTokens, 1)) },
	keys.Reuse:        (*Model).nextConnection,
	keys.Freeze:       quiet((*Model).toggleFreeze),
	keys.Definitions:  quiet(func(m *Model) { m.view.ShowDefinitions = !m.view.ShowDefinitions }),
	keys.Pace:         (*Model).nextPace,
	keys.Units:        (*Model).nextUnits,
	keys.NextLens:     (*Model).nextLens,
	keys.AgentTask:    quiet(func(m *Model) { m.open(dialog.NewTask(m.view.Task)) }),
	keys.Copy:         (*Model).copyRun,
	keys.Save:         (*Model).save,
	keys.Mouse:        (*Model).toggleMouse,
	keys.Up:           quiet(func(m *Model) { m.screen.Scroll(-1) }),
	keys.Down:         quiet(func(m *Model) { m.screen.Scroll(1) }),
	keys.PageUp:       quiet(func(m *Model) { m.screen.Page(-1) }),
	keys.PageDown:     quiet(func(m *Model) { m.screen.Page(1) }),
	keys.Home:         quiet(func(m *Model) { m.screen.Home() }),
	keys.End:          quiet(func(m *Model) { m.screen.End() }),
}

// begin sends a request and shows it, even if the picture was frozen.
func (s *Model) begin(w metrics.Workload) tea.Cmd {
	s.view.Frozen = false
	s.screen.End()
	s.clock.asked, s.clock.version, s.clock.since = true, s.back.Version(), s.back.Now()
	s.back.Begin(w)
	s.sample(true)
	return nil
}

func (v *Model) toggleFreeze() {
	v.view.Frozen = !v.view.Frozen
	v.sample(true)
}

func (s *Model) setLength(n int) tea.Cmd {
	s.work.MaxTokens = n
	if n == 0 {
		return s.say("next run: the server decides when to stop")
	}
	return s.say(fmt.Sprintf("next run: up to %d tokens", n))
}

func (s *Model) nextConnection() tea.Cmd {
	s.work.Connection = (s.work.Connection + 1) % (metrics.ReuseWarm + 1)
	return s.say("next run: " + connectionWords[s.work.Connection])
}

// connectionWords say what each choice does.
var connectionWords = [...]string{
	metrics.ReuseAuto: "auto, an idle connection if there is one",
	metrics.ReuseCold: "cold, a new connection",
	metrics.ReuseWarm: "warm, a connection that stands already",
}

func (v *Model) nextPace() tea.Cmd {
	i := slices.IndexFunc(metrics.Paces, func(p metrics.Pace) bool { return p.Name == v.view.Pace.Name })
	v.view.Pace = metrics.Paces[(i+1)%len(metrics.Paces)]
	v.view.Figures = v.meter.Measure(&v.view.Stream, metrics.Options{Pace: v.view.Pace})
	return v.say(fmt.Sprintf("pace: %s, %.0f words a minute", v.view.Pace.Name, v.view.Pace.WPM))
}

func (v *Model) nextUnits() tea.Cmd {
	i := slices.Index(live.Units, v.view.Units)
	v.view.Units = live.Units[(i+1)%len(live.Units)]
	return v.say("speed in " + v.view.Units)
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	m.applyMouse()
	if m.mouse {
		return m.say("mouse on: click and wheel work here")
	}
	return m.say("mouse off: the terminal selects text again")
}

func (s *Model) applyMouse() {
	s.frame.MouseMode = tea.MouseModeNone
	if s.mouse {
		s.frame.MouseMode = tea.MouseModeCellMotion
	}
}

// applyTheme compiles the theme of that name; "" follows the terminal. A theme
// made for the other ground than the terminal's brings its own, as cells, not
// by a setting of the terminal that a kill would leave behind.
func (m *Model) applyTheme(name string) {
	t, ok := themes.ByName(name)
	if !ok {
		t = themes.Default(m.dark)
	}
	grounded := t.Dark != m.dark
	if m.palette == nil || m.palette.Theme().Name != t.Name || m.grounded != grounded {
		compile := themes.Compile
		if grounded {
			compile = themes.CompileOnGround
		}
		m.palette, m.grounded, m.dirty = compile(t, m.opt.Profile), grounded, true
	}
}
