package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/ui"
	"tokscope/ui/uitest"
)

// fakeWatcher plays 60 probes of one target at once, a minute apart; from the 30th
// on prefill takes twice as long, until the 45th.
type fakeWatcher struct {
	ui.Backend
	order   watchstat.Order
	board   watchstat.Board
	end     watchstat.EndCode
	fail    bool // every probe
	warning string
	stopped bool
	done    chan struct{}
}

var watchBegan = time.Date(2026, 11, 2, 14, 0, 0, 0, time.UTC)

func (f *fakeWatcher) Start(_ context.Context, o watchstat.Order, each func(watchstat.Update)) error {
	f.order, f.done = o, make(chan struct{})
	f.board = watchstat.Board{Began: watchBegan, Every: time.Minute, Bounds: o.Bounds,
		Targets: []watchstat.Target{{Label: "groq\x1b[2J", Work: o.Work[0], View: watchstat.View{Needs: 20}}}}
	b := f.board
	go func() {
		w := watchstat.New(watchstat.Plan{Every: time.Minute, Targets: 1})
		for i := range 60 {
			b.Targets = slices.Clone(b.Targets)
			t := &b.Targets[0]
			e := history.Entry{At: watchBegan.Add(time.Duration(i) * time.Minute), N: 1}
			t.Fault = nil
			if f.fail {
				t.Fault = &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "slow\x1b[2J down"}
				e.Failed = 1
			} else {
				x := 1.0
				if i >= 30 && i < 45 {
					x = 2
				}
				known := func(ms float64) metrics.Value { return metrics.Known(ms+float64(i%5), 1) }
				e.Figures[history.TCP], e.Figures[history.Prefill], e.Figures[history.TTFT], e.Figures[history.TPOT] = known(12),
					known(250*x), known(20+250*x), known(7)
			}
			event := w.Add(e)
			t.View = w.View()
			each(watchstat.Update{Board: b, Probe: true, Event: event})
			if f.stopped {
				break
			}
		}
		b.Ended = f.end
		f.board = b
		close(f.done)
	}()
	return nil
}

func (f *fakeWatcher) Wait()                           { <-f.done }
func (f *fakeWatcher) SetNotify(func())                {}
func (f *fakeWatcher) Version() uint64                 { return 1 }
func (f *fakeWatcher) Events() <-chan watchstat.Update { return nil }
func (f *fakeWatcher) Warnings() <-chan string {
	c := make(chan string, 1)
	if f.warning != "" {
		c <- f.warning
	}
	close(c)
	return c
}
func (f *fakeWatcher) Stop()                  { f.stopped = true }
func (f *fakeWatcher) Board() watchstat.Board { return f.board }

func (f *fakeWatcher) WriteBegin(out io.Writer, _ *watchstat.Board) error {
	_, err := io.WriteString(out, "begin\n")
	return err
}
func (f *fakeWatcher) WriteUpdate(out io.Writer, u *watchstat.Update) error {
	_, err := io.WriteString(out, "probe "+string(u.Event)+"\n")
	return err
}
func (f *fakeWatcher) WriteEnd(out io.Writer, _ *watchstat.Board, _ bool) error {
	_, err := io.WriteString(out, "end\n")
	return err
}

func (f *fakeWatcher) SaveAs(path string, write func(io.Writer) error) error {
	var out bytes.Buffer
	err := write(&out)
	return errors.Join(err, os.WriteFile(path, out.Bytes(), 0o600))
}
func (f *fakeWatcher) Redact(text string) string { return noKeys(text) }

func (f *fakeWatcher) Exec(ctx context.Context, words []string, in []byte) error {
	return uitest.Program(ctx, words, in, noKeys)
}

func noKeys(text string) string { return strings.ReplaceAll(text, fakeKey, "[redacted]") }

// fakeKey is what noKeys removes.
const fakeKey = "h5Kq9-zWm2_Tx7Lp4Rv8"

type settings map[string]string

func (s settings) String(name string) string  { return s[name] }
func (s settings) Bool(name string) bool      { return s[name] == "true" }
func (s settings) Int(name string) int        { n, _ := strconv.Atoi(s[name]); return n }
func (s settings) IsDefault(name string) bool { return s[name] == "" }

// watchWith runs the command with flags.
func watchWith(t *testing.T, f *fakeWatcher, args ...string) (out, errOut string, err error) {
	t.Helper()
	err = execute(t, Actions{Watch: func(ctx context.Context, o *Watch) error {
		var a, b bytes.Buffer
		err := o.Run(ctx, &Job{Console: Console{Out: &a, Err: &b}, Settings: settings{}}, f, nil)
		out, errOut = a.String(), b.String()
		return err
	}}, append([]string{"watch"}, args...)...)
	return out, errOut, err
}

// TestWatchEnds runs command lines without a terminal, and checks their exit codes, how often
// stdout and stderr have what, and what one of them has as a whole. What a line says is held by
// ui/report.
func TestWatchEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "watch.xml")
	for _, c := range []struct {
		line      string
		f         fakeWatcher
		code      int
		out, said string         // as a whole, unless times says what is there
		times     map[string]int // on stdout, then stderr
	}{
		// A line a probe, a sentence at each edge, the counts at the end.
		{"-n 60", fakeWatcher{end: watchstat.EndProbes}, ExitOK, "", "", map[string]int{"\n14:": 60, "become the baseline": 1,
			"baseline since 14:30 UTC": 1, "again since 14:45:00 UTC": 1, "60 probes · 0 failed": 1, "\x1b": 0}},
		{"--ndjson", fakeWatcher{end: watchstat.EndStopped}, ExitOK, "", "", map[string]int{"begin\n": 1, "probe ": 60,
			"probe changed\n": 1, "end\n": 1, "since 14:30 UTC": 1}},
		{"--json -q -n 60 --junit " + path, fakeWatcher{end: watchstat.EndProbes, fail: true}, ExitFailed, "end\n", "", nil},
		// What fails beside the measurement is said, also with -q, and changes no exit code.
		{"-q -n 60 --json --otlp-endpoint http://127.0.0.1:1",
			fakeWatcher{end: watchstat.EndProbes, warning: "the collector is\x1b[2J dead"}, ExitOK, "end\n",
			"tokscope: the collector is␛[2J dead\n", nil},
		{"--json -q -n 60", fakeWatcher{end: watchstat.EndTime}, ExitOK, "end\n", "", nil},
		{"--json -q -n 60", fakeWatcher{end: watchstat.EndMet}, ExitSLO, "end\n", "", nil},
		{"--json -n 60", fakeWatcher{end: watchstat.EndStopped, fail: true}, ExitOK, "end\n", "", nil},
	} {
		out, said, err := watchWith(t, &c.f, append([]string{"groq"}, strings.Fields(c.line)...)...)
		testkit.That(t, CodeOf(err) == c.code && (c.times != nil || out == c.out && said == c.said),
			"%s: %v, %q, stderr %q", c.line, err, out, said)
		for part, n := range c.times {
			got := strings.Count(out+said, part)
			testkit.That(t, got == n, "%s: %q is there %d times, not %d:\n%s%s", c.line, part, got, n, out, said)
		}
	}
	testkit.Has(t, string(testkit.Must(os.ReadFile(path))(t)), "60 of 60 probes failed")
}

// TestWatchStopsWithoutReader: when nobody reads the lines, nothing more is sent.
func TestWatchStopsWithoutReader(t *testing.T) {
	f := &fakeWatcher{end: watchstat.EndStopped}
	o := Watch{Order: watchstat.Order{Plan: watchstat.Plan{Every: time.Minute, Learn: 20}}}
	err := o.Run(t.Context(), &Job{Console: Console{Out: closed{}, Err: io.Discard}, Settings: settings{}}, f, nil)
	testkit.That(t, CodeOf(err) == ExitFailed && f.stopped, "%v, stopped %v", err, f.stopped)
}

// TestWatchOrder: what the flags ask for.
func TestWatchOrder(t *testing.T) {
	f := &fakeWatcher{end: watchstat.EndStopped}
	if _, _, err := watchWith(t, f, "a", "b", "--every", "1m", "-n", "5", "--baseline", "24h", "--max-day-tokens",
		"1000"); err != nil {
		t.Fatal(err)
	}
	w := f.order.Work[0]
	if o := f.order; len(o.Targets) != 2 || o.Plan.Every != time.Minute || o.Probes != 5 || o.Past != 24*time.Hour ||
		o.Bounds.Tokens != 1000 || w.Connection != metrics.ReuseCold || w.MaxTokens != 24 {
		t.Errorf("%+v", o)
	}
	if _, _, err := watchWith(t, f, "a", "--program", "aa", "--warm"); err != nil {
		t.Fatal(err)
	}
	if o := f.order; len(o.Work) != 2 || o.Work[0].InputTokens != 1000 || o.Work[1].InputTokens != 10_000 ||
		o.Plan.Every != 3*time.Hour || o.Program != "aa" {
		t.Errorf("%+v", o)
	}
}

// TestSplitWords: quotes group, and nothing reaches a shell.
func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                     nil,
		"  notify  -x ":        {"notify", "-x"},
		`a 'b c' "d 'e'" f""g`: {"a", "b c", "d 'e'", "fg"},
		`a $HOME; rm * \n`:     {"a", "$HOME;", "rm", "*", `\n`},
		`a ''`:                 {"a", ""},
	} {
		got, err := splitWords(line)
		testkit.That(t, err == nil && slices.Equal(got, want), "%q: %q, %v", line, got, err)
	}
}

// TestHook: the program gets the document, never twice at a time for a target, ends
// at its bound, and its failure is said.
func TestHook(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	var said bytes.Buffer
	h := newHook([]string{"sh", "-c", `cat > "$0"`, filepath.Join(dir, "got")}, &fakeWatcher{}, &said)
	h.run("a", []byte(`{"event":"changed"}`))
	h.wait(t.Context())
	if got, err := os.ReadFile(filepath.Join(dir, "got")); err != nil || string(got) != `{"event":"changed"}` ||
		said.Len() > 0 {
		t.Errorf("got %q, %v, said %q", got, err, said.String())
	}
	h = newHook([]string{"sh", "-c", "echo no luck >&2; exit 3"}, &fakeWatcher{}, &said)
	h.run("a", nil)
	h.wait(t.Context())
	testkit.Has(t, said.String(), "--exec for a: exit status 3: no luck")
	said.Reset()
	file := filepath.Join(dir, "go on")
	h = newHook([]string{"sh", "-c", `until [ -e "$0" ]; do sleep 0.02; done`, file}, &fakeWatcher{}, &said)
	h.run("a", nil)
	h.run("a", nil)
	testkit.OK(t, os.WriteFile(file, nil, 0o600))
	h.wait(t.Context())
	h = newHook([]string{"sleep", "60"}, &fakeWatcher{}, &said)
	h.within = 50 * time.Millisecond
	h.run("a", nil)
	h.wait(t.Context())
	if text := said.String(); !strings.Contains(text, "did not run for a: the last one still runs") ||
		!strings.Contains(text, "sleep ended after 50ms") {
		t.Errorf("said %q", text)
	}
	h = newHook([]string{filepath.Join(dir, "none")}, &fakeWatcher{}, &said)
	said.Reset()
	h.run("a", nil)
	h.wait(t.Context())
	testkit.Has(t, said.String(), "no such file")
	newHook(nil, &fakeWatcher{}, &said).run("a", nil)
}

// TestHookPrintsNoKey: of what a program of --exec prints no key is repeated.
func TestHookPrintsNoKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	var out bytes.Buffer
	words := []string{"sh", "-c", `printf h5Kq9-zW >&2; printf '%s\n' m2_Tx7Lp4Rv8 >&2; echo ` + fakeKey + `; exit 3`}
	h := newHook(words, &fakeWatcher{}, &out)
	h.run("a "+fakeKey, nil)
	h.wait(t.Context())
	if text := out.String(); strings.Contains(text, fakeKey) ||
		!strings.Contains(text, "--exec for a [redacted]: exit status 3: [redacted]") {
		t.Errorf("said %q", text)
	}
}
