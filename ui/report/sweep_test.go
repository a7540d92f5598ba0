package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/uitest/golden"
)

// dist is a distribution of n values between low and high, spread evenly.
func dist(n int, low, high float64) metrics.Dist {
	values := make([]float64, n)
	for i := range values {
		values[i] = low + (high-low)*float64(i)/float64(max(n-1, 1))
	}
	return metrics.Distribution(values)
}

// curve is a load curve like that of an 8B model: per-user speed falls as
// 150/(1 + n/50). All steps but the last are steady.
func curve(slos []slo.Objective) []Step {
	var out []Step
	for i, n := range []int{1, 8, 32, 64, 128} {
		each := 150 / (1 + float64(n)/50)
		p := loadstat.Point{
			Users: n, From: metrics.Stamp(int64(i) * 20e9), To: metrics.Stamp(int64(i)*20e9 + 18e9), Steady: n < 128,
			Speed: metrics.Known(each, 40*n), SpeedP5: metrics.Known(each*0.9, 40*n), Total: metrics.Known(each*float64(n)*0.95, 0),
			TTFT: dist(40*n, 30+float64(n), 60+float64(n)*9), TPOT: dist(40*n, 900/each, 1100/each), Gaps: dist(4000*n, 800/each, 3000/each),
			Running: metrics.Known(float64(n)*0.9, 0), Prefill: metrics.Known(float64(n)*0.05, 0), Waiting: metrics.Known(float64(n)*0.1, 0),
			Requests: 40 * n, Rate: metrics.Known(float64(40*n)/18, 40*n), Tokens: each * float64(n) * 18,
			GoodRate: metrics.Unknown(metrics.WhyNoObjectives), GoodShare: metrics.Unknown(metrics.WhyNoObjectives),
			Peak: metrics.Known(each*float64(n)*1.1, 0), SpeedInterval: within(each), TotalInterval: within(each * float64(n) * 0.95),
		}
		switch n {
		case 64:
			p.SpeedInterval = loadstat.NoInterval(metrics.WhyDependent)
		case 128:
			p.SpeedInterval, p.TotalInterval = loadstat.NoInterval(metrics.WhyNotSteady), loadstat.NoInterval(metrics.WhyNotSteady)
		}
		if n == 128 {
			p.Why, p.Failed = loadstat.Unsteady{Code: loadstat.UnsteadyThroughput, N: 0.09}, 3
			p.Faults = []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}, {Kind: metrics.FaultReset, N: 1}}
		}
		if len(slos) > 0 {
			missed := map[int]int{64: 1280, 128: 5000}[n]
			share := 1 - float64(missed)/float64(p.Requests+p.Failed)
			p.GoodShare = metrics.Known(share, p.Requests+p.Failed)
			p.GoodRate = metrics.Known(share*p.Rate.V, p.Requests)
			p.GoodTokens = metrics.Known(share*p.Total.V, p.Requests)
			for k, o := range slos {
				p.Misses = append(p.Misses, loadstat.Miss{SLO: o, N: missed * (1 - k)})
			}
		}
		out = append(out, Step{Point: p})
	}
	return out
}

// within is an interval of 2 % around a mean.
func within(mean float64) loadstat.Interval {
	return loadstat.Interval{Low: metrics.Known(mean*0.98, loadstat.Batches), High: metrics.Known(mean*1.02, loadstat.Batches)}
}

func reportOf(t *testing.T, objective string) *Sweep {
	t.Helper()
	slos, err := slo.Parse(objective)
	if err != nil {
		t.Fatal(err)
	}
	return &Sweep{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "llm.example.com", URL: "https://llm.example.com/v1", Model: "org/model-8b"},
		Work:     metrics.Workload{Name: "1k in", Prompt: "Why?", InputTokens: 1000, MaxTokens: 200},
		Loop:     "closed loop, at most 20s a step", SLOs: slos, Steps: curve(slos), Planned: 5,
		Budget: loadstat.Budget{Tokens: 1234567, Cost: metrics.Known(0.4321, 0)},
		Stamps: "kernel", Observer: metrics.Observer{N: 100, LateP99: 150 * time.Microsecond, LateMax: 2 * time.Millisecond},
	}
}

func TestSweepText(t *testing.T) {
	var b bytes.Buffer
	if err := put(&b, reportOf(t, "ttft=500ms,tpot=50ms").Doc(false).Text(0)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep.txt", b.String())
	for line := range strings.SplitSeq(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > lineWidth {
			t.Errorf("%d columns, want at most %d: %q", n, lineWidth, line)
		}
	}
	first, _, _ := strings.Cut(reportOf(t, "ttft=500ms,tpot=50ms").Doc(false).Text(80), "peak")
	for line := range strings.SplitSeq(first, "\n") { // the first table, on the smallest complete terminal
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns, want at most 80 with all figures: %q", n, line)
		}
	}

	b.Reset()
	r := reportOf(t, "")
	r.Steps, r.Stopped, r.Resume = r.Steps[:2], "interrupted; the step of 32 users was under way and is left out", "groq.sweep"
	r.Steps[0].Resumed = true
	if err := put(&b, r.Doc(true).Text(0)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep-ascii.txt", b.String())
	if i := strings.IndexAny(b.String(), "█▏●○"); i >= 0 {
		t.Errorf("with ASCII bars: %q", b.String()[i:])
	}
}

// variedReport is a sweep with varying prompt lengths. Its fits are a good
// one, a falling one, a meaningless one and an unknown one. A step of an
// older file has none.
func variedReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "")
	r.Work.Name, r.Work.InputTokens = "custom", 0
	r.Input, r.Output = metrics.Lengths{Low: 200, High: 4000}, metrics.Lengths{Choices: []int{100, 400}}
	known := func(a, b, r2, off float64, n int) *loadstat.TTFTFit {
		return &loadstat.TTFTFit{A: metrics.Known(a, n), B: metrics.Known(b, n), R2: metrics.Known(r2, n), Off: metrics.Known(off, n), Low: 214, High: 3980, N: n}
	}
	none := loadstat.NoFit(5, metrics.Needs(8))
	for i, f := range []*loadstat.TTFTFit{known(12.3, 0.031, 0.9999, 1.25, 40), known(-4.5, 0.062, 0.4, 40, 200), known(300, -0.0021, 0, 150, 200), &none} {
		r.Steps[i].Point.Fit = f
	}
	return r
}

// Where prompts vary, both texts show for each step how TTFT depends on their
// length, or why that is unknown.
func TestSweepFits(t *testing.T) {
	var text, ticket, table bytes.Buffer
	if err := errors.Join(put(&text, variedReport(t).Doc(false).Text(0)), put(&ticket, variedReport(t).Doc(false).Markdown()), variedReport(t).CSV(&table)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep-varied.txt", text.String()+"\n"+ticket.String())
	for line := range strings.SplitSeq(text.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > lineWidth {
			t.Errorf("%d columns, want at most %d: %q", n, lineWidth, line)
		}
	}
	r := variedReport(t)
	same := loadstat.NoFit(200, metrics.WhyEqualPrompts)
	for i := range r.Steps {
		r.Steps[i].Point.Fit = &same
	}
	text.Reset()
	if err := put(&text, r.Doc(false).Text(0)); err != nil || strings.Count(text.String(), "about as long") != 1 || !strings.Contains(text.String(), "every step: – (all prompts are about as long)") {
		t.Errorf("%v in\n%s", err, text.String())
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{"200..4000", "0.031"}, {"200..4000", "0.062"}, {"200..4000", "-0.0021"}, {"200..4000", ""}, {"200..4000", ""}} {
		have := map[string]string{}
		for k, name := range rows[0] {
			have[name] = rows[i+1][k]
		}
		if have["input_tokens_asked"] != want[0] || have["max_tokens"] != "100,400" || have["ttft_fit_b_ms_per_token"] != want[1] {
			t.Errorf("step %d: %v", i, have)
		}
	}
}

func TestSweepTextWithoutSteps(t *testing.T) {
	var b bytes.Buffer
	r := reportOf(t, "")
	r.Steps, r.Stopped = nil, "interrupted"
	if err := put(&b, r.Doc(false).Text(0)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0 of 5 finished", "interrupted"} {
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
	if err := put(&b, r.Doc(false).Text(0)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep-open.txt", b.String())
}

// openReport is an open loop above what the endpoint can do: 50 requests a
// second at the most end.
func openReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "ttft=500ms")
	r.Open, r.Loop = true, "open loop, evenly spaced, at most 20s a step"
	for i := range r.Steps {
		s := &r.Steps[i]
		p := &s.Point
		s.Rate = []float64{1, 5, 20, 50, 100}[i]
		p.Asked, p.Arrived, p.Backlog = s.Rate, metrics.Known(s.Rate, int(18*s.Rate)), metrics.Known(0, 0)
		p.FromIntended = dist(40*p.Users, 30+float64(p.Users), 60+float64(p.Users)*9)
		p.Requests, p.Rate = int(18*min(s.Rate, 50)), metrics.Known(min(s.Rate, 50), int(18*min(s.Rate, 50)))
		if p.Failed > 0 {
			p.Backlog, p.FromIntended = metrics.Known(412, 0), dist(900, 700, 9400)
			p.FromIntendedAtLeast = metrics.AtLeast{P50: metrics.Known(11_987, 1400), P95: metrics.Known(19_200, 1010), P99: metrics.Known(19_996, 930)}
		}
		s.Lag = dist(200, 0, 2)
	}
	return r
}

// ramped makes slices of a ramp of the steps of r, from one load to the next.
func ramped(r *Sweep) *Sweep {
	r.Loop = "ramp within 2m0s"
	from := 1.0
	for i := range r.Steps {
		s := &r.Steps[i]
		to := float64(s.Point.Users) + 0.5
		if r.Open {
			to = s.Rate * 1.1
		}
		s.Point.Ramp, s.Point.FromIntendedAtLeast = &loadstat.Ramp{From: from, To: to}, metrics.AtLeast{}
		s.Point.Steady, s.Point.Why = false, loadstat.Unsteady{Code: loadstat.UnsteadyRamp}
		s.Point.SpeedInterval, s.Point.TotalInterval = loadstat.NoInterval(metrics.WhyNotSteady), loadstat.NoInterval(metrics.WhyNotSteady)
		from = to
	}
	return r
}

// TestRampWithoutRanges checks that a ramp whose slices have no peak and no
// interval has no table of them, and no reasons.
func TestRampWithoutRanges(t *testing.T) {
	r := ramped(reportOf(t, ""))
	for i := range r.Steps {
		r.Steps[i].Point.Peak = metrics.Value{}
	}
	var text, md bytes.Buffer
	if err := errors.Join(put(&text, r.Doc(false).Text(0)), put(&md, r.Doc(false).Markdown())); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), md.String()} {
		if strings.Contains(out, "not recorded") || strings.Contains(out, "unknown") || strings.Contains(out, "\n\n\n") {
			t.Errorf("a table without figures, or its reasons:\n%s", out)
		}
	}
	if strings.Contains(text.String(), "peak") {
		t.Errorf("a table without figures:\n%s", text.String())
	}
}

// An open loop has TTFT from the schedule, and what arrives, ends and waits
// here; a ramp the load at the begin and the end of each slice. All forms do.
func TestSweepScheduleAndRamp(t *testing.T) {
	for name, r := range map[string]*Sweep{"open": openReport(t), "ramp": ramped(reportOf(t, "ttft=500ms,tpot=50ms")), "rate-ramp": ramped(openReport(t))} {
		var text, ticket, table bytes.Buffer
		if err := errors.Join(put(&text, r.Doc(false).Text(0)), put(&ticket, r.Doc(false).Markdown()), r.CSV(&table)); err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/sweep-schedule-"+name+".txt", text.String()+"\n"+ticket.String())
		for line := range strings.SplitSeq(text.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > lineWidth {
				t.Errorf("%s: %d columns, want at most %d: %q", name, n, lineWidth, line)
			}
		}
		rows, err := csv.NewReader(&table).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		last := map[string]string{}
		for k, column := range rows[0] {
			last[column] = rows[5][k]
		}
		want := map[string]string{"ttft_from_schedule_p99_ms": "9313", "arrivals_per_s": "100", "ends_per_s": "50.1667", "backlog": "412", "ramp_from": "55", "ramp_to": "110"}
		switch name {
		case "open":
			want["ramp_from"], want["ramp_to"] = "", ""
		case "ramp":
			want = map[string]string{"ttft_from_schedule_p99_ms": "", "arrivals_per_s": "", "ends_per_s": "", "backlog": "", "ramp_from": "64.5", "ramp_to": "128.5"}
		}
		for column, cell := range want {
			if last[column] != cell {
				t.Errorf("%s: %s is %q, want %q", name, column, last[column], cell)
			}
		}
	}
}

// TestSLOVerdict checks that objectives are missed only where requests missed
// them: a step without a steady window is not known, and a ramp, which is never
// steady, is judged slice by slice.
func TestSLOVerdict(t *testing.T) {
	const steady, share, ramp = 1, 2, 4
	sweep := func(what int, missed ...int) *Sweep {
		r := reportOf(t, "ttft=500ms")
		for i := range missed {
			p := &r.Steps[i].Point
			p.Steady, p.Misses[0].N = what&steady != 0, missed[i]
			p.GoodShare = metrics.Known(1-float64(missed[i])/40, 40)
			if missed[i] < 0 { // nothing ended
				p.GoodShare, p.Misses[0].N = metrics.Unknown(metrics.WhyNoneEnded), 0
			}
		}
		if r.Steps = r.Steps[:len(missed)]; what&ramp != 0 {
			return ramped(r)
		}
		return r
	}
	broken := sweep(0, 0, 40)
	broken.Missed = "ttft"
	worse := sweep(steady, 0)
	worse.Steps, worse.Missed = append(worse.Steps, broken.Steps[1]), "ttft"
	for _, x := range []struct {
		name   string
		r      *Sweep
		want   string
		misses bool
	}{
		{"nothing is steady", sweep(0, 0, 40), "not known: no step was steady", false},
		{"nothing is known", sweep(steady, -1), "not known: no steady step could be judged", false},
		{"met", sweep(steady, 0, 0), "met up to 8 users", false},
		{"met for a while", sweep(steady, 0, 40), "met up to 1 user; ttft breaks first, at 8 users", false},
		{"missed", sweep(steady, 40, 40), "MISSED at every step; ttft breaks first, at 1 user", true},
		{"missed and not known", sweep(steady, -1, 40), "MISSED at 1 of 2 steps; ttft breaks first, at 8 users", true},
		{"met by chance", sweep(steady, 40, 0), "MISSED at 1 of 2 steps; ttft breaks first, at 1 user", true},
		{"a miss that is not steady ends the sweep", broken, "MISSED at 1 of 2 steps; ttft breaks first, at 8 users", true},
		{"a miss ends it after a steady step", worse, "met up to 1 user; ttft breaks first, at 8 users", false},
		{"a ramp meets them", sweep(ramp, 0, 0, 0), "met in every slice", false},
		{"a ramp with an empty slice", sweep(ramp, -1, 0, 0), "met in 2 of 3 slices; the others had too few requests", false},
		{"a ramp meets them for a while", sweep(ramp, 0, 0, 40), "met in 2 of 3 slices; ttft breaks first, at 8.50–32.5 users", false},
		{"a ramp falls and meets them at last", sweep(ramp, 40, 0, 0), "met in 2 of 3 slices; ttft breaks first, at 1–1.50 users", false},
		{"a ramp misses them", sweep(ramp, 40, 40), "MISSED in every slice; ttft breaks first, at 1–1.50 users", true},
		{"a ramp misses them after an empty slice", sweep(ramp, -1, 40), "MISSED in 1 of 2 slices; ttft breaks first, at 1.50–8.50 users", true},
		{"a ramp without requests", sweep(ramp, -1), "not known: no slice had enough requests", false},
	} {
		v := x.r.Verdicts()
		if have := x.r.sloVerdict(&v); have != x.want || x.r.Misses() != x.misses {
			t.Errorf("%s: %q, misses %t; want %q, %t", x.name, have, x.r.Misses(), x.want, x.misses)
		}
	}
}

// TestEndedRamp checks that the parts of a ramp are called slices.
func TestEndedRamp(t *testing.T) {
	for _, steps := range []int{2, 0} {
		r := ramped(reportOf(t, ""))
		r.Ramp, r.Stopped, r.Steps = true, "interrupted", r.Steps[:steps]
		var text, md bytes.Buffer
		if err := errors.Join(put(&text, r.Doc(false).Text(0)), put(&md, r.Doc(false).Markdown())); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("after %d of 5 slices: interrupted", steps)
		if !strings.Contains(text.String(), want) || !strings.Contains(md.String(), want) || steps == 0 && !strings.Contains(text.String(), "slices      0 of 5 finished") {
			t.Errorf("%q is missing in\n%s%s", want, text.String(), md.String())
		}
	}
}

func TestSweepMarkdown(t *testing.T) {
	r := reportOf(t, "ttft=500ms,tpot=50ms")
	r.Endpoint.Model = "a|b*<script>"
	var b bytes.Buffer
	if err := put(&b, r.Doc(false).Markdown()); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep.md", b.String())
	if strings.Contains(b.String(), "<script>") || strings.Contains(b.String(), "a|b") {
		t.Error("a model's name is read as Markdown or HTML")
	}
}

func TestSweepCSV(t *testing.T) {
	r := reportOf(t, "ttft=500ms,tpot=50ms")
	r.Endpoint.Model = `=cmd|' /C calc'!A0`
	r.Steps[0].Point.Speed = metrics.Known(math.NaN(), 1)
	var b bytes.Buffer
	if err := r.CSV(&b); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep.csv", b.String())
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

// TestSweepFailures checks that the failures of a step outside its window, and
// those of no step, are counted in all forms, and that the example has a count.
func TestSweepFailures(t *testing.T) {
	http := func(n int) []metrics.FaultCount { return []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: n}} }
	fault := &metrics.Fault{Kind: metrics.FaultHTTP, Message: "HTTP 503"}
	for _, x := range []struct {
		name        string
		step        *Step
		all, done   int
		has, hasNot []string
	}{
		{"before the window", &Step{Point: loadstat.Point{Users: 1, Outside: http(1)}, Extra: loadstat.StepExtra{AllFailed: true}}, 1, 0,
			[]string{"every request failed: 1× http", "failed      at 1 user: 1× http", "such as http: HTTP 503"}, []string{"no load", "outside"}},
		{"in the window and before", &Step{Point: loadstat.Point{Users: 1, Failed: 2, Faults: http(2), Outside: http(1)}, Extra: loadstat.StepExtra{AllFailed: true}}, 3, 0,
			[]string{"every request failed: 3× http", "at 1 user: 3× http"}, []string{"outside"}},
		{"between steps too", &Step{Point: loadstat.Point{Users: 1, Requests: 5, Tokens: 9, Outside: http(1)}}, 3, 5,
			[]string{"at 1 user: 1× http", "            outside the finished steps: 2× http"}, []string{"every request failed"}},
		{"no step", nil, 2, 0, []string{"0 of 5 finished", "failed      outside the finished steps: 2× http", "such as"}, nil},
		{"nothing is counted", nil, 0, 0, nil, []string{"such as"}},
		{"nothing ended", &Step{Point: loadstat.Point{Users: 1}}, 0, 0, []string{"1 user: not measured"}, []string{"such as", "kept out"}},
	} {
		r := reportOf(t, "")
		r.Steps, r.Fault, r.Done = nil, fault, x.done
		if x.all > 0 {
			r.Faults = http(x.all)
		}
		failed := 0
		if x.step != nil {
			r.Steps = []Step{*x.step}
			failed, _ = x.step.Point.Failures()
		}
		var text, table, md bytes.Buffer
		if err := errors.Join(put(&text, r.Doc(false).Text(0)), r.CSV(&table), put(&md, r.Doc(false).Markdown())); err != nil {
			t.Fatal(err)
		}
		for _, s := range x.has {
			if !strings.Contains(flat(text.String()), flat(s)) {
				t.Errorf("%s: %q is missing in\n%s", x.name, s, text.String())
			}
		}
		for _, s := range x.hasNot {
			if strings.Contains(text.String(), s) {
				t.Errorf("%s: %q is in\n%s", x.name, s, text.String())
			}
		}
		if strings.Contains(md.String(), "outside") != (x.all > failed) {
			t.Errorf("%s: failures of no step in\n%s", x.name, md.String())
		}
		if rows, err := csv.NewReader(&table).ReadAll(); err != nil || x.step != nil && !slices.Contains(rows[1], strconv.Itoa(failed)) {
			t.Errorf("%s: %v in %v", x.name, err, rows)
		}
	}
}

func TestSweepVerdicts(t *testing.T) {
	v := reportOf(t, "ttft=500ms,tpot=50ms").Verdicts()
	if v.Largest != 2 || v.Breaks != "ttft" || v.BreaksStep != 3 {
		t.Errorf("met up to step %d, %q breaks at step %d; want 2, ttft, 3", v.Largest, v.Breaks, v.BreaksStep)
	}
	// The last step is not steady: the sentence is about the one before.
	if !strings.HasPrefix(v.Sentence, "64 users: ") || !strings.Contains(v.Sentence, "1 user: 147") {
		t.Errorf("the sentence is %q", v.Sentence)
	}
	if none := (&Sweep{}).Verdicts(); none != (Verdicts{Knee: -1, Largest: -1, BreaksStep: -1}) {
		t.Errorf("verdicts on nothing: %+v", none)
	}
}

// TestUsedTokensAreMarked checks that the tokens used are marked where the server
// has not counted all of them, as after a step whose end cut requests.
func TestUsedTokensAreMarked(t *testing.T) {
	r := reportOf(t, "")
	for _, estimated := range []bool{false, true} {
		var b bytes.Buffer
		r.Budget.Estimated = estimated
		if err := put(&b, r.Doc(false).Text(0)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "1,234,567 used, prompts included (estimated in part)"); got != estimated {
			t.Errorf("estimated %v, marked %v:\n%s", estimated, got, b.String())
		}
	}
}
