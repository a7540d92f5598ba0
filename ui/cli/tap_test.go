package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/ui/uitest"
)

// fakeTap is a tap behind which a session of nine turns has passed: the sixth failed, and behind the
// last the client waits for a person.
type fakeTap struct {
	*uitest.Tap
	changed  chan struct{}
	code     int
	run      func() // while the command runs
	recorded []int
	exported []int
	ended    bool
}

func newFakeTap() *fakeTap {
	return &fakeTap{Tap: uitest.NewTap("for you"), changed: make(chan struct{}, 1)}
}

func (f *fakeTap) Agents() []turn.Agent {
	return []turn.Agent{{Title: "Claude Code", How: []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:40404 claude"}}}
}
func (f *fakeTap) Changed() <-chan struct{}  { return f.changed }
func (f *fakeTap) View(open bool) turn.View  { return f.Session.View(f.Now(), open) }
func (f *fakeTap) Record(t *turn.Turn)       { f.recorded = append(f.recorded, t.Stream().ID) }
func (f *fakeTap) Export(t *turn.Turn)       { f.exported = append(f.exported, t.Stream().ID) }
func (f *fakeTap) MetricsURL() string        { return "http://127.0.0.1:9/metrics" }
func (f *fakeTap) End() error                { f.ended = true; return nil }
func (f *fakeTap) Close() []string           { return []string{"a note at the end"} }
func (f *fakeTap) Redact(text string) string { return noKeys(text) }
func (f *fakeTap) Run() (int, error) {
	if f.run != nil {
		f.run()
	}
	return f.code, nil
}
func (f *fakeTap) WriteTurn(out io.Writer, v *turn.View, i int, event string) error {
	_, err := io.WriteString(out, "turn "+string(rune('1'+i))+" "+event+"\n")
	return err
}
func (f *fakeTap) WriteEnd(out io.Writer, _ *turn.View) error {
	_, err := io.WriteString(out, "document\n")
	return err
}
func (f *fakeTap) Create(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}
func (f *fakeTap) Exec(ctx context.Context, words []string, in []byte) error {
	return uitest.Program(ctx, words, in, noKeys)
}

// tapWith runs the command with flags.
func tapWith(t *testing.T, f *fakeTap, args ...string) (out, errOut string, err error) {
	t.Helper()
	err = execute(t, Actions{Tap: func(ctx context.Context, o *Tap) error {
		var a, b bytes.Buffer
		ctx, cancel := context.WithCancel(ctx)
		if cancel(); len(o.Words) > 0 {
			ctx = t.Context()
		}
		err := o.Run(ctx, Console{Out: &a, Err: &b}, f)
		out, errOut = a.String(), b.String()
		return err
	}}, append([]string{"tap"}, args...)...)
	return out, errOut, err
}

// TestTapOwnsNoStdout holds that stdout stays the agent's, that its exit code is the program's,
// and that its turns are recorded once.
func TestTapOwnsNoStdout(t *testing.T) {
	f := newFakeTap()
	f.code = 7
	f.run = func() { f.changed <- struct{}{} }
	path := filepath.Join(t.TempDir(), "turns.ndjson")
	out, errOut, err := tapWith(t, f, "--ndjson", "--out", path, "--", "claude", "--json")
	slices.Sort(f.recorded)
	slices.Sort(f.exported)
	if out != "" || CodeOf(err) != 7 || !f.ended || len(f.recorded) != 9 ||
		!slices.Equal(f.exported, f.recorded) || !strings.Contains(errOut, "metrics at http://127.0.0.1:9/metrics") {
		t.Errorf("stdout %q, %v, recorded %v, exported %v", out, err, f.recorded, f.exported)
	}
	if got, _ := os.ReadFile(path); strings.Count(string(got), " \n") != 9 || !strings.HasPrefix(string(got),
		"turn 1 \nturn 2 \n") {
		t.Errorf("lines %q", got)
	}
	begins, note := strings.Index(errOut, "through http://127.0.0.1:40404"), strings.Index(errOut, "a note at the end")
	if summary := strings.Index(errOut, "9 turns in"); begins < 0 || summary < begins || note < summary {
		t.Errorf("stderr %q", errOut)
	}
}

// TestTapOfAnyClient holds that --to says what to set, and that stdout is then the summary's or
// the document's.
func TestTapOfAnyClient(t *testing.T) {
	for form, want := range map[string]string{"": "9 turns in", "--markdown": "**9 turns in", "--json": "document\n",
		"--ndjson": "turn 1 \nturn 2 \nturn 3 \n"} {
		args := []string{"--to", "https://api.example"}
		if form != "" {
			args = append(args, form)
		}
		out, errOut, err := tapWith(t, newFakeTap(), args...)
		if err != nil || !strings.HasPrefix(out, want) ||
			!strings.Contains(errOut, "ANTHROPIC_BASE_URL=http://127.0.0.1:40404 claude") {
			t.Errorf("%s: %v, %q, %q", form, err, out, errOut)
		}
	}
}

// TestTapExec holds that --exec runs once for a turn that failed, and for one behind which the
// agent waits for a person, and that what it says comes after the agent, without keys.
func TestTapExec(t *testing.T) {
	f := newFakeTap()
	got := filepath.Join(t.TempDir(), "got")
	f.run = func() {
		for range 3 {
			f.changed <- struct{}{}
			time.Sleep(20 * time.Millisecond)
		}
		for range 3000 {
			if text, _ := os.ReadFile(got); strings.Count(string(text), "\n") == 2 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	_, errOut, err := tapWith(t, f, "--exec", "sh -c 'cat >> "+got+"; echo "+fakeKey+" >&2; exit 1'", "--", "claude")
	text, _ := os.ReadFile(got)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	testkit.That(t, err == nil && slices.Equal(lines, []string{"turn 6 failed", "turn 9 waiting"}), "%v, %q", err, lines)
	testkit.That(t, !strings.Contains(errOut, fakeKey) && strings.Contains(errOut, "[redacted]"), "stderr %q", errOut)
}

// TestTapUsage holds what is refused before anything runs.
func TestTapUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--json": "no command", "--split": "no command", "--plain -- claude": "another terminal",
		"--json -- claude": "--out", "--ndjson claude": "--out", "--out x -- claude": "--json or --ndjson",
		"--exec ' -- claude": "quote", "--silent 1ms -- claude": "--silent", "--json --ndjson --to x": "exclude each other",
	} {
		_, _, err := tapWith(t, newFakeTap(), strings.Fields(args)...)
		testkit.That(t, err != nil && CodeOf(err) == ExitUsage && strings.Contains(err.Error(), want),
			"%s: %v, want %q", args, err, want)
	}
}

// TestTapAsksForTexts holds that a session is kept with its texts only after consent, which is
// refused without a terminal, with the next step.
func TestTapAsksForTexts(t *testing.T) {
	ran := 0
	run := func(args ...string) error {
		return execute(t, Actions{Tap: func(_ context.Context, o *Tap) error {
			ran++
			return nil
		}}, append([]string{"tap"}, args...)...)
	}
	if err := run("--record=text", "--", "claude"); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), "--yes") ||
		ran > 0 {
		t.Errorf("without a terminal: %v, ran %d times", err, ran)
	}
	if err := run("--record=raw", "--", "claude"); CodeOf(err) != ExitUsage || ran > 0 {
		t.Errorf("raw: %v, ran %d times", err, ran)
	}
	for _, flags := range [][]string{{"--record=text", "--yes"}, {"--record=false"}, {"--record"}, nil} {
		testkit.OK(t, run(append(flags, "--", "claude")...))
	}
	testkit.Is(t, ran, 4, "ran … times")
}
