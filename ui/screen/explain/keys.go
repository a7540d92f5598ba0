package explain

import (
	"cmp"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/serving"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// Intents of this screen alone.
const (
	goOn        keys.Intent = "go on"
	nextOne     keys.Intent = "next user or lesson"
	previousOne keys.Intent = "previous user or lesson"
)

// onTour is the rank of a key while the tour is on.
func (s *Screen) onTour(rank int) func() int { return keys.When(s.touring, rank) }

// bindings are the keys of the screen. While the tour is on, its keys come
// first: enter shows the next stage of a lesson, and then the next lesson.
func (s *Screen) bindings() []keys.Binding {
	return []keys.Binding{
		{Do: goOn, Keys: []string{"enter"}, Rank: 20, RankNow: s.onTour(2),
			Word: func() string {
				if !s.touring() {
					return "choices"
				}
				return cmp.Or(s.stageWords(), s.nextLesson())
			}, Act: s.goOn, Help: "the knob's values; on the tour the stage"},
		{Do: nextOne, Keys: []string{"n"}, Rank: 29, RankNow: s.onTour(3),
			Word: func() string {
				if !s.touring() {
					return format.If(s.others(), "watch")
				}
				return s.nextLesson()
			}, Act: keys.Do(func() { s.move(1) }), Help: "the next user; on the tour the next lesson"},
		{Do: previousOne, Keys: []string{"N"}, Rank: 61, RankNow: s.onTour(4),
			Word: func() string {
				if !s.touring() {
					return format.If(s.others(), "previous")
				}
				return format.If(s.view.Explain.Tour.Lesson.Number > 1, "back")
			}, Act: keys.Do(func() { s.move(-1) }), Help: "the user before; on the tour the lesson"},
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 23,
			RankNow: keys.First(s.onTour(5), keys.When(s.maximized, 17), keys.When(s.past, 16)),
			Word: keys.First(keys.When(s.maximized, "back"), keys.When(s.past, "newest"),
				keys.When(func() bool { return s.touring() && s.narrow() }, "leave"),
				keys.When(s.touring, "leave the tour"), s.host.BackWord), Act: s.backOut,
			Help: "back one level: panel, step, tour, screen"},
		{Do: "tour", Keys: []string{"T"}, Rank: 10, RankNow: s.onTour(22),
			Word: keys.Either(s.touring, "lessons", "tour"), Act: keys.Do(s.openTour),
			Help: "start or resume the tour, then list lessons"},
		{Do: "pause", Keys: []string{"space"}, Rank: 11,
			Word: keys.Either(s.halted, "go on", "pause"), Act: keys.Do(s.pause), Help: "pause or resume the engine's time"},
		{Do: keys.Quit, Keys: []string{"q"}, Rank: 13, RankNow: s.onTour(6), Word: keys.Always("quit"), Help: "quit"},
		{Do: "one step", Keys: []string{"."}, Rank: 25, RankNow: keys.First(s.onTour(14), keys.When(s.halted, 21)),
			Word: keys.Always("one step"), Act: keys.Do(s.stepOnce), Help: "run one engine step, then pause"},
		{Do: keys.NextPanel, Keys: []string{"v"}, Rank: 14, RankNow: s.onTour(7),
			Word: keys.When(s.panels, "panel"), Act: keys.Do(func() { s.pic.NextPanel(&s.view) }),
			Help: "the next panel, where not all fit"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Rank: 28, RankNow: keys.When(s.maximized, 12),
			Word: keys.Either(s.maximized, "restore", "maximize"),
			Act:  keys.Do(func() { s.view.Max = !s.view.Max }), Help: "let a panel fill the screen, or show all"},
		{Do: "previous knob", Keys: []string{"up"},
			Act: keys.Do(func() { s.selectKnob(-1) }), Help: "select the previous knob"},
		{Do: "next knob", Keys: []string{"down"}, Foot: "↑↓", Rank: 18,
			Word: keys.Always("knob"), Act: keys.Do(func() { s.selectKnob(1) }), Help: "select the next knob"},
		{Do: "knob down", Keys: []string{"["}, Foot: "[ ]", Rank: 19,
			Word: keys.Always("change"), Act: func() tea.Cmd { return s.turnKnob(s.view.Knob, -1) },
			Help: "the selected knob down, to what fits"},
		{Do: "knob up", Keys: []string{"]"},
			Act: func() tea.Cmd { return s.turnKnob(s.view.Knob, 1) }, Help: "the selected knob up, to what fits"},
		{Do: "choices", Keys: []string{"L"}, Rank: 31,
			Word: keys.When(s.touring, "choices"), Act: keys.Do(func() { s.openKnob(s.view.Knob) }),
			Help: "list the knob's values, on the tour too"},
		{Do: "cursor back", Keys: []string{"left"}, Foot: "←/→", Rank: 15, RankNow: s.onTour(16),
			Word: keys.Always("steps"), Act: keys.Do(func() { s.pic.Move(&s.view, -1) }), Help: "one step back; the wheel too"},
		{Do: "cursor on", Keys: []string{"right"}, Act: keys.Do(func() { s.pic.Move(&s.view, 1) }), Help: "one step forward"},
		{Do: "cursor a page back", Keys: []string{"pgup", "shift+left"},
			Act: keys.Do(func() { s.pic.MovePage(&s.view, -1) }), Help: "a page of steps back; shift+left too"},
		{Do: "cursor a page forward", Keys: []string{"pgdown", "shift+right"},
			Act: keys.Do(func() { s.pic.MovePage(&s.view, 1) }), Help: "a page of steps forward"},
		{Do: "zoom", Keys: []string{"z"}, Rank: 27, Word: keys.Always("zoom"), Act: keys.Do(s.nextZoom),
			Help: "the timeline closer, farther, as it fits"},
		{Do: "newest step", Keys: []string{"end"}, Act: keys.Do(s.newest), Help: "follow the newest step again"},
		{Do: "slower", Keys: []string{"-"}, Foot: "-/+", Rank: 24,
			Word: keys.Always("time"), Act: func() tea.Cmd { return s.turnKnob(serving.KnobTime, -1) },
			Help: "slow down the engine's time"},
		{Do: "faster", Keys: []string{"+"},
			Act: func() tea.Cmd { return s.turnKnob(serving.KnobTime, 1) }, Help: "speed it up, at most to real time"},
		{Do: keys.Users, Keys: []string{"u"}, Rank: 30,
			Word: keys.Always("users"), Help: "type the number of users, or choose it",
			Act: keys.Do(func() { s.view.Knob = serving.KnobUsers; s.openKnob(serving.KnobUsers) })},
		screen.LensKey(s.host, s.look, s.lensRoom, 22, s.onTour(33)),
		screen.TaskKey(s.host, s.look, s.agent, 32),
	}
}

// Commands implements screen.Screen: the lessons of the tour.
func (s *Screen) Commands() []keys.Binding {
	var out []keys.Binding
	for i, title := range s.back.TourLessons() {
		out = append(out, keys.Binding{Do: keys.Intent("lesson " + strconv.Itoa(i+1) + ": " + title),
			Help: "of the tour", Act: keys.Do(func() { s.lesson(i + 1) })})
	}
	return out
}

// narrowBelow is the footer's width below which each key gets fewer words, as
// below screen.WideFrom beside the lag.
const narrowBelow = 72

func (s *Screen) narrow() bool {
	w := s.look.W - min(s.look.W, 1) // the last column stays empty
	st := screen.Status{Observer: s.view.Explain.Observer, Guided: true}
	return w < narrowBelow || w < screen.WideFrom && st.Observed(w)
}

func (s *Screen) halted() bool { return s.view.Explain.Paused }

// past reports whether the cursor is on an older step than the newest.
func (s *Screen) past() bool { return s.view.Cursor != 0 }

// move goes to the next lesson on the tour, else to the next watched user; by -1
// to the previous one.
func (s *Screen) move(by int) {
	v := &s.view.Explain
	if s.touring() {
		s.byLesson(by)
		return
	}
	n := max(v.Knobs.Users, 1) // in a circle
	s.back.ExplainWatch((max(v.Watched.User, 1)-1+by+n)%n + 1)
	s.refresh()
}

func (s *Screen) others() bool { return s.view.Explain.Knobs.Users > 1 }

// agent reports whether the lens shows an agent's task.
func (s *Screen) agent() bool { return s.look.Lens == "agent" || s.lensAs() == LensBoard }

// lensRoom is how there is room for the chosen lens.
func (s *Screen) lensRoom() (box, line bool) {
	as := s.lensAs()
	return as > LensLine, as == LensLine
}
