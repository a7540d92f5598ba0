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

// openHistory opens the history of the settings, and what writes it, nil where none is kept. file
// is the session file, "" for none.
func openHistory(s config.Settings, env func(string) string,
	version, file string) (*stored.Store, *stored.Writer, error) {
	store, err := OpenHistory(s, env)
	if err != nil || !HistoryOn(s) {
		return store, nil, err
	}
	return store, stored.NewWriter(store, stored.Source{Version: version, Session: file}), nil
}

// historyEntries are the entries of a load of work on target whose points also go to the
// history. Marks, in their order among the points, are the changes by a person.
type historyEntries struct {
	loadgen.Entries // of the recording
	writer          *stored.Writer
	group           string
	engine          *client.Engine
	target          endpoint.Target
	work            metrics.Workload
	moved           *loadstat.Setting // nil before a change of the work
}

func newHistoryEntries(writer *stored.Writer, e *client.Engine, t endpoint.Target, w metrics.Workload) *historyEntries {
	return &historyEntries{unrecorded{}, writer, stored.NewGroup(), e, t, w, nil}
}

func (h *historyEntries) Point(p *loadstat.Point) {
	h.Entries.Point(p)
	e, work := h.engine.Shown(h.target), h.work
	if h.moved != nil {
		e, work = h.moved.Endpoint, h.moved.Work
	}
	e = h.engine.Resolved(e) // with the model that was found meanwhile
	h.writer.Point(h.group, &e, &work, p, time.Now().Add(-time.Duration(h.engine.Clock().Now()-p.From)))
}

func (h *historyEntries) Mark(m *loadstat.Mark) {
	h.Entries.Mark(m)
	if !loadstat.SameWork(m.From, m.To) {
		h.moved = m.To
	}
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
	h := newHistoryEntries(writer, s.o.Engine, t, w)
	if file == nil {
		return func(*loadstat.View) loadgen.Entries { return h }, nil
	}
	recorded := file.NewLoad()
	h.Entries = recorded
	return func(first *loadstat.View) loadgen.Entries {
		recorded.Begin(first)
		return h
	}, recorded.Request
}
