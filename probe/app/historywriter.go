package app

import (
	"path/filepath"
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/client"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
	stored "tokscope/probe/history"
	"tokscope/probe/loadgen"
	"tokscope/probe/session"
)

// historyWithin bounds the wait for the history at the end of the program.
const historyWithin = 2 * time.Second

// HistoryOn reports whether the settings keep a history. --record=false leaves no
// trace, unless the history was asked for.
func HistoryOn(s config.Settings) bool {
	if !s.Bool("defaults.history") {
		return false
	}
	recorded, err := strconv.ParseBool(s.String("defaults.record"))
	return err != nil || recorded || !s.IsDefault("defaults.history")
}

// stateDir returns the folder of state of the settings.
func stateDir(s config.Settings, env func(string) string) (string, error) {
	if dir := s.String("defaults.state_dir"); dir != "" {
		return dir, nil
	}
	return session.StateDir(env)
}

// OpenHistory returns the store of the settings.
func OpenHistory(s config.Settings, env func(string) string) (*stored.Store, error) {
	dir, err := stateDir(s, env)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	return stored.Open(stored.Dir(dir))
}

// openHistory begins the writing of the history. Without it a measurement works as
// well, so a failure becomes a warning.
func (a *App) openHistory(o CommandLine) {
	store, err := OpenHistory(a.Settings, o.Env)
	if err != nil {
		if HistoryOn(a.Settings) && a.File != nil { // else the recording has said it
			a.Warnings = append(a.Warnings, "no history is kept: "+err.Error())
		}
		return
	}
	a.Stored = store
	if !HistoryOn(a.Settings) {
		return
	}
	a.History = stored.NewWriter(store, stored.Source{Version: o.Version, Session: a.Path()})
}

// historyOf returns the history of a command that has no App, nil where none is kept. file is
// the session file, "" for none.
func historyOf(s config.Settings, env func(string) string, version, file string) *stored.Writer {
	if !HistoryOn(s) {
		return nil
	}
	store, err := OpenHistory(s, env)
	if err != nil {
		return nil
	}
	return stored.NewWriter(store, stored.Source{Version: version, Session: file})
}

// historyEntries are the entries of a load's journal that also go to the history.
type historyEntries struct {
	loadgen.Entries // of the recording
	point           func(p *loadstat.Point)
	mark            func(m *loadstat.Mark)
}

func (h *historyEntries) Point(p *loadstat.Point) {
	h.Entries.Point(p)
	h.point(p)
}

func (h *historyEntries) Mark(m *loadstat.Mark) {
	h.Entries.Mark(m)
	h.mark(m)
}

// unrecorded are the entries of a load without a recording.
type unrecorded struct{}

func (unrecorded) Point(*loadstat.Point)                     {}
func (unrecorded) Objectives(metrics.Stamp, []slo.Objective) {}
func (unrecorded) Mark(*loadstat.Mark)                       {}
func (unrecorded) End(*loadstat.View)                        {}

// journal returns the journal of a load and the recording of its requests: in the
// session file, the history, both or neither.
func (s *Load) journal(t endpoint.Target, w metrics.Workload) (j loadgen.Journal, requests func() int) {
	file, writer := s.o.File, s.o.History
	if writer == nil && file == nil {
		return nil, nil
	}
	var recorded *session.Load
	if file != nil {
		recorded = file.NewLoad()
		requests = recorded.Request
	}
	return func(first *loadstat.View) loadgen.Entries {
		h := &historyEntries{Entries: unrecorded{}}
		h.point, h.mark = pointsOf(writer, s.o.Engine, t, w)
		if recorded != nil {
			recorded.Begin(first)
			h.Entries = recorded
		}
		return h
	}, requests
}

// pointsOf returns what writes the points of one load of w on t. mark takes the
// changes by a person, in their order among the points.
func pointsOf(writer *stored.Writer, engine *client.Engine, t endpoint.Target,
	w metrics.Workload) (point func(*loadstat.Point), mark func(*loadstat.Mark)) {
	group := stored.NewGroup()
	var moved *loadstat.Setting
	point = func(p *loadstat.Point) {
		e, work := engine.Shown(t), w
		if moved != nil {
			e, work = moved.Endpoint, moved.Work
		}
		e = engine.Resolved(e) // with the model that was found meanwhile
		writer.Point(group, &e, &work, p, time.Now().Add(-time.Duration(engine.Clock().Now()-p.From)))
	}
	return point, func(m *loadstat.Mark) {
		if !loadstat.SameWork(m.From, m.To) {
			moved = m.To
		}
	}
}
