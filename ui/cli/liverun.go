package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui"
	"tokscope/ui/format"
	"tokscope/ui/plain"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	"tokscope/ui/screen/tap"
)

// Session is what the terminal interface and its lines drive. Screens ask it for
// interfaces of their own.
type Session interface {
	ui.Backend
	plain.Backend
	plain.TourBackend
	// SetNotify sets what is called when something rare has happened.
	SetNotify(f func())
	// Wait returns once everything has ended that Stop and the screens end.
	Wait()
	// PlayFiles plays recordings. LoadReplay is the first load that they hold.
	PlayFiles(ctx context.Context, stdin io.Reader, p metrics.ReplayPlan) error
	LoadReplay() (loadstat.View, loadstat.Replay, bool)
}

// Run carries out `tokscope [TARGET]`: the terminal interface, or its lines.
// begin returns the session once the flags are known to be good. yield is
// ui.Options.Yield.
func (o *Live) Run(ctx context.Context, j *Job, begin func() Session, yield func()) error {
	w, err := o.Workload(ctx, j)
	if err != nil {
		return err
	}
	tty, asked, term := j.OutTerminal && j.InTerminal, j.Settings.Bool("ui.plain"), j.Env("TERM")
	lines := asked || tty && !drawable(term, runtime.GOOS)
	w, first := o.FirstRun(w, j, !lines && !o.Tour)
	opt, err := o.screens(j, w, yield)
	if err != nil {
		return err
	}
	switch {
	case lines && !asked:
		fmt.Fprintf(j.Err, "tokscope: TERM is %q, which draws no screen: lines instead, as with --plain\n",
			sanitize.Line(term, 40))
	case !tty && !lines:
		use := format.Either(o.Tour, "`tokscope tour --list` for the lessons", "`tokscope probe` for figures")
		return Usage("stdout is not a terminal: use %s, or --plain for lines", use)
	}
	if lines && o.Replay != nil {
		return o.ReplayLines()
	}
	s := begin()
	if o.Replay != nil {
		_, err := Reading(ctx, j.Console, o.Replay.Files,
			func() (struct{}, error) { return struct{}{}, s.PlayFiles(ctx, nil, *o.Replay) })
		if err != nil {
			s.Wait()
			return err
		}
	}
	last := func() string { return "" } // what stays in the scrollback
	switch {
	case lines && o.Tour:
		err = plain.Tour(ctx, s, j.Out, o.Lesson)
	case lines:
		err = plain.Run(ctx, s, j.Out, w, origin())
	default:
		opt.Screens.FirstMinute = first
		if _, at, ok := s.LoadReplay(); o.Replay != nil && ok && at.Requests == 0 { // a load, and no request beside it
			opt.First = screen.LoadReplay
		}
		all := registry.All()
		if o.Tap != nil {
			all = append(all, tap.New(o.Tap))
		}
		m := ui.New(all, s, opt)
		s.SetNotify(m.Notify)
		err = m.Run(ctx, tea.WithoutSignalHandler())
		last = m.Summary
	}
	s.Stop()
	s.Wait()
	if errors.Is(err, ui.ErrStuck) { // the summary would wait too
		return &Exit{Code: ExitInterrupted}
	}
	fmt.Fprint(j.Out, last())
	interrupted := errors.Is(err, ui.ErrInterrupted)
	switch {
	case err != nil && !interrupted && !errors.Is(err, context.Canceled):
		return &Exit{ExitFailed, err}
	case interrupted || ctx.Err() != nil:
		return &Exit{Code: ExitInterrupted}
	}
	return nil
}

// drawable reports whether a person is there who sees a screen.
func (c *Console) drawable() bool {
	return c.InTerminal && c.OutTerminal && drawable(c.Env("TERM"), runtime.GOOS)
}

// drawable reports whether a terminal of that TERM on that system can move its
// cursor. Windows sets no TERM.
func drawable(term, system string) bool {
	return term != "dumb" && (term != "" || system == "windows")
}

// screens returns the options of the interface that settings and flags decide. yield is
// ui.Options.Yield.
func (o *Live) screens(j *Job, w metrics.Workload, yield func()) (opt ui.Options, err error) {
	opt = ui.Options{Theme: j.Settings.String("defaults.theme"), Yield: yield,
		Screens: screen.Options{Work: w, Pace: j.pace().Name,
			Units: j.Settings.String("ui.units"), Lesson: o.Lesson, By: origin()},
		ASCII: j.Settings.Bool("ui.ascii"), ReducedMotion: j.Settings.Bool("ui.reduced_motion"),
		Mouse: j.Settings.Bool("ui.mouse"), FPS: j.Settings.Int("ui.fps"), Start: true,
	}
	if opt.FPS <= 0 {
		opt.FPS = ui.FPSFor(j.Env)
	}
	if o.NamesWork() { // else a load sends the Load screen's own
		opt.Screens.LoadWork = w
	}
	if o.Tour {
		opt.First = screen.Explain
	}
	if o.Replay != nil {
		opt.First = screen.Replay
	}
	if o.Tap != nil {
		opt.First = tap.Name
	}
	if o.Race != nil {
		opt.First, opt.Screens.Race = screen.Race, *o.Race
	}
	opt.Profile, err = Look(opt.Theme, j.Settings.String("ui.color"), j.Env, j.OutTerminal && j.InTerminal)
	return opt, err
}

// Look checks the name of a theme ("" is the default one). It returns the
// color profile that the choice (auto, always, never), the environment and
// the output allow.
func Look(theme, color string, env func(string) string, tty bool) (themes.Profile, error) {
	if _, ok := themes.ByName(theme); !ok && theme != "" {
		return 0, Usage("theme %q: give one of %s", theme, strings.Join(themes.Names(), ", "))
	}
	profile, err := themes.ProfileOf(color, env, tty)
	if err != nil {
		return 0, Usage("%v", err)
	}
	return profile, nil
}
