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
	lines   []string
	done    chan struct{}
}

var watchBegan = time.Date(2026, 11, 2, 14, 0, 0, 0, time.UTC)

func (f *fakeWatcher) Start(_ context.Context, o watchstat.Order, each func(watchstat.Update)) error {
	f.order, f.done = o, make(chan struct{})
	f.board = watchstat.Board{Began: watchBegan, Every: time.Minute, Bounds: o.Bounds, Targets: []watchstat.Target{{Label: "groq\x1b[2J", Work: o.Work[0], View: watchstat.View{Needs: 20}}}}
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
				e.Figures[history.TCP], e.Figures[history.Prefill], e.Figures[history.TTFT], e.Figures[history.TPOT] = known(12), known(250*x), known(20+250*x), known(7)
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

func (f *fakeWatcher) line(out io.Writer, kind string) error {
	f.lines = append(f.lines, kind)
	_, err := io.WriteString(out, kind+"\n")
	return err
}

func (f *fakeWatcher) WriteBegin(out io.Writer, _ *watchstat.Board) error {
	return f.line(out, "begin")
}
func (f *fakeWatcher) WriteUpdate(out io.Writer, u *watchstat.Update) error {
	return f.line(out, "probe "+u.Event.String())
}
func (f *fakeWatcher) WriteEnd(out io.Writer, _ *watchstat.Board, _ bool) error {
	return f.line(out, "end")
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

// TestWatchLines: a line a probe, a sentence at each edge, the counts at the end, and
// no control character.
func TestWatchLines(t *testing.T) {
	out, errOut, err := watchWith(t, &fakeWatcher{end: watchstat.EndProbes}, "groq", "-n", "60")
	if err != nil || errOut != "" || strings.Contains(out, "\x1b") {
		t.Fatalf("%v, stderr %q\n%s", err, errOut, out)
	}
	for _, want := range []string{"become the baseline", "probes learned", "baseline since 14:30 UTC", "again since 14:45:00 UTC", "60 probes · 0 failed"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%q is there %d times:\n%s", want, strings.Count(out, want), out)
		}
	}
	if n := strings.Count(out, "\n14:"); n != 60 {
		t.Errorf("%d lines of probes", n)
	}
}

// TestWatchForms: the lines of --ndjson with sentences on stderr, the document of
// --json, and the file of --junit.
func TestWatchForms(t *testing.T) {
	f := &fakeWatcher{end: watchstat.EndStopped}
	out, errOut, err := watchWith(t, f, "groq", "--ndjson")
	if err != nil || len(f.lines) != 64 || f.lines[0] != "begin" || f.lines[63] != "end" || strings.Count(out, "probe changed\n") != 1 || strings.Count(errOut, "since 14:30 UTC") != 1 {
		t.Errorf("%v, lines %q, stderr:\n%s", err, f.lines, errOut)
	}
	path := filepath.Join(t.TempDir(), "watch.xml")
	f = &fakeWatcher{end: watchstat.EndProbes, fail: true}
	if out, errOut, err = watchWith(t, f, "groq", "--json", "-q", "-n", "60", "--junit", path); CodeOf(err) != ExitFailed || out != "end\n" || errOut != "" {
		t.Errorf("%v: %q, stderr %q", err, out, errOut)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "60 of 60 probes failed") {
		t.Errorf("%v: %s", err, data)
	}
}

// TestWatchExitCodes: stopped is 0, a condition that is met 3.
func TestWatchExitCodes(t *testing.T) {
	for end, want := range map[watchstat.EndCode]int{watchstat.EndStopped: ExitOK, watchstat.EndTime: ExitOK, watchstat.EndProbes: ExitOK, watchstat.EndMet: ExitSLO} {
		if _, _, err := watchWith(t, &fakeWatcher{end: end}, "groq"); CodeOf(err) != want {
			t.Errorf("%s: %v", end, err)
		}
	}
	if _, _, err := watchWith(t, &fakeWatcher{end: watchstat.EndStopped, fail: true}, "groq"); err != nil {
		t.Errorf("stopped while it failed: %v", err)
	}
}

// TestWatchWarns: what fails beside the measurement is said on stderr, also with -q,
// and changes no exit code. The address of the metrics is said without -q alone.
func TestWatchWarns(t *testing.T) {
	f := &fakeWatcher{end: watchstat.EndProbes, warning: "the collector is\x1b[2J dead"}
	out, errOut, err := watchWith(t, f, "groq", "-q", "-n", "60", "--json", "--otlp-endpoint", "http://127.0.0.1:1")
	if err != nil || out != "end\n" || errOut != "tokscope: the collector is␛[2J dead\n" {
		t.Errorf("%v, %q, stderr %q", err, out, errOut)
	}
}

// TestWatchStopsWithoutReader: when nobody reads the lines, nothing more is sent.
func TestWatchStopsWithoutReader(t *testing.T) {
	f := &fakeWatcher{end: watchstat.EndStopped}
	o := Watch{Order: watchstat.Order{Plan: watchstat.Plan{Every: time.Minute, Learn: 20}}}
	err := o.Run(t.Context(), &Job{Console: Console{Out: closed{}, Err: io.Discard}, Settings: settings{}}, f, nil)
	if CodeOf(err) != ExitFailed || !f.stopped {
		t.Errorf("%v, stopped %v", err, f.stopped)
	}
}

// TestWatchOrder: what the flags ask for.
func TestWatchOrder(t *testing.T) {
	f := &fakeWatcher{end: watchstat.EndStopped}
	if _, _, err := watchWith(t, f, "a", "b", "--every", "1m", "-n", "5", "--baseline", "24h", "--max-day-tokens", "1000"); err != nil {
		t.Fatal(err)
	}
	w := f.order.Work[0]
	if o := f.order; len(o.Targets) != 2 || o.Plan.Every != time.Minute || o.Probes != 5 || o.Past != 24*time.Hour || o.Bounds.Tokens != 1000 || w.Connection != metrics.ReuseCold || w.MaxTokens != 24 {
		t.Errorf("%+v", o)
	}
	if _, _, err := watchWith(t, f, "a", "--program", "aa", "--warm"); err != nil {
		t.Fatal(err)
	}
	if o := f.order; len(o.Work) != 2 || o.Work[0].InputTokens != 1000 || o.Work[1].InputTokens != 10_000 || o.Plan.Every != 3*time.Hour || o.Program != "aa" {
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
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
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
	if got, err := os.ReadFile(filepath.Join(dir, "got")); err != nil || string(got) != `{"event":"changed"}` || said.Len() > 0 {
		t.Errorf("got %q, %v, said %q", got, err, said.String())
	}
	h = newHook([]string{"sh", "-c", "echo no luck >&2; exit 3"}, &fakeWatcher{}, &said)
	h.run("a", nil)
	h.wait(t.Context())
	if !strings.Contains(said.String(), "--exec for a: exit status 3: no luck") {
		t.Errorf("said %q", said.String())
	}
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
	if text := said.String(); !strings.Contains(text, "did not run for a: the last one still runs") || !strings.Contains(text, "sleep ended after 50ms") {
		t.Errorf("said %q", text)
	}
	h = newHook([]string{filepath.Join(dir, "none")}, &fakeWatcher{}, &said)
	said.Reset()
	h.run("a", nil)
	h.wait(t.Context())
	if !strings.Contains(said.String(), "no such file") {
		t.Errorf("said %q", said.String())
	}
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
	if text := out.String(); strings.Contains(text, fakeKey) || !strings.Contains(text, "--exec for a [redacted]: exit status 3: [redacted]") {
		t.Errorf("said %q", text)
	}
}
