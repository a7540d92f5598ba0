package live

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// running reports whether a request is running, frozen or not.
func (s *Screen) running() bool { return s.phase != metrics.Idle && !s.phase.Ended() }

// to returns the action of a key that shows another screen.
func (s *Screen) to(n screen.Name) func() tea.Cmd {
	return func() tea.Cmd { return s.host.Show(n) }
}

// listed reports whether the list of runs fills the screen.
func (s *Screen) listed() bool { return s.pic.list != nil && s.view.Max == RunsPanel }

// rows is what the keys of rows move: the list while it fills the screen, else the
// text.
func (s *Screen) rows() listing.Mover {
	if s.listed() {
		return s.pic.list
	}
	return s.pic
}

// filtered reports whether goBack has a filter of the list to leave.
func (s *Screen) filtered() bool { return s.listed() && s.pic.list.Filter() != "" }

// inside reports whether goBack has a level of the view to leave.
func (s *Screen) inside() bool {
	return s.maximized() || s.look.Definitions || s.pic.scope.cursor >= 0 || s.view.Frozen
}

// goBack goes back one level: from the filter of the list, a maximized panel, the
// definitions, the cursor, or a frozen picture; then as the source says.
func (s *Screen) goBack() tea.Cmd {
	switch {
	case s.pic.list != nil && s.pic.list.Leave():
	case s.maximized():
		s.view.Max = NoPanel
	case s.look.Definitions:
		s.look.Definitions = false
	case s.pic.scope.cursor >= 0:
		s.pic.ClearCursor()
	case s.view.Frozen:
		s.toggleFreeze()
	default:
		return s.from.out()
	}
	return nil
}

func (s *Screen) toggleFreeze() {
	s.view.Frozen = !s.view.Frozen
	s.refresh()
}

func (s *Screen) toggleDefinitions() { s.look.Definitions = !s.look.Definitions }

func (s *Screen) nextPace() tea.Cmd {
	i := slices.IndexFunc(metrics.Paces, func(p metrics.Pace) bool { return p.Name == s.look.Pace.Name })
	s.look.Pace = metrics.Paces[(i+1)%len(metrics.Paces)]
	s.measure()
	return s.host.Say(fmt.Sprintf("pace: %s, %s words a minute", s.look.Pace.Name, format.Exact(s.look.Pace.WPM)))
}

func (s *Screen) nextUnits() tea.Cmd {
	i := slices.Index(Units, s.look.Units)
	s.look.Units = Units[(i+1)%len(Units)]
	return s.host.Say("speed in " + s.look.Units)
}

func (s *Screen) cursor(by int) func() { return func() { s.pic.MoveCursor(&s.view.Stream, by) } }

// hasRun reports whether there is an ended run to copy, to pin and to define.
func (s *Screen) hasRun() bool {
	_, ok := s.from.ended()
	return ok
}

// pins reports whether there is such a run that is not yet the reference.
func (s *Screen) pins() bool {
	id, ok := s.from.ended()
	return ok && (s.look.Pinned == nil || s.look.Pinned.Stream.ID != id)
}

// togglePin makes the ended run the reference of all screens. A second time, or
// where no run has ended, it removes the reference.
func (s *Screen) togglePin() tea.Cmd {
	if s.pins() {
		run, name := s.from.run()
		s.look.Pinned = &run
		return s.host.Say(say.Pin(name, &run))
	}
	was := s.look.Pinned
	if s.look.Pinned = nil; was == nil {
		return nil
	}
	return s.host.Say(say.Unpin(was))
}

// copyRun copies the ticket of the ended run. That of a recorded one names no
// machine: another one may have measured it. Terminals do not report whether they
// accepted it (tmux, by default, does not accept it). The same text is therefore
// written to a file beside the results.
func (s *Screen) copyRun() tea.Cmd {
	run, _ := s.from.run()
	by := format.Either(s.from.recorded(), report.Origin{}, s.by)
	v := View{Stream: run.Stream, Figures: run.Figures, Now: run.Stream.Marks.End,
		Runs: s.view.Runs, Look: screen.Look{Lens: s.look.Lens, Task: s.look.Task}}
	curl := ""
	if o, ours := s.from.(*own); ours && run.Stream.ID == s.view.Stream.ID {
		curl = o.back.Curl()
	}
	return s.host.Save(s.from.session().Save, report.Ticket(&run, conclude(&v), by, curl), ".txt")
}

// openDefinitions shows the ended run under the definitions of other tools.
func (s *Screen) openDefinitions() tea.Cmd {
	run, name := s.from.run()
	return s.showDefinitions(name, &run)
}

// showDefinitions opens the definition lab on a run of that name.
func (s *Screen) showDefinitions(name string, run *metrics.Run) tea.Cmd {
	trace, why := definition.Of(&run.Stream, &run.Figures)
	if why != 0 {
		return s.host.Say("no definitions: " + format.Why(why))
	}
	s.host.Open(dialog.NewDefinitions(name+" as other tools define it", trace), nil)
	return nil
}

// measured is a stream as an ended run.
func (s *Screen) measured(st *metrics.Stream) metrics.Run {
	return metrics.Run{Stream: *st, Figures: metrics.Measure(st, metrics.Options{Pace: s.look.Pace})}
}
