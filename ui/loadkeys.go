package ui

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/screen/load"
)

// onLoad is what the keys of the Load screen do.
var onLoad = map[keys.Intent]handler{
	keys.Fewer:        quiet(func(m *Model) { m.resizeLoad(load.Step(m.load.view.Want, -1)) }),
	keys.More:         quiet(func(m *Model) { m.resizeLoad(load.Step(m.load.view.Want, 1)) }),
	keys.OneFewer:     quiet(func(m *Model) { m.resizeLoad(m.load.view.Want - 1) }),
	keys.OneMore:      quiet(func(m *Model) { m.resizeLoad(m.load.view.Want + 1) }),
	keys.Hold:         (*Model).holdLoad,
	keys.Stop:         (*Model).stopLoad,
	keys.NextChart:    quiet(func(m *Model) { m.load.view.Kind = (m.load.view.Kind + 1) % load.Kinds }),
	keys.Scale:        quiet(func(m *Model) { m.load.view.Log = !m.load.view.Log }),
	keys.EditPrompt:   quiet((*Model).openEditor),
	keys.Objectives:   quiet(func(m *Model) { m.open(dialog.NewObjectives(m.load.view.Load.SLOs)) }),
	keys.OpenLane:     (*Model).openLane,
	keys.PrevLane:     quiet(func(m *Model) { m.load.screen.Move(&m.load.view, -1) }),
	keys.NextLane:     quiet(func(m *Model) { m.load.screen.Move(&m.load.view, 1) }),
	keys.Up:           quiet(func(m *Model) { m.load.screen.MoveRow(&m.load.view, -1) }),
	keys.Down:         quiet(func(m *Model) { m.load.screen.MoveRow(&m.load.view, 1) }),
	keys.PageUp:       quiet(func(m *Model) { m.load.screen.MovePage(&m.load.view, -1) }),
	keys.PageDown:     quiet(func(m *Model) { m.load.screen.MovePage(&m.load.view, 1) }),
	keys.Home:         quiet(func(m *Model) { m.load.screen.Move(&m.load.view, -load.MaxUsers) }),
	keys.End:          quiet(func(m *Model) { m.load.screen.Move(&m.load.view, load.MaxUsers) }),
	keys.ToLive:       quiet((*Model).toLive),
	keys.ToExplain:    (*Model).onward,
	keys.PickEndpoint: (*Model).openEndpoints,
	keys.PickModel:    func(m *Model) tea.Cmd { return m.openModels(m.back.Endpoint()) },
	keys.PickTheme:    quiet(func(m *Model) { m.open(dialog.NewThemes(m.palette.Theme().Name)) }),
	keys.Mouse:        (*Model).toggleMouse,
	keys.Save:         func(m *Model) tea.Cmd { return m.saving(m.load.back.LoadSave) },
	keys.Help:         quiet(func(m *Model) { m.open(dialog.NewHelpFor(keys.Load)) }),
}

// onLane is what differs from onLive while Live shows a user of the load.
var onLane = map[keys.Intent]handler{
	keys.Close:    (*Model).closeLane,
	keys.PrevLane: quiet(func(m *Model) { m.nextLane(-1) }),
	keys.NextLane: quiet(func(m *Model) { m.nextLane(1) }),
	keys.Help:     quiet(func(m *Model) { m.open(dialog.NewHelpFor(keys.Lane)) }),
}

// handlerOf is what an intent does on the screen that is shown.
func (m *Model) handlerOf(in keys.Intent) (handler, bool) {
	if m.explain.on {
		h, ok := onExplain[in]
		return h, ok
	}
	if m.load.on {
		h, ok := onLoad[in]
		return h, ok
	}
	if m.load.lane > 0 {
		if h, ok := onLane[in]; ok {
			return h, true
		}
	}
	h, ok := onLive[in]
	return h, ok
}

// loadState fills in what the footer's words depend on.
func (m *Model) loadState(s *keys.State) {
	l := &m.load
	s.Loads = l.back != nil
	v := &l.view
	s.Loading, s.Holding, s.Leaving = v.Load.Running, v.Load.Holding, m.leaving()
	s.Loaded = v.Load.Running || v.Load.Sent > 0
	s.Lanes, s.Typing, s.Log = len(v.Load.Lanes) > 0, v.Typed != "", v.Log
}

// clickLoad is a click on the Load screen: it moves the slider, selects a lane
// and opens the selected one, and does what a panel's key does.
func (s *Model) clickLoad(t, y int) tea.Cmd {
	l := &s.load
	id, ok := l.screen.TargetAt(t, y)
	if !ok {
		return nil
	}
	switch id {
	case "slider":
		l.drag = true
		s.resizeLoad(l.screen.UsersAt(t))
	case "lane":
		user, ok := l.screen.LaneAt(t, y)
		if !ok {
			return nil
		}
		if now, some := l.screen.Selected(&l.view); some && now == user && l.screen.Chosen() {
			return s.openLane()
		}
		l.screen.Select(user)
	case "chart":
		return s.do(keys.NextChart)
	case "goodput":
		return s.do(keys.Objectives)
	}
	return nil
}
