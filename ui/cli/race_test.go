package cli

import (
	"bytes"
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

// fakeRacer plays a race of two lanes at once.
type fakeRacer struct {
	race.Backend // nil: a race without a screen asks for the methods below alone
	plan         racestat.Plan
	view         racestat.View
	fail         bool // the second lane fails
	kinds        []string
	stopped      bool
}

func (f *fakeRacer) RaceStart(p racestat.Plan, round func(racestat.View)) error {
	f.plan = p
	board := racestat.NewBoard(2, racestat.Level, p.Band, p.Bounds.Pairs)
	f.view = racestat.View{Running: true, Seed: 5, Work: p.Work, Bounds: p.Bounds, Level: racestat.Level, Alpha: board.Alpha(), Band: p.Band, Failing: -1,
		Lanes: []racestat.Lane{{Label: "fast"}, {Label: "slow\x1b[2J"}}}
	for n := 1; n <= 12; n++ {
		r := racestat.Round{N: n, Dropped: n == 1, Order: []int{n % 2, 1 - n%2}}
		for lane := range 2 {
			ms := metrics.Known(100*float64(lane+1), 1)
			r.Results = append(r.Results, racestat.Result{Values: [figure.Kept]metrics.Value{figure.TTFT: ms, figure.TPOT: ms, figure.Total: ms, figure.Longest: ms}})
			f.view.Lanes[lane].Requests++
			if f.fail && lane == 1 {
				fault := &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused"}
				r.Results[1].Fault, f.view.Lanes[1].Last = fault, fault
				f.view.Lanes[1].Faults = []metrics.FaultCount{{Kind: fault.Kind, N: n}}
			}
		}
		board.Add(&r)
		f.view.Rounds = append(f.view.Rounds, r)
		f.view.Verdicts = board.Verdicts()
		round(f.view)
		if f.stopped {
			break
		}
	}
	f.view.Running, f.view.Ended = false, racestat.EndSettled
	return nil
}

func (f *fakeRacer) RaceWait(context.Context)      {}
func (f *fakeRacer) RaceStop()                     { f.stopped = true }
func (f *fakeRacer) RaceView() racestat.View       { return f.view }
func (f *fakeRacer) Wait()                         {}
func (f *fakeRacer) RaceWrite(out io.Writer) error { _, err := io.WriteString(out, "{}\n"); return err }
func (f *fakeRacer) RaceLine(out io.Writer, kind string, _ *racestat.View) error {
	f.kinds = append(f.kinds, kind)
	_, err := io.WriteString(out, kind+"\n")
	return err
}

// printed runs the command without a terminal and returns what it prints.
func printed(t *testing.T, o *Race, f *fakeRacer) (string, error) {
	t.Helper()
	var out bytes.Buffer
	o.Plan.Bounds.Pairs, o.Band = 30, 3
	err := o.print(t.Context(), &Job{Console: Console{Out: &out, Err: io.Discard}}, metrics.Workload{Name: "chat"}, f)
	return out.String(), err
}

// TestRaceText checks the lines of a race: a line a pair, then the verdicts, and no
// control character of a label.
func TestRaceText(t *testing.T) {
	text, err := printed(t, &Race{}, &fakeRacer{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A  fast\n", "order drawn with seed 5", "dropped: it warms up", "\n  11  AB", "after 11 pairs"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("a control character is printed")
	}
}

// TestRaceForms checks the other outputs and the exit codes.
func TestRaceForms(t *testing.T) {
	f := &fakeRacer{}
	text, err := printed(t, &Race{Form: Form{NDJSON: true}}, f)
	if err != nil || len(f.kinds) != 14 || f.kinds[0] != "begin" || f.kinds[13] != "end" || strings.Count(text, "pair\n") != 12 {
		t.Errorf("lines %v, %v", f.kinds, err)
	}
	if text, err := printed(t, &Race{Form: Form{JSON: true}}, &fakeRacer{}); text != "{}\n" || err != nil {
		t.Errorf("document %q, %v", text, err)
	}
	text, err = printed(t, &Race{Form: Form{Markdown: true}}, &fakeRacer{})
	if err != nil || !strings.HasPrefix(text, "**fast is 2.00x faster to the first token than slow") || !strings.Contains(strings.Join(strings.Fields(text), " "), " | TTFT | A : B | 100 ms | 200 ms | 2.00x | 2.00–2.00 | 11:0 | 11 | A 2.00x faster (2.00–2.00), in these 11 pairs |") {
		t.Errorf("Markdown, %v:\n%s", err, text)
	}
	if _, err = printed(t, &Race{}, &fakeRacer{fail: true}); CodeOf(err) != ExitFailed {
		t.Errorf("a target failed throughout: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err = (&Race{}).print(ctx, &Job{Console: Console{Out: io.Discard, Err: io.Discard}}, metrics.Workload{}, &fakeRacer{})
	if CodeOf(err) != ExitInterrupted {
		t.Errorf("interrupted: %v", err)
	}
}

// TestRaceFlags checks the plan that the command makes.
func TestRaceFlags(t *testing.T) {
	o := &Race{}
	take := func(_ context.Context, r *Race) error { o = r; return nil }
	if err := execute(t, Actions{Race: take}, "race", "a", "b", "c", "--pairs", "9", "--duration", "0", "--parallel", "--band", "5",
		"--order-seed", "77", "--all-pairs", "--fail-if", "failures of b > 5%"); err != nil {
		t.Fatal(err)
	}
	want := racestat.Plan{
		Bounds: racestat.Bounds{Pairs: 9, Tokens: 20_000}, Parallel: true, Endless: true, Band: 1.05, Seed: 77,
		Conditions: []condition.Condition{{Figure: o.Plan.Conditions[0].Figure, Failures: true, Of: "b", Above: true, Limit: 0.05, Unit: condition.Share}},
	}
	if diff := cmp.Diff(want, o.plan(metrics.Workload{})); diff != "" || !o.Several || o.Target != "a" || len(o.Contest.Targets) != 3 {
		t.Errorf("plan: %s, target %q", diff, o.Target)
	}
}

// fakeSwapper plays a race of two settings: a restart takes a moment, and the last one
// fails where fail is set.
type fakeSwapper struct{ fakeRacer }

func (f *fakeSwapper) RaceStart(p racestat.Plan, round func(racestat.View)) error {
	v := &f.view
	f.plan, *v = p, racestat.View{Running: true, Swap: p.Swap, Work: p.Work, Level: racestat.Level, Alpha: racestat.SwapAlpha(2), Band: p.Band,
		BlockOrder: []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, Lanes: []racestat.Lane{{Label: "off"}, {Label: "on"}}, Failing: -1}
	for n := 1; n <= 10; n++ {
		b := racestat.Block{N: n, Lane: v.BlockOrder[n-1], Began: time.Duration(n) * time.Minute, Ready: time.Duration(n)*time.Minute + 4*time.Second,
			Results: make([]racestat.Result, 1)}
		if f.fail && n == 10 {
			b.Ready, b.Fault = 0, &metrics.Fault{Kind: metrics.FaultConfig, Message: "exit status 3: no such model"}
			v.Running, v.Block, v.Ended = false, b, racestat.EndRestart
			v.Verdicts = p.Swap.Verdicts(v.Blocks, 2, p.Band, true)
			return nil
		}
		for _, id := range racestat.Swapped {
			b.Results[0].Values[id] = metrics.Known(float64(100*(b.Lane+1)+n), 1)
		}
		b.Sum()
		v.Blocks = append(v.Blocks, b)
		v.Verdicts = p.Swap.Verdicts(v.Blocks, 2, p.Band, false)
		round(*v)
	}
	v.Running, v.Ended = false, racestat.EndBlocks
	return nil
}

// swapped runs a race of two settings with more flags, and returns what it prints.
func swapped(t *testing.T, f Racer, flags ...string) (out, messages string, err error) {
	t.Helper()
	var o *Race
	take := func(_ context.Context, r *Race) error { o = r; return nil }
	args := append([]string{"race", "http://h", "--swap", "./serve.sh 'a b' {lane}", "--lanes", "off,on", "--blocks", "5"}, flags...)
	if err = execute(t, Actions{Race: take}, args...); err != nil {
		return "", "", err
	}
	want := racestat.Contest{Targets: []string{"http://h"}, Settings: []string{"off", "on"}}
	if diff := cmp.Diff(want, o.Contest); diff != "" {
		t.Error(diff)
	}
	var text, said bytes.Buffer
	err = o.print(t.Context(), &Job{Console: Console{Out: &text, Err: &said}}, metrics.Workload{Name: "chat"}, f)
	return text.String(), said.String(), err
}

// TestSwap checks the forms and the exit codes of a race between settings, and that it
// says which program it runs.
func TestSwap(t *testing.T) {
	f := &fakeSwapper{}
	text, said, err := swapped(t, f)
	if err != nil || said != "tokscope: runs ./serve.sh a b {lane} before each of 10 blocks\n" {
		t.Errorf("%v, stderr %q", err, said)
	}
	for _, want := range []string{"B           on", "swap        ./serve.sh a b {lane} before each of 10 blocks", "5 requests a block", "\n   10  A off     4.00 s    110 ms",
		"off is 1.95x faster to the first token than on (1.86–2.03). Also TPOT 1.95x.", "0.0079", "restarts    A 4.00 s (median of 5)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, _, err = swapped(t, f, "--ndjson", "-q"); err != nil || len(f.kinds) != 12 || f.kinds[0] != "begin" || f.kinds[11] != "end" {
		t.Errorf("%v, lines %v", err, f.kinds)
	}
	if _, _, err = swapped(t, f, "--fail-if", "tpot of on > 1.1x off"); CodeOf(err) != ExitSLO {
		t.Errorf("--fail-if: %v", err)
	}
	failed := &fakeSwapper{fakeRacer{fail: true}}
	if text, _, err = swapped(t, failed); CodeOf(err) != ExitFailed || !strings.Contains(text, "The server did not come back as off, for block 10: exit status 3") ||
		!strings.Contains(text, "Nothing is judged") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// lingering plays a race whose first restart waits for a server that stays.
type lingering struct{ fakeSwapper }

func (f *lingering) RaceStart(p racestat.Plan, _ func(racestat.View)) error {
	f.view = racestat.View{Running: true, Swap: p.Swap, BlockOrder: make([]int, 10), Step: racestat.Starting, Now: 5 * time.Second,
		Lanes: []racestat.Lane{{Label: "off", Endpoint: metrics.Endpoint{URL: "http://h/v1"}}, {Label: "on"}}, Block: racestat.Block{N: 1}, Failing: -1}
	return nil
}

func (f *lingering) RaceWait(context.Context) { time.Sleep(3 * progressEvery) }

// TestSwapTellsWhatItWaitsFor: without a terminal stderr names a server that does not end,
// once.
func TestSwapTellsWhatItWaitsFor(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--json", "tokscope: runs ./serve.sh a b {lane} before each of 10 blocks\ntokscope: waiting for the old server at http://h/v1 to end\n"}, {"-q", ""},
	} {
		if _, said, _ := swapped(t, &lingering{}, c.flag); said != c.want {
			t.Errorf("%s: %q", c.flag, said)
		}
	}
}

// TestSwapRefuses checks that flags that make no race of settings are refused with the
// next step, before anything runs.
func TestSwapRefuses(t *testing.T) {
	run := func(context.Context, *Race) error { t.Error("it runs"); return nil }
	for line, want := range map[string]string{
		"race http://h --swap ./s:{lane}":                                          "--swap and --lanes go together: add --lanes",
		"race http://h --lanes a,b":                                                "--swap and --lanes go together: add --swap",
		"race a b --blocks 6":                                                      "--blocks is of blocks: add --swap CMD",
		"race a b --swap ./s:{lane} --lanes a,b":                                   "give one target",
		"race --swap ./s:{lane} --lanes a,b":                                       "give one target",
		"race h --swap ./s --lanes a,b":                                            "write {lane}",
		"race h --swap ./s:{lane} --lanes a":                                       "2 to 6 settings",
		"race h --swap ./s:{lane} --lanes a,a":                                     "the setting \"a\": give each a name of its own",
		"race h --swap ./s:{lane} --lanes a,$b":                                    "of letters, digits and",
		"race h --swap ./s:{lane} --lanes a,b --blocks 4":                          "5",
		"race h --swap ./s:{lane} --lanes a,b --requests 0":                        "requests",
		"race h --swap './s:{lane} --lanes a,b":                                    "the quote ' is not closed",
		"race h --swap ./s:{lane} --lanes a,b --pairs 9":                           "--pairs and --swap exclude each other",
		"race h --swap ./s:{lane} --lanes a,b --parallel":                          "--parallel and --swap exclude each other",
		"race h --swap ./s:{lane} --lanes a,b --fail-if total~of~b~>~1.1x~a":       "such as 'tpot of b > 1.1x a'",
		"race h --swap ./s:{lane} --lanes a,b --fail-if ttft~of~b~>~50ms":          "the ratio of ttft and of tpot alone",
		"race h --swap ./s:{lane} --lanes a,b --fail-if ttft~of~c~>~1.1x~a":        "no lane is called c",
		"race h --swap ./s:{lane} --lanes a,b --max-total-tokens 5 --order-seed 1": "--max-total-tokens and --swap exclude each other",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		if err := execute(t, Actions{Race: run}, args...); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// closed is an output that nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

// TestRaceStopsWithoutAReader checks that a race whose output cannot be written
// stops, and that the command fails.
func TestRaceStopsWithoutAReader(t *testing.T) {
	f := &fakeRacer{}
	err := (&Race{}).print(t.Context(), &Job{Console: Console{Out: closed{}, Err: io.Discard}}, metrics.Workload{}, f)
	if CodeOf(err) != ExitFailed || !f.stopped || len(f.view.Rounds) != 1 {
		t.Errorf("%v after %d rounds", err, len(f.view.Rounds))
	}
}

// TestRaceFailIf checks exit code and output of --fail-if: only an interval beyond
// the limit as a whole meets it.
func TestRaceFailIf(t *testing.T) {
	conditions := func(texts ...string) (o *Race) {
		o = &Race{}
		for _, text := range texts {
			o.Plan.Conditions = append(o.Plan.Conditions, testkit.Must(condition.Parse(text))(t))
			testkit.OK(t, o.checkConditions([]racestat.Lane{{Label: "fast"}, {Label: "slow"}}))
		}
		return o
	}
	text, err := printed(t, conditions("ttft of B > 1.2x A", "ttft > 3x"), &fakeRacer{})
	if CodeOf(err) != ExitSLO || !strings.Contains(text, "fail-if     ttft.p50 of B > 1.2x A: met: 2.00x (2.00–2.00)") || !strings.Contains(text, "ttft.p50 > 3x: not met") {
		t.Errorf("%v:\n%s", err, text)
	}
	if text, err = printed(t, conditions("ttft of A > 1.2x B"), &fakeRacer{}); err != nil || !strings.Contains(text, "not met: 0.50x") {
		t.Errorf("%v:\n%s", err, text)
	}
	o := conditions("ttft > 1.2x")
	o.Markdown = true
	if text, err = printed(t, o, &fakeRacer{}); CodeOf(err) != ExitSLO || !strings.Contains(text, "- fail-if: ttft.p50 &gt; 1.2x: met") {
		t.Errorf("%v:\n%s", err, text)
	}
	o = conditions("ttft > 1.2x")
	o.JSON = true
	if text, err = printed(t, o, &fakeRacer{}); CodeOf(err) != ExitSLO || text != "{}\n" {
		t.Errorf("%v:\n%s", err, text)
	}
}
