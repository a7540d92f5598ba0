package ui

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// setting is what the load does now.
func (b *loadFake) setting() loadstat.Setting {
	s := b.set
	s.Endpoint, s.Drive = *b.end, loadstat.Drive{Users: b.load.Target}
	return s
}

// marking returns the function that marks what has changed since: b.mu is held.
func (b *loadFake) marking(undo bool) func() {
	was := b.setting()
	return func() {
		now, l := b.setting(), &b.load
		kind := loadstat.Difference(&was, &now)
		if kind == "" || !l.Running {
			return
		}
		if !loadstat.SameWork(&was, &now) {
			if len(l.Setups) == 0 {
				l.Setups = []loadstat.Setting{was}
			}
			l.Path = append(l.Path[:len(l.Path):len(l.Path)], l.Live)
			l.Setup, l.Setups = loadstat.IndexOfWork(l.Setups, &now)
			l.Alone = nil
			l.Live = loadstat.Point{Users: l.Target, Setup: l.Setup}
		}
		m := loadstat.Mark{At: *b.now, Kind: kind, From: &was, To: &now, Undo: undo}
		l.Marks = append(l.Marks[:len(l.Marks):len(l.Marks)], m)
		if !undo {
			b.undo = append(b.undo, m)
		}
		if l.Undo = nil; len(b.undo) > 0 {
			last := b.undo[len(b.undo)-1]
			l.Undo = &last
		}
	}
}

func (b *loadFake) LoadSteer(w metrics.Workload, input, output metrics.Lengths) {
	b.of.Note("load steer "+w.Name, func() {
		defer b.marking(false)()
		b.set.Work, b.set.Input, b.set.Output = w, input, output
	})
}

// LoadMove implements load.Backend. Another endpoint always asks.
func (b *loadFake) LoadMove(e metrics.Endpoint, agreed bool) (need loadstat.Question, err error) {
	b.of.Note("load move "+e.Name+" "+e.Model, func() {
		switch {
		case b.MoveErr != nil:
			err = b.MoveErr
		case e.URL != b.end.URL && !agreed:
			need = b.moving(e)
		default:
			defer b.marking(false)()
			*b.end = e
		}
	})
	return need, err
}

// moving is the question before the load goes on at e.
func (b *loadFake) moving(e metrics.Endpoint) loadstat.Question {
	return loadstat.Question{Endpoint: e.Name, From: b.end.Name,
		Forecast: loadstat.Forecast{Users: b.load.Target, Prompt: 50_000, Output: 100_000, Assumed: 100}}
}

func (b *loadFake) LoadUndo(agreed bool) (need loadstat.Question) {
	b.of.Note("load undo", func() {
		n := len(b.undo)
		if n == 0 {
			return
		}
		m := b.undo[n-1]
		if m.Kind == loadstat.MarkEndpoint && !agreed {
			need = b.moving(m.From.Endpoint)
			return
		}
		b.undo = b.undo[:n-1]
		defer b.marking(true)()
		b.set, *b.end = *m.From, m.From.Endpoint
		if b.load.Target != b.set.Users {
			b.resize(b.set.Users)
		}
	})
	return need
}
