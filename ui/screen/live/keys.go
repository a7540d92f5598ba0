package live

import (
	"slices"

	"tokscope/metrics"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// bindings are the keys of the source, and of those of every source the ones that
// it does not use itself.
func (s *Screen) bindings() []keys.Binding {
	first := s.from.keys()
	return append(first, slices.DeleteFunc(s.common(), func(b keys.Binding) bool {
		return slices.ContainsFunc(b.Keys, func(key string) bool { return keys.Find(first, key) != nil })
	})...)
}

// common are the keys of every source. The ranks leave room between them on
// purpose.
func (s *Screen) common() []keys.Binding {
	scope := &s.pic.scope
	return []keys.Binding{
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 14, Act: s.goBack,
			RankNow: keys.First(keys.When(s.listed, 8), keys.When(func() bool { return s.from.outWord() != "" }, 9)),
			Word:    keys.First(keys.When(s.filtered, "show all"), keys.When(s.inside, "back"), s.from.outWord),
			Help:    "back one level: panel, cursor, screen"},
		{Do: "zoom", Keys: []string{"z"}, Rank: 24,
			Word: keys.Always("zoom"), Act: keys.Do(func() { scope.nextZoom(s.view.Stream.State.Ended()) }),
			Help: "follow, whole run, wait, longest gap"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Rank: 39, RankNow: keys.When(s.maximized, 17),
			Word: keys.Either(s.maximized, "restore", "maximize"), Act: keys.Do(s.toggleMax),
			Help: "let the panel in focus fill the screen"},
		{Do: keys.NextPanel, Keys: []string{"v"}, Rank: 36,
			RankNow: keys.First(keys.When(s.listed, 9), keys.When(s.maximized, 18)),
			Word:    keys.Either(s.maximized, "panel", "figures"), Act: keys.Do(s.nextMax),
			Help: "all figures in one panel; then other panels"},
		{Do: "cursor back", Keys: []string{"left"}, Foot: "←→", Rank: 25,
			Word: keys.When(func() bool { return len(s.view.Stream.Chunks) > 0 }, "cursor"), Act: keys.Do(s.cursor(-1)),
			Help: "the chunk before; a click works too"},
		{Do: "cursor on", Keys: []string{"right"},
			Act: keys.Do(s.cursor(1)), Help: "the next chunk; past the newest: no cursor"},
		{Do: "cursor a page back", Keys: []string{"shift+left"}, Act: keys.Do(s.cursor(-farStep)), Help: "ten chunks back"},
		{Do: "cursor a page forward", Keys: []string{"shift+right"},
			Act: keys.Do(s.cursor(farStep)), Help: "ten chunks forward"},
		{Do: "next stall", Keys: []string{"n"}, Rank: 26, Act: s.nextMark(1),
			Word: keys.First(keys.When(s.listed, "next failure"),
				keys.When(func() bool { return len(s.view.Figures.Stalls) > 0 }, "next pause"),
				keys.When(func() bool { return len(s.pic.marks(&s.view)) > 0 }, "next change")),
			Help: "the next pause, change of part, or failure"},
		{Do: "previous stall", Keys: []string{"N"}, Act: s.nextMark(-1), Help: "the one before"},
		{Do: "scale", Keys: []string{"l"}, Rank: 37, Word: keys.Either(func() bool { return scope.linear }, "log", "linear"),
			Act: keys.Do(func() { scope.linear = !scope.linear }), Help: "gaps logarithmic, or linear around p50"},
		{Do: "pin", Keys: []string{"="}, Rank: 38, RankNow: keys.When(s.from.recorded, 27),
			Word: keys.First(keys.When(s.pins, "pin"), keys.When(func() bool { return s.look.Pinned != nil }, "unpin")),
			Act:  s.togglePin, Help: "pin the run: others are compared with it"},
		{Do: "freeze", Keys: []string{"f"}, Rank: 30,
			Word: keys.First(keys.When(func() bool { return s.view.Frozen }, "unfreeze"), keys.When(s.from.running, "freeze")),
			Act:  keys.Do(s.toggleFreeze), Help: "freeze the screen; the stream goes on"},
		// the key that leaves a mode
		{Do: "definitions", Keys: []string{"d"}, Rank: 31,
			RankNow: keys.When(func() bool { return s.look.Definitions }, 12),
			Word:    keys.Either(func() bool { return s.look.Definitions }, "back", "definitions"),
			Act:     keys.Do(s.toggleDefinitions), Help: "show the definition of each figure"},
		{Do: "definition lab", Keys: []string{"D"}, Rank: 34, Word: keys.When(s.hasRun, "lab"), Act: s.openDefinitions,
			Help: "this run as other tools define it"},
		screen.LensKey(s.host, s.look, func() (box, line bool) { return LensAt(s.look.W, s.look.H) }, 35, nil),
		screen.TaskKey(s.host, s.look, func() bool { return s.look.Lens == "agent" }, 29),
		{Do: "pace", Keys: []string{"r"}, Rank: 50,
			Word: keys.Always("pace"), Act: s.nextPace, Help: "human pace: reading, fiction, aloud, speech"},
		{Do: "units", Keys: []string{"U"}, Rank: 51,
			Word: keys.Always("units"), Act: s.nextUnits, Help: "unit of speed: tok/s, words/min, ms/token"},
		{Do: "copy", Keys: []string{"y"}, Rank: 33,
			RankNow: keys.When(func() bool { return s.phase > metrics.Done }, 19), // a ticket is wanted
			Word:    keys.When(s.hasRun, "copy"), Act: s.copyRun, Help: "copy the run as eight lines for a ticket"},
		{Do: keys.Up, Keys: []string{"up"},
			Act: keys.Do(func() { s.rows().Move(-1) }), Help: "scroll the text up, or to the run above"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 46, RankNow: keys.When(s.listed, 6),
			Word: keys.First(keys.When(s.listed, "run"), keys.When(s.pic.Scrollable, "scroll")),
			Act:  keys.Do(func() { s.rows().Move(1) }), Help: "scroll the text down, or to the run below"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Act: keys.Do(func() { s.rows().Page(-1) }), Help: "scroll a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Act: keys.Do(func() { s.rows().Page(1) }), Help: "scroll a page down"},
		{Do: keys.Home, Keys: []string{"home"},
			Act: keys.Do(func() { s.rows().Edge(-1) }), Help: "to the beginning of the text or the list"},
		{Do: keys.End, Keys: []string{"end"},
			Act: keys.Do(func() { s.rows().Edge(1) }), Help: "to the end, and follow it again"},
	}
}
