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

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/ui/uitest"
)

// fakeTap is a tap behind which a session has passed.
type fakeTap struct {
	session  turn.Session
	now      metrics.Stamp
	changed  chan struct{}
	code     int
	run      func() // while the command runs
	recorded []int
	exported []int
	ended    bool
}

func (f *fakeTap) About() turn.Tapped {
	return turn.Tapped{Agent: turn.Agent{Command: "claude", Title: "Claude Code"}, URL: "http://127.0.0.1:1/x",
		Upstream: "https://api.example"}
}
func (f *fakeTap) Agents() []turn.Agent {
	return []turn.Agent{{Title: "Claude Code", How: []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:1/x claude"}}}
}
func (f *fakeTap) Changed() <-chan struct{}  { return f.changed }
func (f *fakeTap) View(open bool) turn.View  { return f.session.View(f.now, open) }
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
	_, err := io.WriteString(out, "turn "+string(rune('0'+v.Turns[i].Stream().ID))+" "+event+"\n")
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

// newFakeTap has turn 1, which went well and called a tool, 2, which failed, and 3, behind which
// the client waits for a person.
func newFakeTap() *fakeTap {
	f := &fakeTap{changed: make(chan struct{}, 1), now: metrics.Stamp(20 * time.Second)}
	var messages []turn.Block
	for id, finish := range []string{"tool_use", "", "end_turn"} {
		at := func(ms int) metrics.Stamp { return metrics.Stamp(id*1000+ms) * metrics.Stamp(time.Millisecond) }
		v := metrics.NoStream(at(200))
		v.ID, v.State, v.Finish = id+1, metrics.Done, finish
		v.Marks.Start, v.Marks.GotConn, v.Marks.Sent, v.Marks.End = at(0), at(1), at(2), at(200)
		if v.Chunks = []metrics.Chunk{{At: at(100), Kind: metrics.Content}}; finish == "" {
			v.State, v.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 529, Message: fakeKey}
		}
		messages = append(messages, turn.Block{Part: turn.Messages, Digest: turn.Digest(id + 1)})
		f.session.Add(turn.Turn{Request: turn.Request{Kind: turn.Asks, Blocks: slices.Clone(messages)}, Run: &metrics.Run{Stream: v}})
	}
	return f
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
	if out != "" || CodeOf(err) != 7 || !f.ended || !slices.Equal(f.recorded, []int{1, 2, 3}) ||
		!slices.Equal(f.exported, f.recorded) || !strings.Contains(errOut, "metrics at http://127.0.0.1:9/metrics") {
		t.Errorf("stdout %q, %v, recorded %v, exported %v", out, err, f.recorded, f.exported)
	}
	if got, _ := os.ReadFile(path); string(got) != "turn 1 \nturn 2 \nturn 3 \n" {
		t.Errorf("lines %q", got)
	}
	begins, note := strings.Index(errOut, "through http://127.0.0.1:1/x"), strings.Index(errOut, "a note at the end")
	if summary := strings.Index(errOut, "3 turns in"); begins < 0 || summary < begins || note < summary {
		t.Errorf("stderr %q", errOut)
	}
}

// TestTapOfAnyClient holds that --to says what to set, and that stdout is then the summary's or
// the document's.
func TestTapOfAnyClient(t *testing.T) {
	for form, want := range map[string]string{"": "3 turns in", "--markdown": "**3 turns in", "--json": "document\n",
		"--ndjson": "turn 1 \nturn 2 \nturn 3 \n"} {
		args := []string{"--to", "https://api.example"}
		if form != "" {
			args = append(args, form)
		}
		out, errOut, err := tapWith(t, newFakeTap(), args...)
		if err != nil || !strings.HasPrefix(out, want) || !strings.Contains(errOut, "ANTHROPIC_BASE_URL=http://127.0.0.1:1/x claude") {
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
	if err != nil || !slices.Equal(lines, []string{"turn 2 failed", "turn 3 waiting"}) {
		t.Errorf("%v, %q", err, lines)
	}
	if strings.Contains(errOut, fakeKey) || !strings.Contains(errOut, "[redacted]") {
		t.Errorf("stderr %q", errOut)
	}
}

// TestTapUsage holds what is refused before anything runs.
func TestTapUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--json": "no command", "--split": "no command", "--plain -- claude": "another terminal", "--json -- claude": "--out", "--ndjson claude": "--out", "--out x -- claude": "--json or --ndjson",
		"--exec ' -- claude": "quote", "--silent 1ms -- claude": "--silent", "--json --ndjson --to x": "exclude each other",
	} {
		_, _, err := tapWith(t, newFakeTap(), strings.Fields(args)...)
		if err == nil || CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
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
	if err := run("--record=text", "--", "claude"); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), "--yes") || ran > 0 {
		t.Errorf("without a terminal: %v, ran %d times", err, ran)
	}
	if err := run("--record=raw", "--", "claude"); CodeOf(err) != ExitUsage || ran > 0 {
		t.Errorf("raw: %v, ran %d times", err, ran)
	}
	for _, flags := range [][]string{{"--record=text", "--yes"}, {"--record=false"}, {"--record"}, nil} {
		testkit.OK(t, run(append(flags, "--", "claude")...))
	}
	if ran != 4 {
		t.Errorf("ran %d times", ran)
	}
}
