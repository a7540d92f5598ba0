package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/watchstat"
	"tokscope/ui"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/screen"
	"tokscope/ui/screen/watch"
)

// watchPrinter prints a watch while it runs. Its methods are called one at a time.
type watchPrinter struct {
	o       *Watch
	j       *Job
	w       Watcher
	hook    *hook
	started chan struct{} // closed once the head is printed
	err     error         // the first of a write
	screen  bool          // the screen shows the watch
	later   bytes.Buffer  // what --exec says while the screen is shown
}

// lines prints a line a probe until the end.
func (p *watchPrinter) lines(ctx context.Context, order watchstat.Order) error {
	if err := p.w.Start(ctx, order, p.each); err != nil {
		return err
	}
	b := p.w.Board()
	p.begin(&b)
	close(p.started)
	p.hook.pass(p.w.Warnings())
	p.w.Wait()
	p.hook.wait()
	b = p.w.Board()
	if err := p.end(&b); err != nil {
		return &Exit{ExitFailed, err}
	}
	return nil
}

// show shows the screen until the person quits or ctx ends. The result stays in the
// scrollback.
func (p *watchPrinter) show(ctx context.Context, order watchstat.Order, yield func()) error {
	theme := p.j.Settings.String("defaults.theme")
	colors, err := Look(theme, p.j.Settings.String("ui.color"), p.j.Env, true)
	if err != nil {
		return err
	}
	opt := p.o.screens(p.j, order.Work[0])
	opt.Theme, opt.Profile, opt.Yield = theme, colors, yield
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	close(p.started)
	if err := p.w.Start(ctx, order, p.each); err != nil {
		return err
	}
	m := ui.New([]screen.Maker{watch.New}, p.w, opt)
	p.w.SetNotify(m.Notify)
	err = m.Run(ctx, tea.WithoutSignalHandler())
	p.w.Stop()
	p.w.Wait()
	p.hook.pass(p.w.Warnings()) // those that the screen has not shown
	p.hook.wait()
	if errors.Is(err, ui.ErrStuck) { // the result would wait too
		return &Exit{Code: ExitInterrupted}
	}
	b := p.w.Board()
	_, _ = p.j.Err.Write(p.later.Bytes()) // nothing else can be done about stderr
	if p.err = p.end(&b); err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ui.ErrInterrupted) {
		err = p.err
	}
	if err != nil {
		return &Exit{ExitFailed, err}
	}
	return nil
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
	case p.screen:
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
		if p.j.ErrTerminal && !p.screen {
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
	err := p.w.SaveAs(p.o.JUnit, func(out io.Writer) error { return report.WatchJUnit(out, b, now) })
	if err != nil {
		err = fmt.Errorf("--junit: %w; check the path, or name another file", err)
	}
	return errs(p.err, err)
}
