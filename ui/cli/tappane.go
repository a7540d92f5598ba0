package cli

import (
	"context"
	"io"
	"os"
	"time"

	"tokscope/metrics/turn"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen/tap"
)

// TapPane is the session of a tap, one that runs or a recorded one, as it is shown.
type TapPane interface {
	tap.Backend
	Close() error
}

// ShowRunning is `tokscope tap` alone: it shows the tap of this user that runs. open opens its
// session file, live the terminal interface.
func (o *Tap) ShowRunning(ctx context.Context, running []turn.Tapped, open func(path string) (TapPane, error),
	live func(context.Context, *Live) error) error {
	c := Process()
	switch n := len(running); {
	case n == 0:
		return Usage("no tap of yours runs: start one with tokscope tap -- claude, or give --to URL for any client")
	case n > 1:
		_, _ = io.WriteString(c.Out, report.TapsRunning(running).Text(0))
		return Usage("%d taps run: open one of them", n)
	}
	p, err := open(running[0].File)
	if err != nil {
		return err
	}
	o.Target = embedded
	return o.Live.showTap(ctx, c, p, live)
}

// showTap shows p until the person quits, or as lines until it ends, and closes it.
func (o *Live) showTap(ctx context.Context, c Console, p TapPane, live func(context.Context, *Live) error) error {
	defer func() { _ = p.Close() }()
	if o.Given("plain") || !c.drawable() {
		return tapLines(ctx, c.Out, p)
	}
	o.Tap = p
	return live(ctx, o)
}

// linesEvery is how often tapLines looks for turns that have ended.
const linesEvery = 250 * time.Millisecond

// tapLines writes a line for each turn as it ends, and at the end of the tap the summary.
func tapLines(ctx context.Context, out io.Writer, p TapPane) error {
	told := map[int]bool{}
	for ctx.Err() == nil {
		goesOn := p.Live()
		p.Look()
		v := p.View()
		for i := range v.Turns {
			if s := v.Turns[i].Stream(); s.State.Ended() && !told[s.ID] {
				told[s.ID] = true
				if err := tapLine(out, &v, i); err != nil {
					return failedWith(err)
				}
			}
		}
		if !goesOn {
			_, err := io.WriteString(out, "\n"+report.Tap(&v, p.About()).Text(terminalWidth(out)))
			return failedWith(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(linesEvery):
		}
	}
	return &Exit{Code: ExitInterrupted}
}

// tapLine writes the line of turn i of v.
func tapLine(out io.Writer, v *turn.View, i int) error {
	_, err := io.WriteString(out, sanitize.Line(say.TapLine(v, &v.Turns[i]), 1000)+"\n")
	return err
}

// split opens the session of t in another pane of tmux. It returns what is wrong, "" for
// nothing.
func (o *Tap) split(ctx context.Context, c Console, t Tapper) string {
	const by = "; run tokscope tap in another terminal"
	file := t.About().File
	switch {
	case file == "":
		return "--split needs the session file: leave out --record=false"
	case c.Env("TMUX") == "":
		return "--split needs tmux" + by
	}
	self, err := os.Executable()
	if err == nil {
		err = t.Exec(ctx, []string{"tmux", "split-window", "-d", "-l", "60%", self, "replay", file}, nil)
	}
	if err != nil {
		return "tmux opened no pane: " + err.Error() + by
	}
	return ""
}
