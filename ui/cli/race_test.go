package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/ui/screen/race"
)

// player plays a race of two lanes at once: of targets in pairs, of which the first is twice
// as fast, or of settings in blocks.
type player struct {
	race.Backend        // nil: a race without a screen asks for the methods below alone
	fail         bool   // the second lane, or the last restart
	lingers      bool   // the server of the first block does not end
	kinds        string // of the lines that were asked for
	view         racestat.View
	stopped      bool
}

func (f *player) RaceStart(p racestat.Plan, each func(racestat.View)) error {
	v := &f.view
	*v = racestat.View{Running: true, Seed: 5, Swap: p.Swap, Work: p.Work, Bounds: p.Bounds, Level: racestat.Level,
		Band: p.Band, Failing: -1}
	switch {
	case f.lingers:
		v.BlockOrder, v.Step, v.Now, v.Block = make([]int, 10), racestat.Starting, 5*time.Second, racestat.Block{N: 1}
		v.Lanes = []racestat.Lane{{Label: "off", Endpoint: metrics.Endpoint{URL: "http://h/v1"}}, {Label: "on"}}
	case p.Swap != nil:
		f.blocks(p, each)
	default:
		f.pairs(p, each)
	}
	return nil
}

func (f *player) pairs(p racestat.Plan, each func(racestat.View)) {
	v, board := &f.view, racestat.NewBoard(2, racestat.Level, p.Band, p.Bounds.Pairs)
	v.Alpha, v.Lanes = board.Alpha(), []racestat.Lane{{Label: "fast"}, {Label: "slow\x1b[2J"}}
	for n := 1; n <= 12 && !f.stopped; n++ {
		r := racestat.Round{N: n, Dropped: n == 1, Order: []int{n % 2, 1 - n%2}, Results: make([]racestat.Result, 2)}
		for lane := range r.Results {
			for _, id := range []figure.ID{figure.TTFT, figure.TPOT, figure.Total, figure.Longest} {
				r.Results[lane].Values[id] = metrics.Known(100*float64(lane+1), 1)
			}
			v.Lanes[lane].Requests++
		}
		if f.fail {
			fault := &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused"}
			r.Results[1].Fault, v.Lanes[1].Last = fault, fault
			v.Lanes[1].Faults = []metrics.FaultCount{{Kind: fault.Kind, N: n}}
		}
		board.Add(&r)
		v.Rounds, v.Verdicts = append(v.Rounds, r), board.Verdicts()
		each(*v)
	}
	v.Running, v.Ended = false, racestat.EndSettled
}

func (f *player) blocks(p racestat.Plan, each func(racestat.View)) {
	v := &f.view
	v.Alpha, v.BlockOrder = racestat.SwapAlpha(2), []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0}
	v.Lanes = []racestat.Lane{{Label: "off"}, {Label: "on"}}
	for n := 1; n <= 10; n++ {
		began := time.Duration(n) * time.Minute
		b := racestat.Block{N: n, Lane: v.BlockOrder[n-1], Began: began, Ready: began + 4*time.Second,
			Results: make([]racestat.Result, 1)}
		if f.fail && n == 10 {
			b.Ready, b.Fault = 0, &metrics.Fault{Kind: metrics.FaultConfig, Message: "exit status 3: no such model"}
			v.Running, v.Block, v.Ended = false, b, racestat.EndRestart
			v.Verdicts = p.Swap.Verdicts(v.Blocks, 2, p.Band, true)
			return
		}
		for _, id := range racestat.Swapped {
			b.Results[0].Values[id] = metrics.Known(float64(100*(b.Lane+1)+n), 1)
		}
		b.Sum()
		v.Blocks = append(v.Blocks, b)
		v.Verdicts = p.Swap.Verdicts(v.Blocks, 2, p.Band, false)
		each(*v)
	}
	v.Running, v.Ended = false, racestat.EndBlocks
}

func (f *player) RaceWait(context.Context) {
	if f.lingers {
		time.Sleep(3 * progressEvery)
	}
}
func (f *player) RaceStop()                     { f.stopped = true }
func (f *player) RaceView() racestat.View       { return f.view }
func (f *player) Wait()                         {}
func (f *player) RaceWrite(out io.Writer) error { _, err := io.WriteString(out, "{}\n"); return err }
func (f *player) RaceLine(_ io.Writer, kind string, _ *racestat.View) error {
	f.kinds += kind + " "
	return nil
}

// TestRaceEnds runs command lines without a terminal, and checks their exit codes, which
// lines stdout has, and all that stderr says. What a line of a pair, of a block and of the
// verdicts says is held by ui/report.
func TestRaceEnds(t *testing.T) {
	const (
		pairs  = "begin pair pair pair pair pair pair pair pair pair pair pair pair end "
		blocks = "begin pair pair pair pair pair pair pair pair pair pair end "
		swap   = "http://h --swap ./serve.sh~'a~b'~{lane} --lanes off,on --blocks 5 "
		runs   = "tokscope: runs ./serve.sh a b {lane} before each of 10 blocks\n"
		waits  = "tokscope: waiting for the old server at http://h/v1 to end\n"
	)
	for _, c := range []struct {
		line   string
		player player
		code   int
		out    string // "*": anything between
		said   string
	}{
		{"a b", player{}, ExitOK, "A  fast\n*seed 5*dropped*\n  11  AB*after 11 pairs", ""},
		{"a b --ndjson", player{kinds: pairs}, ExitOK, "", ""},
		{"a b --json", player{}, ExitOK, "{}\n", ""},
		{"a b --markdown", player{}, ExitOK, "**fast is 2.00x faster*| 11:0", ""},
		{"a b", player{fail: true}, ExitFailed, "", ""},
		// Only an interval beyond the limit as a whole meets a condition.
		{"a b --fail-if ttft~of~B~>~1.2x~A --fail-if ttft~>~3x", player{}, ExitSLO,
			"fail-if     ttft.p50 of B > 1.2x A: met: 2.00x (2.00–2.00)*ttft.p50 > 3x: not met", ""},
		{"a b --fail-if ttft~of~A~>~1.2x~B", player{}, ExitOK, "not met: 0.50x", ""},
		{"a b --fail-if ttft~>~1.2x --markdown", player{}, ExitSLO, "- fail-if: ttft.p50 &gt; 1.2x: met", ""},
		{"a b --fail-if ttft~>~1.2x --json", player{}, ExitSLO, "{}\n",
			"tokscope: ttft.p50 > 1.2x: met: 2.00x (2.00–2.00)\n"},
		{swap, player{}, ExitOK, "\n   10  A off     4.00 s    110 ms*off is 1.95x faster", runs},
		{swap + "--ndjson -q", player{kinds: blocks}, ExitOK, "", ""},
		{swap + "--fail-if tpot~of~on~>~1.1x~off", player{}, ExitSLO, "tpot.p50 of on > 1.1x off: met", runs},
		{swap, player{fail: true}, ExitFailed,
			"The server did not come back as off, for block 10: exit status 3*Nothing is judged", runs},
		// A server that does not end is named, once.
		{swap + "--json", player{lingers: true}, ExitOK, "{}\n", runs + waits},
		{swap + "-q", player{lingers: true}, ExitOK, "", ""},
	} {
		o, kinds := raceOf(t, c.line), c.player.kinds
		c.player.kinds = ""
		var out, said strings.Builder
		err := o.print(t.Context(), &Job{Console: Console{Out: &out, Err: &said}}, metrics.Workload{Name: "chat"}, &c.player)
		testkit.That(t, CodeOf(err) == c.code && said.String() == c.said && c.player.kinds == kinds,
			"%s: %v, stderr %q, lines %q", c.line, err, said.String(), c.player.kinds)
		rest := out.String()
		for part := range strings.SplitSeq(c.out, "*") {
			_, after, ok := strings.Cut(rest, part)
			if rest = after; !ok || strings.Contains(out.String(), "\x1b") || part == "{}\n" && rest != "" {
				t.Errorf("%s: %q is not there, or an escape sequence is:\n%s", c.line, part, out.String())
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	j := &Job{Console: Console{Out: io.Discard, Err: io.Discard}}
	err := raceOf(t, "a b").print(ctx, j, metrics.Workload{}, &player{})
	testkit.Is(t, CodeOf(err), ExitInterrupted, "interrupted", err)
}

// raceOf is what a command line of words asks for.
func raceOf(t *testing.T, line string) (o *Race) {
	t.Helper()
	take := func(_ context.Context, r *Race) error { o = r; return nil }
	testkit.OK(t, execute(t, Actions{Race: take}, words("race "+line)...), line)
	return o
}

// TestRaceFlags checks the plan that the command makes.
func TestRaceFlags(t *testing.T) {
	o := raceOf(t, "a b c --pairs 9 --duration 0 --parallel --band 5 --order-seed 77 --all-pairs "+
		"--fail-if failures~of~b~>~5%")
	want := racestat.Plan{
		Bounds: racestat.Bounds{Pairs: 9, Tokens: 20_000}, Parallel: true, Endless: true, Band: 1.05, Seed: 77,
		Conditions: []condition.Condition{{Figure: figure.Failures, Of: "b",
			Above: true, Limit: 0.05, Unit: condition.Share}},
	}
	diff := cmp.Diff(want, o.plan(metrics.Workload{}))
	testkit.That(t, diff == "" && o.Several && o.Target == "a" && len(o.Contest.Targets) == 3,
		"plan: %s, target %q", diff, o.Target)
	contest := racestat.Contest{Targets: []string{"http://h"}, Settings: []string{"off", "on"}}
	testkit.Same(t, raceOf(t, "http://h --swap ./s~{lane} --lanes off,on").Contest, contest)
}

// closed is an output that nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

// TestRaceStopsWithoutAReader checks that a race whose output cannot be written
// stops, and that the command fails.
func TestRaceStopsWithoutAReader(t *testing.T) {
	f := &player{}
	err := (&Race{}).print(t.Context(), &Job{Console: Console{Out: closed{}, Err: io.Discard}}, metrics.Workload{}, f)
	testkit.That(t, CodeOf(err) == ExitFailed && f.stopped && len(f.view.Rounds) == 1,
		"%v after %d rounds", err, len(f.view.Rounds))
}
