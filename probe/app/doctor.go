package app

import (
	"context"
	"io"
	"time"

	found "tokscope/metrics/doctor"
	"tokscope/probe/doctor"
	"tokscope/probe/result"
)

// Intend returns the target and what a check-up of w will send. It sends
// nothing.
func (a *App) Intend(w found.Work) *found.Report {
	o := doctor.Options{Engine: a.Engine, Target: a.Target, Work: w}
	return &found.Report{Endpoint: a.Engine.Shown(a.Target), Started: time.Now(), Plan: doctor.PlanOf(&o)}
}

// Examine does the check-up of w on the target. When ctx ends, it returns what
// is done.
func (a *App) Examine(ctx context.Context, w found.Work) *found.Report {
	o := doctor.Options{Engine: a.Engine, Target: a.Target, Work: w, Timeout: a.timeout}
	if a.Stored != nil {
		o.Usual = a.Stored.Usual
	}
	r := doctor.Run(ctx, o)
	if a.File != nil {
		a.File.Await(flushWithin)
	}
	return r
}

// WriteCheckUp writes the JSON document of a check-up.
func (a *App) WriteCheckUp(out io.Writer, r *found.Report) error {
	return a.Sentences.WriteDocument(out, result.CheckUpOf(r, a.Version, a.Sentences))
}
