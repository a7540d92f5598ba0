package app

import (
	"tokscope/metrics"
	kinds "tokscope/metrics/history"
	"tokscope/probe/history"
)

// watchStore returns the history that a watch reads, nil without one.
func (a *App) watchStore() store {
	if s := a.history.Store(); s != nil {
		return s
	}
	return nil
}

// keepWatch returns what keeps the probes of a watch in the history.
func (a *App) keepWatch() func(*metrics.Run) {
	group := history.NewGroup()
	return func(r *metrics.Run) { a.history.Run(kinds.Watch, group, &r.Stream, &r.Figures) }
}
