package race

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/racestat"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// ofPairs reports that a key has a use in a race in pairs alone: a race of blocks has no
// table of pairs, and no other contestants than the settings of the command line.
func ofPairs(b keys.Binding) bool {
	return slices.Contains([]keys.Intent{"cursor back", "cursor on", keys.Home, keys.End, "contestants"}, b.Do)
}

// Commands implements screen.Screen.
func (s *Screen) Commands() []keys.Binding {
	by := s.view.By
	return []keys.Binding{screen.Paged(s.host, "race", s.measured,
		func() racestat.View { return s.view.Race }, nil,
		func(v racestat.View) *html.Page { return html.Race(&v, report.Race(&v, by, false)) })}
}

func (s *Screen) bindings() []keys.Binding {
	return []keys.Binding{
		{Do: "race", Keys: []string{"space"}, Rank: 10,
			Word: func() string {
				switch r := &s.view.Race; {
				case r.Running && r.Holding:
					return "go on"
				case r.Running:
					return "pause"
				case len(r.Lanes) == 0:
					return ""
				case r.Began.Known():
					return "again"
				}
				return "race"
			}, Act: s.run, Help: "race, pause after the request, go on"},
		{Do: keys.Stop, Keys: []string{"x"}, Rank: 12, Word: keys.When(func() bool { return s.view.Race.Running }, "stop"),
			Act: s.stop, Help: "stop the race; what is known stays"},
		{Do: "open lane", Keys: []string{"enter"}, Rank: 23,
			Word: func() string { return format.If(s.view.Race.Began.Known(), "open "+say.RaceLetter(s.view.Reference)) },
			Act:  s.openLane, Help: "show the chosen lane's request in Live"},
		{Do: "cursor back", Keys: []string{"left"}, Foot: "←→", Rank: 22,
			Word: keys.When(s.paged, "pairs"), Act: keys.Do(func() { s.page(1) }), Help: "older pairs"},
		{Do: "cursor on", Keys: []string{"right"}, Act: keys.Do(func() { s.page(-1) }), Help: "newer pairs"},
		{Do: keys.Home, Keys: []string{"home"}, Act: keys.Do(func() { s.page(len(s.view.Race.Rounds)) }),
			Help: "the first pairs"},
		{Do: keys.End, Keys: []string{"end"},
			Act: keys.Do(func() { s.view.Last = 0 }), Help: "the newest pairs, and follow them again"},
		{Do: "contestants", Keys: []string{"e"}, Rank: 11,
			Word: keys.Always("contestants"), Act: keys.Do(s.pick), Help: "choose the contestants: two to six targets"},
		{Do: "next figure", Keys: []string{"v"}, Rank: 20, Word: keys.When(s.measured, "view"), Act: keys.Do(s.nextView),
			Help: "the next figure, then the statistics"},
		{Do: keys.Up, Keys: []string{"up"}, Act: keys.Do(func() { s.compareWith(-1) }), Help: "compare with the lane before"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 24,
			Word: keys.When(func() bool { return len(s.view.Race.Lanes) > 1 }, "compare with"),
			Act:  keys.Do(func() { s.compareWith(1) }), Help: "compare with the next lane"},
		{Do: keys.EditPrompt, Keys: []string{"p"}, Rank: 21,
			Word: keys.Always("workload"), Act: keys.Do(s.openEditor), Help: "what every lane gets"},
		{Do: keys.Save, Keys: []string{"s"}, Rank: 43,
			Word: keys.When(s.measured, "save"),
			Act:  func() tea.Cmd { return s.host.Save(s.back.RaceSave, "", "") },
			Help: "write verdicts and pairs to a file"},
		{Do: "copy", Keys: []string{"y"}, Rank: 44,
			Word: keys.When(s.measured, "copy"),
			Act: func() tea.Cmd {
				return s.host.Save(s.back.RaceSave, report.Race(&s.view.Race, s.view.By, false).Markdown(), ".md")
			}, Help: "copy the race as Markdown, and save it"},
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 25,
			Word: func() string { return s.host.BackWord() }, Act: func() tea.Cmd { return s.host.Back() },
			Help: "the screen before; the race goes on"},
	}
}
