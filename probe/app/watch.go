package app

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/watchstat"
	"tokscope/probe/endpoint"
	"tokscope/probe/files"
	stored "tokscope/probe/history"
	"tokscope/probe/program"
	"tokscope/probe/result"
	"tokscope/probe/watch"
)

// Watch is the backend of `tokscope watch` and of its screen. It is safe for
// concurrent use once it has started.
type Watch struct {
	*base
	*watch.Watch // nil before Start
	app          *App
	events       chan watchstat.Update // closed at the end
	warnings     chan string           // the same
}

// eventsKept is how many changes wait for the screen; later ones are in the board.
const eventsKept = 64

// NewWatch returns a watch that has not started.
func (a *App) NewWatch() *Watch {
	o := a.Options
	o.Notify = func() {}
	return &Watch{base: &base{o: o, target: a.Target}, app: a,
		events: make(chan watchstat.Update, eventsKept), warnings: make(chan string, sentencesKept)}
}

// Start resolves the targets and begins to watch. each is called after each probe
// and at both ends of a pause, one call at a time. It sends nothing before it
// returns nil.
func (s *Watch) Start(ctx context.Context, o watchstat.Order, each func(watchstat.Update)) error {
	a := s.app
	rows, err := a.rows(&o)
	if err != nil {
		return err
	}
	keep := a.History.Runs(history.Watch)
	s.Watch = watch.Start(ctx, watch.Config{
		Engine: a.Engine, Plan: o.Plan, Rows: rows, Probes: o.Probes, Most: o.Most, Bounds: o.Bounds,
		Program: o.Program, Conditions: o.Conditions,
		Keep: func(r *metrics.Run) { keep(&r.Stream, &r.Figures) },
		Each: func(u watchstat.Update) {
			if u.Probe {
				a.exporter.SetVerdicts(&u.Board.Targets[u.Target])
			}
			if u.Event != watchstat.NoEvent {
				select {
				case s.events <- u:
				default:
				}
			}
			if each != nil {
				each(u)
			}
			s.notify()
		},
	})
	ended := make(chan struct{})
	go s.pass(ended)
	go func() {
		s.Watch.Wait()
		close(ended)
		close(s.events)
		s.notify()
	}()
	return nil
}

// pass passes on what the exporter says, until the watch has ended: what comes later is said
// at the end of the command.
func (s *Watch) pass(ended <-chan struct{}) {
	defer close(s.warnings)
	for {
		select {
		case text := <-s.app.said:
			s.warnings <- text
		case <-ended:
			return
		}
	}
}

// rows returns a row for each target and workload of o, with what the history knows of it.
func (a *App) rows(o *watchstat.Order) (rows []watch.Row, err error) {
	past := sync.OnceValues(func() ([]history.Entry, error) {
		v, err := a.History.Store().View(history.Query{Filter: "kind:watch",
			From: time.Now().Add(-max(o.Past, sameHourSpan)), Sort: "at"})
		return v.Entries, err
	})
	args := o.Targets
	if len(args) == 0 {
		args = []string{""}
	}
	var labels []string
	for _, arg := range args {
		label, t, err := a.watched(arg)
		if err != nil {
			return nil, err
		}
		if o.Plan.Every < leastElsewhere && !t.Here() {
			return nil, endpoint.Refuse("a probe every "+o.Plan.Every.String()+" is too often for "+
				label+", which is not on this machine", "give --every 10s or more")
		}
		for _, w := range o.Work {
			if err := t.CheckWork(&w); err != nil {
				return nil, err
			}
			r := watch.Row{Label: label, Target: t, Work: w}
			if len(o.Work) > 1 {
				r.Label += " " + w.Name
			}
			r.Label = unique(labels, r.Label)
			labels = append(labels, r.Label)
			if t.Connection != metrics.ReuseAuto {
				r.Work.Connection = t.Connection
			}
			if err := a.baseline(&r, o, past); err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	for _, one := range o.Conditions {
		if one.Of != "" && !slices.Contains(labels, one.Of) {
			return nil, endpoint.Refuse("--fail-if names "+one.Of+", which is not watched",
				"name a target as it is typed, or leave out `of`")
		}
	}
	return rows, nil
}

// watched resolves a target. "" is that of the command line.
func (a *App) watched(arg string) (label string, t endpoint.Target, err error) {
	if arg == "" {
		return cmp.Or(a.Target.Name, a.Target.URL), a.Target, nil
	}
	l, err := lane(&a.Options, arg, "", "")
	return l.Label, l.Target, err
}

// leastElsewhere is the shortest interval for a target elsewhere than on this
// machine.
const leastElsewhere = 10 * time.Second

// sameHourSpan is how far back the same hour of other days is looked for.
const sameHourSpan = 14 * 24 * time.Hour

// baseline fills in what the history knows of a row: its baseline, and the days
// before. past returns the probes of all watches.
func (a *App) baseline(r *watch.Row, o *watchstat.Order, past func() ([]history.Entry, error)) error {
	wanted := o.Baseline != "" || o.Past > 0
	store := a.History.Store()
	if store == nil {
		if wanted {
			return endpoint.Refuse("--baseline needs the history, which is off",
				"leave out --no-history, or learn the baseline: --baseline 'first 20'")
		}
		return nil
	}
	entries, err := past()
	if err != nil {
		if wanted {
			return err
		}
		return nil // the same hour of other days alone needs it
	}
	now := time.Now()
	shown := a.Engine.Shown(r.Target)
	var prompts []string
	for i := range entries {
		e := &entries[i]
		if !alike(&e.Series, &shown, &r.Work) {
			continue
		}
		if len(prompts) == 0 || prompts[0] != e.Series.Prompt {
			prompts = append(prompts, e.Series.Prompt)
		}
		r.Past = append(r.Past, *e)
	}
	switch {
	case len(prompts) > 1 && wanted:
		return endpoint.Refuse("the history has probes of "+r.Label+" with several prompts of its own",
			"watch a ready-made workload, or learn the baseline: --baseline 'first 20'")
	case len(prompts) > 1:
		r.Past = nil
	}
	switch {
	case o.Past > 0:
		from := now.Add(-o.Past)
		for _, e := range r.Past {
			if !e.At.Before(from) {
				r.Baseline = append(r.Baseline, e)
			}
		}
		r.Name = "of the last " + o.Past.String()
	case o.Baseline != "":
		if r.Baseline, err = named(store, o.Baseline, &shown, &r.Work); err != nil {
			return err
		}
		r.Name = o.Baseline
	default:
		return nil
	}
	if n := len(r.Baseline); n < watchstat.MinValues {
		return endpoint.Refuse("the history has too few probes of "+r.Label+
			" with this workload for that baseline: a figure needs 10",
			"watch it for a while first, or learn the baseline: --baseline 'first 20'")
	}
	return nil
}

// named returns the probes of a baseline of the history.
func named(s *stored.Store, name string, e *metrics.Endpoint, w *metrics.Workload) ([]history.Entry, error) {
	all, err := s.Baselines()
	if err != nil {
		return nil, err
	}
	known := false
	for i := range all {
		b := &all[i]
		if b.Name != name {
			continue
		}
		if known = true; !alike(&b.Series, e, w) {
			continue
		}
		v, err := s.View(history.Query{Series: &b.Series, From: b.From, To: b.To, Sort: "at"})
		return v.Entries, err
	}
	if known {
		return nil, endpoint.Refuse("the baseline "+name+" is of another endpoint, model, workload or connection",
			"name one that was measured with the same, or learn it: --baseline 'first 20'")
	}
	return nil, endpoint.Refuse("the history has no baseline "+name,
		"tokscope history lists them; or learn it: --baseline 'first 20'")
}

// alike reports whether a series has the endpoint, the workload and the connection
// of a row.
func alike(s *history.Series, e *metrics.Endpoint, w *metrics.Workload) bool {
	return s.Of(e) && s.Workload == w.Name && s.InputTokens == w.InputTokens &&
		s.MaxTokens == w.MaxTokens && s.Cold == (w.Connection == metrics.ReuseCold)
}

// Events are the updates at which something changed, for one reader. It is closed at
// the end of the watch.
func (s *Watch) Events() <-chan watchstat.Update { return s.events }

// Warnings are sentences about what fails beside the measurement, such as a collector
// that does not answer, for one reader. It is closed at the end of the watch.
func (s *Watch) Warnings() <-chan string { return s.warnings }

// Stop ends the watch.
func (s *Watch) Stop() { s.Watch.Stop(watchstat.EndStopped) }

// WriteBegin, WriteUpdate and WriteEnd write lines of --ndjson; the end indented is
// the document of --json.
func (s *Watch) WriteBegin(out io.Writer, b *watchstat.Board) error {
	return result.WriteWatchBegin(out, b)
}

// WriteUpdate writes the line of a probe or of a pause.
func (s *Watch) WriteUpdate(out io.Writer, u *watchstat.Update) error {
	return result.WriteWatchUpdate(out, u, s.app.Sentences)
}

// WriteEnd writes the last line.
func (s *Watch) WriteEnd(out io.Writer, b *watchstat.Board, indented bool) error {
	return result.WriteWatchEnd(out, b, time.Now(), indented, s.app.Sentences)
}

// SaveAs writes to a path that the person gave: files.Save.
func (s *Watch) SaveAs(path string, write func(io.Writer) error) error {
	return files.Save(path, 0o666, write)
}

// Exec runs a program of the person's, see program.Run.
func (s *Watch) Exec(ctx context.Context, words []string, in []byte) error {
	return program.Run(ctx, words, in, s.Redact)
}

// Redact returns text without keys.
func (s *Watch) Redact(text string) string { return s.o.Engine.Scrubber().String(text) }
