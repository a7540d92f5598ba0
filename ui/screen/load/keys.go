package load

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/screen/listing"
)

// bindings are the keys of the screen, in the order of the help. The ranks leave
// room between them on purpose.
func (s *Screen) bindings() []keys.Binding {
	if s.rec != nil {
		return slices.Concat(s.viewKeys(), s.listKeys(), s.recordedKeys())
	}
	return slices.Concat(s.driveKeys(), s.viewKeys(), s.steerKeys(), s.listKeys(), s.sessionKeys())
}

// driveKeys start, move and stop the load.
func (s *Screen) driveKeys() []keys.Binding {
	return []keys.Binding{
		{Do: "fewer users", Keys: []string{"left"}, Foot: "←/→",
			Rank: 10, RankNow: keys.When(s.listed, 16),
			Word: keys.Either(func() bool { return s.view.Open }, "rate", "users"),
			Act:  func() tea.Cmd { return s.slide(-1, false) },
			Help: "fewer users or a lower rate; drag works too"},
		{Do: "more users", Keys: []string{"right"},
			Act: func() tea.Cmd { return s.slide(1, false) }, Help: "more users, or a higher rate"},
		{Do: "one user fewer", Keys: []string{"shift+left"}, Foot: "shift", Rank: 41,
			Word: keys.Always("fine"), Act: func() tea.Cmd { return s.slide(-1, true) },
			Help: "one user fewer, or a little lower rate"},
		{Do: "one user more", Keys: []string{"shift+right"},
			Act: func() tea.Cmd { return s.slide(1, true) }, Help: "one user more, or a little higher rate"},
		{Do: keys.Users, Keys: []string{"u"}, Rank: 27,
			Word: keys.Either(func() bool { return s.view.Open }, "type rate", "type users"),
			Act:  keys.Do(s.pickUsers),
			Help: "type 8, 12/s (open loop) or 10-200 in 60s"},
		{Do: "hold", Keys: []string{"space"}, Rank: 11, RankNow: keys.When(s.listed, 15),
			Word: keys.First(keys.When(func() bool { return s.running() && s.view.Load.Holding }, "go on"),
				keys.When(s.running, "hold"), keys.Either(s.view.begun, "again", "start")),
			Act: s.hold, Help: "start, hold (what runs finishes), go on"},
		{Do: keys.Stop, Keys: []string{"x"}, Rank: 12,
			Word: keys.First(keys.When(s.cuts, "cut"),
				keys.When(func() bool { return s.running() || s.waits }, "stop")),
			Act: s.stopUsers, Help: "stop; again: cut running requests now"},
	}
}

// viewKeys choose what is shown.
func (s *Screen) viewKeys() []keys.Binding {
	return []keys.Binding{
		{Do: "next chart", Keys: []string{"v"}, Rank: 20, RankNow: keys.When(s.listed, 14),
			Word: keys.Either(s.maximized, "panel", "chart"), Act: keys.Do(func() { s.nextView(); s.refresh() }),
			Help: "the next chart: users, time, rate, queue"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Rank: 31, RankNow: keys.When(s.maximized, 17),
			Word: keys.Either(s.maximized, "restore", "maximize"), Act: keys.Do(func() { s.toggleMax(); s.refresh() }),
			Help: "let the panel in focus fill the screen"},
		{Do: "scale", Keys: []string{"l"}, Rank: 42,
			Word: keys.Either(func() bool { return s.view.logs(&s.pic.now.lengths) }, "linear", "log"),
			Act:  keys.Do(func() { s.view.Log = !s.view.Log }), Help: "linear or logarithmic axes"},
	}
}

// steerKeys change the load while it runs, and the picture of it.
func (s *Screen) steerKeys() []keys.Binding {
	return []keys.Binding{
		{Do: keys.EditPrompt, Keys: []string{"p"}, Rank: 21, Word: keys.Always("workload"), Act: keys.Do(s.openEditor),
			Help: "what every user sends, from new requests on"},
		{Do: keys.Undo, Keys: []string{"backspace"}, Foot: "bksp",
			Rank: 29, RankNow: keys.When(func() bool { return s.undoes() != nil }, 19),
			Word: func() string {
				if m := s.undoes(); m != nil {
					return "undo " + string(m.Kind)
				}
				return ""
			}, Act: s.undo,
			Help: "take back the last change of the load"},
		{Do: "freeze", Keys: []string{"f"}, Rank: 30,
			RankNow: keys.When(func() bool { return s.frozen != nil }, 18),
			Word: keys.First(keys.When(func() bool { return s.frozen != nil }, "unfreeze"),
				keys.When(s.running, "freeze")), Act: keys.Do(s.freeze), Help: "freeze the screen; the load goes on"},
		{Do: "objectives", Keys: []string{"o"}, Rank: 22, Word: keys.Always("objectives"), Act: keys.Do(s.pickObjectives),
			Help: "objectives: chat, voice, agent or your own"},
	}
}

// listKeys move through lanes and requests, and go back.
func (s *Screen) listKeys() []keys.Binding {
	return []keys.Binding{
		{Do: "open lane", Keys: []string{"enter"}, Rank: 24, RankNow: keys.When(s.listed, 5),
			Word: keys.When(func() bool { return s.hasLanes() && !s.listed() || s.list.Openable() }, "open"),
			Act:  s.openLane, Help: "the selected user or request in Live"},
		{Do: "filter", Keys: []string{"/"}, Rank: 23,
			// Before a load the list is empty, and other keys come first.
			RankNow: keys.First(keys.When(s.listed, 7), keys.Either(s.view.begun, 0, 51)),
			Word:    keys.Either(s.listed, "filter", "list"), Act: keys.Do(s.list.Ask),
			Help: "list ended requests: ttft>500 sort:-ttft"},
		{Do: keys.Up, Keys: []string{"up"},
			Act: keys.Do(func() { s.rows().Move(-1) }), Help: "select the lane or the request above"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 28, RankNow: keys.When(s.listed, 6),
			Word: keys.First(keys.When(s.listed, "request"), keys.When(s.hasLanes, "lane")),
			Act:  keys.Do(func() { s.rows().Move(1) }),
			Help: "select the lane, request or row below"},
		{Do: keys.PrevLane, Keys: []string{"N"}, Act: keys.Do(func() { s.step(-1) }), Help: "select the previous user"},
		{Do: keys.NextLane, Keys: []string{"n"}, Act: keys.Do(func() { s.step(1) }), Help: "select the next user"},
		{Do: keys.PageUp, Keys: []string{"pgup"},
			Act: keys.Do(func() { s.rows().Page(-1) }), Help: "a page of lanes or requests up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"},
			Act: keys.Do(func() { s.rows().Page(1) }), Help: "a page of lanes or requests down"},
		{Do: keys.Home, Keys: []string{"home"},
			Act: keys.Do(func() { s.rows().Edge(-1) }), Help: "the first lane or request"},
		{Do: keys.End, Keys: []string{"end"}, Act: keys.Do(func() { s.rows().Edge(1) }), Help: "the last lane or request"},
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 25, RankNow: keys.When(s.listed, 8),
			Word: keys.First(keys.When(func() bool { return s.listed() && s.list.Filter() != "" }, "show all"),
				keys.When(s.maximized, "back"), s.host.BackWord), Act: s.backOut,
			Help: "back one level; a load goes on"},
	}
}

// sessionKeys are the others of a load of this session.
func (s *Screen) sessionKeys() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Save, Keys: []string{"s"}, Rank: 43,
			Word: keys.When(s.view.begun, "save"), Help: "write the session's results to a file",
			Act: func() tea.Cmd { return s.host.Save(s.back.LoadSave, "", "") }},
		{Do: keys.PickEndpoint, Keys: []string{"e"}, Rank: 44,
			Word: keys.Always("endpoint"), Help: "choose an endpoint; a running load goes on"},
		{Do: keys.PickModel, Keys: []string{"m"}, Help: "choose a model; a running load goes on"},
	}
}

// listed reports whether the list of requests is shown: it fills the screen, or has
// the place of the lanes, which a recording does not have.
func (s *Screen) listed() bool {
	return s.view.Max == RequestsPanel || s.view.Max == NoPanel && s.rec != nil
}

// rows is what the keys of rows move: the list while it is shown, else the lanes.
func (s *Screen) rows() listing.Mover {
	if s.listed() {
		return s.list
	}
	return &s.pic.lanes
}

func (s *Screen) step(by int) {
	if s.listed() {
		s.list.Move(by)
	} else {
		s.pic.lanes.Step(by)
	}
}

func (s *Screen) showList() (undo func()) {
	before := s.view.Max
	s.view.Max = RequestsPanel
	s.sampleEnded(true)
	return func() { s.view.Max = before }
}

// suggestions are filters for the objectives of the load, and for the selected user.
func (s *Screen) suggestions() (list []string) {
	for _, o := range s.view.Load.SLOs {
		if !o.AtLeast && slices.Contains([]string{"ttft", "tpot", "total"}, o.Name) {
			list = append(list, fmt.Sprintf("%s>%s sort:-%s", o.Name, format.Exact(o.Limit), o.Name))
		}
	}
	if user, ok := s.pic.lanes.Selected(); ok {
		list = append(list, fmt.Sprintf("user:%d", user))
	}
	return list
}

// newList returns the list of the screen. c says what is special of it.
func (s *Screen) newList(c listing.Config) *listing.List {
	c.Host, c.One, c.Suggest = s.host, "request", s.suggestions
	c.Request, c.Shown, c.Show = s.from.LoadRequest, s.listed, s.showList
	s.pic.requests = listing.New(c)
	return s.pic.requests
}
