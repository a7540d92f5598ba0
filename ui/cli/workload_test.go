package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/ui/prompts"
)

// asked are the options that a command line comes to.
func asked(t *testing.T, args ...string) *Common {
	t.Helper()
	var c Common
	cmd := &cobra.Command{}
	c.flags(cmd)
	testkit.OK(t, cmd.ParseFlags(args))
	return &c
}

func TestWorkload(t *testing.T) {
	chat := prompts.Default()
	for _, x := range []struct {
		name string
		args []string
		set  settings
		j    Job
		ok   func(w metrics.Workload) bool
	}{
		{"nothing asked", nil, nil, Job{}, func(w metrics.Workload) bool { return w == chat }},
		{"a preset", nil, settings{"defaults.workload": "code"}, Job{},
			func(w metrics.Workload) bool { return w.Name == "code" }},
		{"a prompt of one's own", []string{"--prompt", "Why?"}, settings{"defaults.workload": "1k in"}, Job{},
			func(w metrics.Workload) bool {
				return w.Name == prompts.Custom && w.Prompt == "Why?" && w.InputTokens == 0
			}},
		{"a prompt on stdin", []string{"--prompt", "-", "--input-tokens", "7"}, nil, Job{},
			func(w metrics.Workload) bool { return w.Prompt == "from stdin" && w.InputTokens == 7 }},
		{"a bound before the target's", nil, settings{"defaults.max_tokens": "5"}, Job{MaxTokens: 6},
			func(w metrics.Workload) bool { return w.MaxTokens == 5 }},
		{"the target's bound", nil, nil, Job{MaxTokens: 6}, func(w metrics.Workload) bool { return w.MaxTokens == 6 }},
		{"sampling", []string{"--temperature", "0", "--seed", "0", "--system", "Be brief."}, nil, Job{},
			func(w metrics.Workload) bool {
				return w.Temperature != nil && *w.Temperature == 0 && w.Seed != nil && *w.Seed == 0 && w.System == "Be brief."
			}},
		{"another length than the preset's", []string{"--input-tokens", "50"}, settings{"defaults.workload": "1k in"}, Job{},
			func(w metrics.Workload) bool { return w.Name == prompts.Custom && w.InputTokens == 50 }},
		{"the preset's length", []string{"--input-tokens", "1000"}, settings{"defaults.workload": "1k in"}, Job{},
			func(w metrics.Workload) bool { return w.Name == "1k in" && w.InputTokens == 1000 }},
		{"messages", nil, settings{"defaults.workload": "1k in"}, Job{MaxTokens: 6, Pasted: &metrics.Workload{Name: "custom",
			Messages: "[{}]", MaxTokens: 9}},
			func(w metrics.Workload) bool { return w.Messages == "[{}]" && w.MaxTokens == 9 && w.InputTokens == 0 }},
		{"messages with another bound", []string{"--max-tokens", "7"}, settings{"defaults.max_tokens": "7"},
			Job{Pasted: &metrics.Workload{Messages: "[{}]", MaxTokens: 9}},
			func(w metrics.Workload) bool { return w.MaxTokens == 7 }},
		{"cold", nil, settings{"defaults.connection": "cold"}, Job{},
			func(w metrics.Workload) bool { return w.Connection == metrics.ReuseCold }},
		{"warm", nil, settings{"defaults.connection": "warm"}, Job{},
			func(w metrics.Workload) bool { return w.Connection == metrics.ReuseWarm }},
	} {
		x.j.Settings, x.j.In = x.set, strings.NewReader("from stdin")
		w, err := asked(t, x.args...).Workload(t.Context(), &x.j)
		testkit.That(t, err == nil && x.ok(w), "%s: %+v, %v", x.name, w, err)
	}
	if _, err := asked(t).Workload(t.Context(),
		&Job{Settings: settings{"defaults.workload": "no such"}}); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(),
		`"10k in"`) {
		t.Errorf("a preset that is not there: %v, want the names of those that are", err)
	}
}

// TestWorkloadIsChecked holds that a prompt, a system message, a conversation, and the
// prompts of a sweep go through the check of the target.
func TestWorkloadIsChecked(t *testing.T) {
	refused := errors.New("it holds a key")
	check := func(w *metrics.Workload) error {
		return map[bool]error{true: refused}[strings.Contains(w.System+w.Text(), "zqkey")]
	}
	for name, pasted := range map[string]*metrics.Workload{"--prompt zqkey": nil, "--prompt-file -": nil,
		"--system zqkey": nil,
		"":               {Messages: `[{"content":"zqkey"}]`}} {
		j := Job{Console: Console{In: strings.NewReader("a zqkey")}, Settings: settings{}, Pasted: pasted, Check: check}
		if _, err := asked(t, strings.Fields(name)...).Workload(t.Context(), &j); !errors.Is(err, refused) {
			t.Errorf("%q: %v", name, err)
		}
	}
	var o Sweep
	o.flagsButLength(&cobra.Command{})
	o.Prompts = []string{"fine", "a zqkey"}
	if err := o.Run(t.Context(), &Job{Settings: settings{}, Check: check}, nil); !errors.Is(err, refused) {
		t.Errorf("--prompts: %v", err)
	}
}

// The first run at the embedded endpoint has a long prompt, unless somebody chose what to
// send; and on a screen an answer that is long enough for captions, where nothing names the
// workload or its length.
func TestFirstRun(t *testing.T) {
	chat := prompts.Default()
	chat.System = "Be brief."
	custom, other := chat, chat
	custom.Name, other.Name = prompts.Custom, "1k in"
	for name, c := range map[string]struct {
		args         []string
		set          settings
		w            metrics.Workload
		lines        bool
		long, minute bool
	}{
		"nobody chose": {w: chat, long: true, minute: true}, "lines": {w: chat, lines: true, long: true},
		"a setting": {w: chat, set: settings{"defaults.workload": "chat"}}, "a prompt": {w: custom},
		"another workload":  {w: other},
		"a number of input": {w: chat, args: []string{"--input-tokens", "1000"}}, "a length by a setting": {w: chat,
			set: settings{"defaults.max_tokens": "9"}, long: true},
		"--max-tokens": {w: chat, args: []string{"--max-tokens", "50"}, long: true},
	} {
		j := Job{Settings: c.set, Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded}}
		w, minute := asked(t, c.args...).FirstRun(c.w, &j, !c.lines)
		if (w.Name == demoWorkload) != c.long || minute != c.minute || (w.MaxTokens >= 2500) != c.minute ||
			w.System != chat.System || c.set.Int("defaults.max_tokens") > 0 && w.MaxTokens != 9 {
			t.Errorf("%s: the first minute %v, %+v", name, minute, w)
		}
	}
}

// Flags that say what is sent hold for a load too; others do not.
func TestNamesWork(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{{nil, false}, {[]string{"--model", "m"}, false}, {[]string{"--max-tokens", "5"}, true},
		{[]string{"-p", "hi"}, true}} {
		testkit.Is(t, asked(t, c.args...).NamesWork(), c.want, c.args)
	}
}

// --record is on by itself, and takes true, false and raw.
func TestRecordFlag(t *testing.T) {
	for arg, want := range map[string]string{"": "", "--record": "true", "--record=false": "false",
		"--record=raw": "raw"} {
		testkit.Is(t, asked(t, strings.Fields(arg)...).Changed()["record"], want, arg, "record")
	}
}

// TestSessionFlags: what --session makes of the bounds of a race and of a sweep, of which those
// that are given stay, and of what is asked beside it.
func TestSessionFlags(t *testing.T) {
	script := &turn.Script{Turns: 13, Prompt: 1300, Output: 130}
	j := &Job{Console: Console{Out: io.Discard, Err: io.Discard}, Script: func(string) (*turn.Script,
		error) {
		return script, nil
	}}
	raced := func(args ...string) (o *Race, p racestat.Plan) {
		take := func(_ context.Context, r *Race) error { o = r; return nil }
		testkit.OK(t, execute(t, Actions{Race: take}, append([]string{"race", "a", "b"}, args...)...))
		w := metrics.Workload{Name: "chat", Prompt: "Why?", System: "Be brief.", InputTokens: 5, MaxTokens: 40,
			Concurrency: 3}
		var err error
		o.Plan.Script, err = o.played(t.Context(), j, &w)
		testkit.OK(t, err)
		return o, o.plan(w)
	}
	if _, p := raced("--session", "f"); p.Script != script || p.Bounds != (racestat.Bounds{Pairs: 39, Tokens: 20_000}) ||
		p.Work.Name != "session" || p.Work.Blank() || p.Work.System != "" || p.Work.InputTokens+p.Work.MaxTokens != 0 ||
		p.Work.Concurrency != 3 {
		t.Errorf("%+v", p)
	}
	if _, p := raced("--session", "f", "--pairs", "5", "--duration", "1m"); p.Bounds.Pairs != 5 ||
		p.Bounds.Most != time.Minute {
		t.Errorf("%+v", p.Bounds)
	}
	if _, p := raced(); p.Script != nil || p.Bounds != racestat.DefaultBounds || p.Work.MaxTokens != 40 {
		t.Errorf("without the flag: %+v", p)
	}
	var s *Sweep
	take := func(_ context.Context, o *Sweep) error { s = o; return nil }
	for _, x := range []struct {
		args     []string
		duration time.Duration
		requests int
	}{{nil, 0, 0}, {[]string{"--duration", "9s"}, 9 * time.Second, 0}, {[]string{"-n", "7"}, 0, 7}} {
		if err := execute(t, Actions{Sweep: take}, append([]string{"sweep", "--session", "f"}, x.args...)...); err != nil ||
			s.Duration != x.duration || s.Requests != x.requests {
			t.Errorf("%v: %v, %d, %v", x.args, s.Duration, s.Requests, err)
		}
	}
	j.Script = func(string) (*turn.Script, error) { return nil, errors.New("no session of a tap") }
	w := metrics.Workload{Name: "chat"}
	if p, err := s.played(t.Context(), j, &w); err == nil || p != nil || w.Name != "chat" {
		t.Errorf("a file of another kind: %v, %v, %+v", p, err, w)
	}
}

// A stop ends the wait for an input that does not come.
func TestReadUntilStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	reading := make(chan struct{})
	go func() {
		<-reading
		cancel()
	}()
	_, err := readUntil(ctx, func() ([]byte, error) {
		close(reading)
		return io.ReadAll(r)
	})
	testkit.Is(t, CodeOf(err), ExitInterrupted, err, "want an interruption")
	_ = w.Close()

	path := filepath.Join(t.TempDir(), "prompts")
	testkit.OK(t, os.WriteFile(path, []byte("one\n\ntwo\n"), 0o600))
	if list, err := readPrompts(t.Context(), path); err != nil || strings.Join(list, " ") != "one two" {
		t.Errorf("%q, %v", list, err)
	}
	if _, err := readPrompts(t.Context(), path+"x"); CodeOf(err) != ExitUsage {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Only a terminal that can move its cursor has a screen.
func TestDrawable(t *testing.T) {
	for _, x := range []struct {
		term, system string
		want         bool
	}{{"xterm-256color", "linux", true}, {"dumb", "linux", false}, {"", "linux", false}, {"", "windows", true},
		{"dumb", "windows", false}, {"vt100", "darwin", true}} {
		testkit.Is(t, drawable(x.term, x.system), x.want, "TERM", x.term, "on", x.system)
		at := &Job{Settings: settings{}, Console: Console{InTerminal: true, OutTerminal: true,
			Env: func(string) string { return x.term }}}
		if have := (&Form{}).headless(at); x.system == runtime.GOOS && have == x.want {
			t.Errorf("TERM=%q: a race or a watch without a screen: %v", x.term, have)
		}
	}
}
