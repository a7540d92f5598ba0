package live

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// lent takes over what the place of a new source says. A recorded request is
// shown beside those of its recording, by their clock.
func (s *Lane) lent() {
	s.place = s.from.Place()
	rec, ok := s.live.(ReplayBackend)
	s.replays = ok && s.place.Of == screen.LoadReplay
	s.back, s.view.File, s.view.Place = s.live, "", s.place.Stream
	if s.replays {
		s.back = recorded{rec}
		if at, on := rec.ReplayState(); on {
			s.view.File = sanitize.Line(at.File, fileMost)
		}
	}
	s.view.Request, s.view.Message = s.place.Short, s.place.Note
}

// past reports whether the shown stream has ended for good.
func (s *Lane) past() bool { return s.place.Past }

// streaming notes the run of the session that streams beside the shown one. It
// reports whether that has changed.
func (s *Lane) streaming() bool {
	was := s.beside
	s.beside = 0
	if s.place.Of == screen.Live {
		if v := s.live.Snapshot(); v.State != metrics.Idle && !v.State.Ended() {
			s.beside = v.ID
		}
	}
	return s.beside != was
}

// marks adds what goes on beside an ended run, and hides it beside what other
// screens lend.
func (s *Lane) marks(st *screen.Status) {
	st.Alone = s.place.Of != screen.Live
	if s.beside > 0 {
		st.Marks = append(st.Marks, screen.Part{Text: " run " + format.Count(s.beside) + " streams ", Role: themes.Alert})
	}
}

// run is the shown stream as an ended run.
func (s *Lane) run() *metrics.Run {
	return &metrics.Run{Stream: s.view.Stream,
		Figures: metrics.Measure(&s.view.Stream, metrics.Options{Pace: s.look.Pace})}
}

// pin pins the ended stream for all screens, or unpins.
func (s *Lane) pin() {
	if p := s.look.Pinned; p != nil && p.Stream.ID == s.view.Stream.ID {
		s.look.Pinned = nil
		return
	}
	s.look.Pinned = s.run()
}

// pinWord is the word of that key.
func (s *Lane) pinWord() string {
	switch p := s.look.Pinned; {
	case !s.past():
		return ""
	case p != nil && p.Stream.ID == s.view.Stream.ID:
		return "unpin"
	}
	return "pin"
}

// copyRun copies the summary of the ended stream. That of a recorded one names no
// machine: another one may have measured it.
func (s *Lane) copyRun() tea.Cmd {
	by := s.by
	if s.replays {
		by = report.Origin{}
	}
	return s.host.Save(s.back.Save, report.Markdown(*s.run(), conclude(&s.view), by), ".md")
}

// openDefinitions shows the ended stream under the definitions of other tools.
func (s *Lane) openDefinitions() tea.Cmd { return showDefinitions(s.host, s.place.Stream, s.run()) }
