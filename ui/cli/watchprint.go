package cli

import (
	"io"
	"os"
	"time"

	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
)

// watchPrinter prints a watch while it runs. Its methods are called one at a time.
type watchPrinter struct {
	o       *Watch
	j       *Job
	w       Watcher
	hook    *hook
	started chan struct{} // closed once the head is printed
	err     error         // the first of a write
}

// begin prints the head.
func (p *watchPrinter) begin(b *watchstat.Board) {
	switch {
	case p.o.NDJSON:
		p.err = p.w.WriteBegin(p.j.Out, b)
	case !p.o.JSON:
		p.err = report.WatchHead(p.j.Out, b)
	}
}

// each prints an update. If nobody can read it, the watch stops: its probes may cost
// something.
func (p *watchPrinter) each(u watchstat.Update) {
	<-p.started
	if p.err != nil {
		p.w.Stop()
		return
	}
	t := &u.Board.Targets[u.Target]
	switch {
	case p.o.NDJSON:
		p.err = p.w.WriteUpdate(p.j.Out, &u)
	case !p.o.JSON:
		p.err = report.WatchLine(p.j.Out, &u)
	}
	if !u.Probe {
		p.o.say(p.j, t.Label, format.WatchPause(t, &u.Board))
		return
	}
	p.o.say(p.j, t.Label, format.WatchEvent(u.Event, t, t.View.Last.At))
	switch u.Event {
	case watchstat.Began, watchstat.Worse, watchstat.Ended:
		if p.j.ErrTerminal {
			_, _ = io.WriteString(p.j.Err, watchNotice(&u)) // a notice that is lost changes nothing
		}
		if doc, err := p.w.Document(&u); err == nil {
			p.hook.run(t.Label, doc)
		}
	}
}

// end prints the result, and writes the file of --junit.
func (p *watchPrinter) end(b *watchstat.Board) error {
	now := time.Now()
	if p.err == nil {
		switch {
		case p.o.JSON || p.o.NDJSON:
			p.err = p.w.WriteEnd(p.j.Out, b, p.o.JSON)
		default:
			p.err = report.WatchResult(p.j.Out, b, now)
		}
	}
	if p.o.JUnit == "" {
		return p.err
	}
	return errs(p.err, writeJUnit(p.o.JUnit, b, now))
}

// writeJUnit writes the file as a whole: a reader never sees half of it.
func writeJUnit(path string, b *watchstat.Board, now time.Time) error {
	tmp := path + ".part"
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	err = report.WatchJUnit(f, b, now)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp) // a full disk needs the room
	}
	return err
}

// notice returns what tells a terminal something in the background: a notification
// where it has them (OSC 9), and the bell.
func notice(text string) string {
	return "\x1b]9;tokscope: " + sanitize.Line(text, 200) + "\x1b\\\a"
}
