package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tokscope/metrics"
)

var update = flag.Bool("update", false, "rewrite the files that the tests compare with")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, have string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if have != string(want) {
		t.Errorf("%s has changed (go test ./ui/cli -update rewrites it):\n%s", name, have)
	}
}

// dist is a distribution of n values between low and high, spread evenly.
func dist(n int, low, high float64) metrics.Dist {
	values := make([]float64, n)
	for i := range values {
		values[i] = low + (high-low)*float64(i)/float64(max(n-1, 1))
	}
	return metrics.Distribution(values)
}

// curve is a load curve like that of an 8B model: what each has falls as
// 150/(1 + n/50), steady but for the last step.
func curve(slos []metrics.SLO) []SweepStep {
	var out []SweepStep
	for i, n := range []int{1, 8, 32, 64, 128} {
		each := 150 / (1 + float64(n)/50)
		p := metrics.LoadPoint{
			Users: n, From: metrics.Stamp(int64(i) * 20e9), To: metrics.Stamp(int64(i)*20e9 + 18e9), Steady: n < 128,
			Speed: metrics.Known(each, 40*n), SpeedP5: metrics.Known(each*0.9, 40*n), Total: metrics.Known(each*float64(n)*0.95, 0),
			TTFT: dist(40*n, 30+float64(n), 60+float64(n)*9), TPOT: dist(40*n, 900/each, 1100/each), Gaps: dist(4000*n, 800/each, 3000/each),
			Running: metrics.Known(float64(n)*0.9, 0), Prefill: metrics.Known(float64(n)*0.05, 0), Waiting: metrics.Known(float64(n)*0.1, 0),
			Requests: 40 * n, Rate: metrics.Known(float64(40*n)/18, 40*n), Tokens: each * float64(n) * 18,
			GoodRate: metrics.Unknown("no objectives"), GoodShare: metrics.Unknown("no objectives"),
		}
		if n == 128 {
			p.Why, p.Failed = "throughput still moves: +9 % from half to half of the window", 3
			p.Faults = []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}, {Kind: metrics.FaultReset, N: 1}}
		}
		if len(slos) > 0 {
			missed := map[int]int{64: 1280, 128: 5000}[n]
			share := 1 - float64(missed)/float64(p.Requests+p.Failed)
			p.GoodShare = metrics.Known(share, p.Requests+p.Failed)
			p.GoodRate = metrics.Known(share*p.Rate.V, p.Requests)
			for k, o := range slos {
				p.Misses = append(p.Misses, metrics.Miss{SLO: o, N: missed * (1 - k)})
			}
		}
		out = append(out, SweepStep{Point: p})
	}
	return out
}

func reportOf(t *testing.T, slo string) *SweepReport {
	t.Helper()
	slos, err := metrics.ParseSLO(slo)
	if err != nil {
		t.Fatal(err)
	}
	o := &Sweep{Users: []int{1, 8, 32, 64, 128}, Duration: 20 * time.Second}
	return &SweepReport{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "llm.example.com", URL: "https://llm.example.com/v1", Model: "org/model-8b"},
		Work:     metrics.Workload{Name: "1k in", Prompt: "Why?", InputTokens: 1000, MaxTokens: 200},
		Loop:     o.Loop(), SLOs: slos, Steps: curve(slos), Planned: 5,
		Budget:   metrics.Budget{Tokens: 1234567, Cost: metrics.Known(0.4321, 0)},
		Observer: metrics.Observer{N: 100, LateP99: 150 * time.Microsecond, LateMax: 2 * time.Millisecond},
	}
}

func TestSweepText(t *testing.T) {
	var b bytes.Buffer
	if err := PrintSweep(&b, reportOf(t, "ttft=500ms,tpot=50ms"), false); err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep.txt", b.String())
	for line := range strings.SplitSeq(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > lineWidth {
			t.Errorf("%d columns, want at most %d: %q", n, lineWidth, line)
		}
	}

	b.Reset()
	r := reportOf(t, "")
	r.Steps, r.Stopped, r.Resume = r.Steps[:2], "interrupted; 32 users was under way and is left out", "groq.sweep"
	r.Steps[0].Resumed = true
	if err := PrintSweep(&b, r, true); err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep-ascii.txt", b.String())
	if i := strings.IndexAny(b.String(), "█▏●○"); i >= 0 {
		t.Errorf("with ASCII bars: %q", b.String()[i:])
	}
}

func TestSweepTextWithoutSteps(t *testing.T) {
	var b bytes.Buffer
	r := reportOf(t, "")
	r.Steps, r.Stopped = nil, "interrupted"
	if err := PrintSweep(&b, r, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"none of 5 was finished", "interrupted"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestSweepOpenLoop(t *testing.T) {
	r := reportOf(t, "ttft=500ms")
	r.Open = true
	for i := range r.Steps {
		r.Steps[i].Rate = []float64{0.5, 1, 2, 5, 10}[i]
		r.Steps[i].Point.Asked = r.Steps[i].Rate
		r.Steps[i].Lag = dist(200, 0, 2)
	}
	var b bytes.Buffer
	if err := PrintSweep(&b, r, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep-open.txt", b.String())
}

func TestSweepMarkdown(t *testing.T) {
	r := reportOf(t, "ttft=500ms,tpot=50ms")
	r.Endpoint.Model = "a|b*<script>"
	var b bytes.Buffer
	if err := PrintSweepMarkdown(&b, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep.md", b.String())
	if strings.Contains(b.String(), "<script>") || strings.Contains(b.String(), "a|b") {
		t.Error("a model's name is read as Markdown or HTML")
	}
}

func TestSweepCSV(t *testing.T) {
	r := reportOf(t, "ttft=500ms,tpot=50ms")
	r.Endpoint.Model = `=cmd|' /C calc'!A0`
	r.Steps[0].Point.Speed = metrics.Known(math.NaN(), 1)
	var b bytes.Buffer
	if err := PrintSweepCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep.csv", b.String())
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 {
		t.Fatalf("%d rows for 5 steps", len(rows))
	}
	for _, row := range rows[1:] {
		for i, c := range row {
			if c != "" && strings.ContainsAny(c[:1], "=+-@") {
				t.Errorf("%s: a spreadsheet would run %q", rows[0][i], c)
			}
		}
	}
}

func TestSweepVerdicts(t *testing.T) {
	v := reportOf(t, "ttft=500ms,tpot=50ms").Verdicts()
	if v.Largest != 2 || v.Breaks != "ttft" || v.BreaksStep != 3 {
		t.Errorf("met up to step %d, %q breaks at step %d; want 2, ttft, 3", v.Largest, v.Breaks, v.BreaksStep)
	}
	// The last step is not steady: the sentence is about the one before.
	if !strings.HasPrefix(v.Sentence, "64 users: ") || !strings.Contains(v.Sentence, "one user alone had 147") {
		t.Errorf("the sentence is %q", v.Sentence)
	}
	if none := (&SweepReport{}).Verdicts(); none != (Verdicts{Knee: -1, Largest: -1, BreaksStep: -1}) {
		t.Errorf("verdicts on nothing: %+v", none)
	}
}

func TestSweepCode(t *testing.T) {
	failed := func(kind metrics.FaultKind) *SweepReport {
		return &SweepReport{Steps: []SweepStep{{Point: metrics.LoadPoint{Users: 1, Failed: 3, Faults: []metrics.FaultCount{{Kind: kind, N: 3}}}}}}
	}
	missed := reportOf(t, "speed=1000")
	for i := range missed.Steps {
		p := &missed.Steps[i].Point
		p.Misses = []metrics.Miss{{SLO: missed.SLOs[0], N: p.GoodShare.N}}
	}
	for _, x := range []struct {
		name        string
		r           *SweepReport
		interrupted bool
		want        int
	}{
		{"well", reportOf(t, ""), false, ExitOK},
		{"the SLOs are met for a while", reportOf(t, "ttft=500ms,tpot=50ms"), false, ExitOK},
		{"no step meets them", missed, false, ExitSLO},
		{"interrupted", missed, true, ExitInterrupted},
		{"the key is wrong", failed(metrics.FaultAuth), false, ExitConfig},
		{"nobody listens", failed(metrics.FaultConnect), false, ExitUnreachable},
		{"all are reset", failed(metrics.FaultReset), false, ExitFailed},
		{"nothing was sent", &SweepReport{}, false, ExitFailed},
	} {
		if have := x.r.Code(x.interrupted); have != x.want {
			t.Errorf("%s: exit code %d, want %d", x.name, have, x.want)
		}
	}
}

func TestSweepFlags(t *testing.T) {
	for _, x := range []struct {
		args  string
		wrong string // a part of the error; "" when they are right
		check func(o *Sweep) bool
	}{
		{"", "", func(o *Sweep) bool { return o.Steps() == 7 && o.MostUsers() == 64 && o.Duration == 20*time.Second }},
		{"--users 1,8 --duration 5s", "", func(o *Sweep) bool { return o.Steps() == 2 && o.Duration == 5*time.Second }},
		{"--rate 0.5,2 --poisson", "", func(o *Sweep) bool { return len(o.Rates) == 2 && len(o.Users) == 0 && o.Poisson }},
		{"-n 10", "", func(o *Sweep) bool { return o.Requests == 10 && o.Duration == 0 }},
		{"--output-tokens 100..400", "", func(o *Sweep) bool { return o.Output == Span{100, 400} && o.Output.Mean() == 250 }},
		{"--output-tokens 200", "", func(o *Sweep) bool { return o.Output == Span{200, 200} && o.Output.Fixed() }},
		{"--users 4,2", "2 does not follow on 4", nil},
		{"--users 1,,2", "no number", nil},
		{"--users 0", "from 1 to 1024", nil},
		{"--users 5000", "from 1 to 1024", nil},
		{"--rate NaN", "no rate", nil},
		{"--rate 2,1", "rising", nil},
		{"--users 1 --rate 1", "exclude each other", nil},
		{"--poisson", "belongs to --rate", nil},
		{"--rate 1 --think 1s", "--think", nil},
		{"--requests 3 --duration 1s", "exclude each other", nil},
		{"--requests 0", "give 1 to", nil},
		{"--duration 0", "--duration", nil},
		{"--json --csv", "choose one", nil},
		{"--output-tokens 400..100", "a range", nil},
		{"--output-tokens 9 --max-tokens 9", "exclude each other", nil},
		{"--price-in -1", "negative", nil},
	} {
		var got *Sweep
		cmd := New(Actions{Sweep: func(_ context.Context, o *Sweep) error { got = o; return nil }}, "test")
		cmd.SetArgs(append([]string{"sweep"}, strings.Fields(x.args)...))
		cmd.SetOut(io.Discard)
		err := cmd.Execute()
		switch {
		case x.wrong == "" && err != nil:
			t.Errorf("%q: %v", x.args, err)
		case x.wrong == "" && !x.check(got):
			t.Errorf("%q came to %+v", x.args, got)
		case x.wrong != "" && (err == nil || !strings.Contains(err.Error(), x.wrong)):
			t.Errorf("%q: error %v, want %q in it", x.args, err, x.wrong)
		case x.wrong != "" && CodeOf(err) != ExitUsage:
			t.Errorf("%q: exit code %d", x.args, CodeOf(err))
		}
	}
	if _, err := PlanSweep(&Sweep{UntilBreaks: true}, ""); err == nil || !strings.Contains(err.Error(), "--slo") {
		t.Errorf("--until-slo-breaks without limits: %v", err)
	}
}

func TestConsent(t *testing.T) {
	for _, x := range []struct {
		name, answer  string
		terminal, yes bool
		code          int
	}{
		{"yes is given", "", false, true, ExitOK},
		{"no terminal", "", false, false, ExitUsage},
		{"y", "y\n", true, false, ExitOK},
		{"YES", "YES\n", true, false, ExitOK},
		{"n", "n\n", true, false, ExitUsage},
		{"just enter", "\n", true, false, ExitUsage},
		{"the input ends", "", true, false, ExitUsage},
	} {
		var asked bytes.Buffer
		err := Consent(t.Context(), &asked, strings.NewReader(x.answer), x.terminal, x.yes, "64 users at \x1b[31mhost?")
		if have := CodeOf(err); have != x.code {
			t.Errorf("%s: exit code %d (%v), want %d", x.name, have, err, x.code)
		}
		if strings.ContainsRune(asked.String(), 0x1b) {
			t.Errorf("%s: an escape reached the terminal: %q", x.name, asked.String())
		}
		if !x.terminal && !x.yes && !strings.Contains(err.Error(), "--yes") {
			t.Errorf("%s: %v does not say --yes", x.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	if code := CodeOf(Consent(ctx, io.Discard, r, true, false, "?")); code != ExitInterrupted {
		t.Errorf("interrupted at the question: exit code %d", code)
	}
}

func TestBars(t *testing.T) {
	for _, x := range []struct {
		v     metrics.Value
		ascii bool
		want  string
	}{
		{metrics.Known(100, 1), false, "████████"},
		{metrics.Known(50, 1), false, "████    "},
		{metrics.Known(1, 1), false, "▏       "},
		{metrics.Known(0.001, 1), false, "▏       "},
		{metrics.Known(0, 1), false, "        "},
		{metrics.Unknown("none"), false, "        "},
		{metrics.Known(200, 1), false, "████████"},
		{metrics.Known(50, 1), true, "####    "},
		{metrics.Known(1, 1), true, "#       "},
	} {
		if have := bar(x.v, 100, x.ascii); have != x.want {
			t.Errorf("bar of %+v: %q, want %q", x.v, have, x.want)
		}
	}
	for _, x := range []struct {
		v    float64
		want string
	}{{0, "0 %"}, {0.001, "1 %"}, {0.884, "88 %"}, {0.9999, "99 %"}, {1, "100 %"}} {
		if have := percent(metrics.Known(x.v, 1)); have != x.want {
			t.Errorf("percent of %v: %q, want %q", x.v, have, x.want)
		}
	}
}

func TestSweepProgressLine(t *testing.T) {
	p := NewSweepProgress(io.Discard, 7, false)
	if p.Line(time.Now()) != "" {
		t.Error("a line before the first step")
	}
	p.Step(3, "8 users", func() metrics.LoadView {
		return metrics.LoadView{Live: metrics.LoadPoint{Requests: 12, Failed: 1, Total: metrics.Known(900, 1), Why: "5 of 8 requests measured"}}
	})
	have := p.Line(p.from.Add(4 * time.Second))
	if want := "step 3 of 7: 8 users, 4 s, 12 ended, 1 failed, 900 tok/s in all; 5 of 8 requests measured"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

// Without a word about what to send a sweep sends what the Load screen sends.
func TestSweepSendsWhatTheLoadScreenSends(t *testing.T) {
	for _, x := range []struct {
		args   []string
		preset string // of the configuration
		want   string
	}{
		{nil, "", "1k in"},
		{nil, "code", "code"},
		{[]string{"--workload", "chat"}, "", "chat"},
		{[]string{"--input-tokens", "500"}, "", "1k in"},
		{[]string{"--prompt", "why?"}, "", "custom"},
	} {
		var name string
		a := Actions{Sweep: func(_ context.Context, o *Sweep) error {
			preset := x.preset
			if o.Given("workload") {
				preset = "chat" // the settings have read the flag
			}
			w, err := o.Common.Workload(o.Defaults(Defaults{Preset: preset}), strings.NewReader(""))
			name = w.Name
			return err
		}}
		cmd := newSweep(a)
		cmd.SetArgs(x.args)
		if err := cmd.ExecuteContext(t.Context()); err != nil || name != x.want {
			t.Errorf("%q: %q, %v; want %q", x.args, name, err, x.want)
		}
	}
}

// A file of prompts is sent in rotation, in place of the workload's one.
func TestSweepPrompts(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "prompts.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(args ...string) (got []string, w metrics.Workload, err error) {
		cmd := newSweep(Actions{Sweep: func(_ context.Context, o *Sweep) error {
			got, w = o.Prompts, o.Bound(metrics.Workload{Name: "1k in", InputTokens: 1000, MaxTokens: 200})
			return nil
		}})
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetArgs(args)
		return got, w, cmd.ExecuteContext(t.Context())
	}
	got, w, err := run("--prompts", file("Why?\n\n  How long is the Rhine?\r\nlast"))
	if err != nil || !slices.Equal(got, []string{"Why?", "How long is the Rhine?", "last"}) || w.Prompt != "Why?" || w.Name != "custom" || w.InputTokens != 0 || w.MaxTokens != 200 {
		t.Errorf("%q, %+v, %v", got, w, err)
	}
	for _, args := range [][]string{{"--prompts", file("\n\n")}, {"--prompts", filepath.Join(t.TempDir(), "none")}, {"--prompts", file("a"), "--prompt", "b"}} {
		if _, _, err := run(args...); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
