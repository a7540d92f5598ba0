package load

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// ReplayBackend is the measuring side as the screen of a recorded load uses it. by
// is a direction, 1 or -1.
type ReplayBackend interface {
	// LoadReplay is the chosen load of the open recording, to its end; ok is false
	// when none is open, or it holds no load.
	LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool)
	// ReplayVersion changes with every command.
	ReplayVersion() uint64
	// LoadReplayNext chooses the next load of the recordings, or the one before. It
	// reports whether there is one.
	LoadReplayNext(by int) bool
	// LoadReplayRequests are the recorded requests of the load that have ended.
	LoadReplayRequests() request.View
	// LoadReplayRequest is one of them, by Row.ID, and what the recording lacks of
	// it.
	LoadReplayRequest(id int) (v metrics.Stream, missing metrics.ReplayMissing, ok bool)
	// CloseReplay closes the replay.
	CloseReplay()
}

// recorded is the chosen load of a recording: one that has ended, and that nothing
// drives.
type recorded struct{ ReplayBackend }

func (b recorded) LoadView() loadstat.View {
	v, _, ok := b.LoadReplay()
	if !ok {
		v.Began = metrics.NoStamp
	}
	return v
}

func (b recorded) LoadVersion() uint64        { return b.ReplayVersion() }
func (b recorded) LoadRequests() request.View { return b.LoadReplayRequests() }

func (b recorded) LoadRequest(id int) (metrics.Stream, bool) {
	v, missing, ok := b.LoadReplayRequest(id)
	return v, ok && missing != metrics.ReplayNoEvents
}

// NewReplay returns the Load screen of a recorded load. It shares the tab of Load.
func NewReplay(d screen.Deps, b ReplayBackend) screen.Screen {
	s := newScreen(d, recorded{b})
	s.rec, s.view.Replay = b, &loadstat.Replay{}
	s.list = s.newList(listing.Config{
		Of:    screen.LoadReplay,
		Title: func(r *request.Row) string { return fmt.Sprintf("request %d, recorded", r.N) },
		Kept:  func(v *request.View) string { return say.LoadReplayKept(v, s.view.Replay) },
		Rule:  func() string { return say.LoadReplayRule },
		Note:  s.lacks,
	})
	s.ID, s.Table = screen.LoadReplay, s.bindings()
	return s
}

// lacks says what the recording lacks of a request.
func (s *Screen) lacks(v *metrics.Stream) string {
	if _, missing, _ := s.rec.LoadReplayRequest(v.ID); missing != "" {
		return say.ReplayMissing(missing)
	}
	return format.If(v.TextRemoved, say.ReplayNoText)
}

// followRecorded takes the slider of the load for the one in use, with its chart
// where the other one's was shown.
func (s *Screen) followRecorded() {
	v, was := &s.view, *s.view.Replay
	_, *v.Replay, _ = s.rec.LoadReplay()
	if *v.Replay != was {
		s.list.Reset()
	}
	l := &v.Load
	s.adopt(loadstat.Drive{Users: min(max(l.Live.Users, 1), loadstat.MaxUsers), Rate: l.Drive.Rate})
}

// statusRecorded names the recording and the load in the header.
func (s *Screen) statusRecorded(st *screen.Status) {
	l := &s.view.Load
	st.Marks = append(st.Marks, screen.Part{Text: " recorded ", Role: themes.Badge})
	st.Endpoint(l.Endpoint, "")
	st.Work = say.LoadReplayOf(sanitize.Line(s.view.Replay.File, screen.FileMost), s.view.Replay)
}

// another shows the load of the recording by further on.
func (s *Screen) another(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if !s.rec.LoadReplayNext(by) {
			return s.host.Say(format.Either(by > 0, "this is the last load of the recording",
				"this is the first load of the recording"))
		}
		s.refresh()
		return nil
	}
}

// recordedKeys are those that only a recorded load has.
func (s *Screen) recordedKeys() []keys.Binding {
	to := func(n screen.Name) func() tea.Cmd { return func() tea.Cmd { return s.host.Show(n) } }
	return []keys.Binding{
		{Do: "load before", Keys: []string{"left"}, Act: s.another(-1), Help: "the load before in the recording"},
		{Do: "next load", Keys: []string{"right"}, Foot: "←/→", Rank: 11,
			Word: keys.When(func() bool { return s.view.Replay.Count > 1 }, "load"), Act: s.another(1),
			Help: "the next load of the recording"},
		{Do: keys.ToLive, Keys: []string{"tab", "1", "shift+tab"}, Rank: 15,
			Word: keys.Always("requests"), Act: to(screen.Replay), Help: "to the requests of the recording on Live"},
		{Do: keys.ToLoad, Keys: []string{"2"}, Act: to(screen.Load), Help: "to Load; the recording stays open"},
	}
}
