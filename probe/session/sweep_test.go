package session_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// loadPoint is a point with misses of slos, a fit, and bins; that of 8 users is not
// steady.
func loadPoint(users int, slos []slo.Objective) loadstat.Point {
	bins := metrics.NewHistogram(1, 1000, 10)
	bins.Add(20)
	p := loadstat.Point{
		Users: users, From: 1e9, To: 19e9, Steady: true, Speed: metrics.Known(60, 30),
		SpeedP5:  metrics.Unknown(metrics.Needs(20)),
		Requests: 30, Failed: 3, GapBins: bins,
		Faults:  []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}, {Kind: metrics.FaultReset, N: 1}},
		Outside: []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 3}, {Kind: metrics.FaultReset, N: 2}},
		Fit: &loadstat.TTFTFit{A: metrics.Known(12, 30), B: metrics.Known(0.03, 30),
			R2: metrics.Unknown(metrics.WhyEqualTTFT), Low: 200, High: 4000, N: 30},
	}
	if users == 8 {
		p.Steady, p.Why = false, loadstat.Unsteady{Code: loadstat.UnsteadyFew, N: 5, Of: 8}
		p.Stamps, p.Delay = "kernel", metrics.Delay{Code: metrics.DelayReads, P99: 12, Max: 90, Shared: 0.25, First: true}
	}
	for i, o := range slos {
		p.Misses = append(p.Misses, loadstat.Miss{SLO: o, N: i})
	}
	return p
}

func sweepKey(t *testing.T) (session.SweepKey, []slo.Objective) {
	t.Helper()
	slos := testkit.Must(slo.Parse("ttft=500ms,speed>=20"))(t)
	return session.SweepKeyOf(
		metrics.Endpoint{Kind: metrics.EndpointURL, Name: "h", URL: "https://h/v1", Model: "m"},
		metrics.Workload{Name: "custom", Prompt: "Why\x1b[31m?\u202e", MaxTokens: 200},
		result.SweepLoad{Duration: 20 * time.Second}, slos), slos
}

func openSweep(t *testing.T, path string, key session.SweepKey) *session.SweepFile {
	t.Helper()
	f := testkit.Must(session.OpenSweep(path, "test", time.Unix(0, 0), key))(t)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// A finished step is read from the file as it was written.
func TestSweepFileGivesBackTheSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steps")
	key, slos := sweepKey(t)
	f := openSweep(t, path, key)
	f.Sentences = func(of any, _ time.Time) []string {
		if u, ok := of.(loadstat.Unsteady); ok {
			return []string{fmt.Sprintf("%s: %v of %v", u.Code, u.N, u.Of)}
		}
		return nil
	}
	lag := metrics.Distribution([]float64{0.1, 0.2})
	for _, n := range []int{1, 8} {
		p := loadPoint(n, slos)
		testkit.OK(t, f.Add(n, 0, &p, lag, time.Unix(9, 0)))
	}
	testkit.OK(t, f.Close())
	for _, line := range bytes.Split(bytes.TrimSpace(read(t, path)), []byte("\n")) {
		validate(t, "sweep-steps-v1", line)
		testkit.That(t, !bytes.ContainsRune(line, 0x1b) && !bytes.Contains(line, []byte("\u202e")),
			"a raw escape or override in %q", line)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the file: %v, %v", info.Mode(), err)
	}

	if text := read(t, path); bytes.Count(text, []byte(`"not_steady":{"reason":"few_requests","n":5,"of":8}`)) != 1 ||
		!bytes.Contains(text, []byte(`"why_not_steady":"few_requests: 5 of 8"`)) {
		t.Errorf("the reason of an unsteady step is not in the file: %s", text)
	}

	g := openSweep(t, path, key)
	for _, n := range []int{1, 8} {
		have, haveLag, ok := g.Have(n, 0)
		testkit.Given(t, ok && have.Users == n && have.Speed == metrics.Known(60, 30) && have.Steady == (n == 1),
			"%d users: %v, %+v", n, ok, have)
		// What failed within the window and outside of it stand in one count.
		want := loadPoint(n, slos)
		testkit.Same(t, []any{have.Failed, have.Faults, have.Outside, have.Misses}, []any{want.Failed, want.Faults,
			want.Outside, want.Misses}, n, "users")
		testkit.Same(t, haveLag, lag, "lag")
	}
	for _, x := range []struct {
		users int
		rate  float64
	}{{2, 0}, {0, 1}, {8, 1}} {
		if _, _, ok := g.Have(x.users, x.rate); ok {
			t.Errorf("a step that was not run is there: %+v", x)
		}
	}
}

// Wherever a kill cuts the file, every complete line is kept, and the next
// step is written after them.
func TestSweepFileCut(t *testing.T) {
	key, slos := sweepKey(t)
	whole := filepath.Join(t.TempDir(), "whole")
	f := openSweep(t, whole, key)
	for _, n := range []int{1, 8} {
		p := loadPoint(n, slos)
		testkit.OK(t, f.Add(n, 0, &p, metrics.Dist{}, time.Unix(9, 0)))
	}
	data := read(t, whole)
	var lineEnds []int // of the lines
	for i, c := range data {
		if c == '\n' {
			lineEnds = append(lineEnds, i+1)
		}
	}
	testkit.Need(t, len(lineEnds), 3, "lines, want a head and two steps")
	for _, x := range []struct{ cut, zeros int }{
		{0, 0}, {lineEnds[0] - 200, 0}, {lineEnds[0] - 1, 0}, {lineEnds[0], 0}, {lineEnds[0] + 1, 0}, {lineEnds[0] + 7, 0},
		{lineEnds[0] + 100, 0},
		{lineEnds[1] - 2, 0}, {lineEnds[1] - 1, 0}, {lineEnds[1], 0}, {lineEnds[1], 4096}, {lineEnds[1] + 100, 4096},
		{len(data) - 1, 0}, {len(data), 0},
	} {
		cut := x.cut
		path := filepath.Join(t.TempDir(), "cut")
		testkit.OK(t, os.WriteFile(path, append(bytes.Clone(data[:cut]), make([]byte, x.zeros)...), 0o600))
		f := openSweep(t, path, key)
		for i, n := range []int{1, 8} {
			// A step is whole when only its line end is missing.
			if _, _, ok := f.Have(n, 0); ok != (cut >= lineEnds[i+1]-1) {
				t.Errorf("cut at %d of %d: step %d is there: %v", cut, len(data), n, ok)
			}
		}
		p := loadPoint(64, slos)
		testkit.OK(t, f.Add(64, 0, &p, metrics.Dist{}, time.Unix(9, 0)))
		testkit.OK(t, f.Close())
		g := openSweep(t, path, key)
		for i, n := range []int{1, 8, 64} {
			if _, _, ok := g.Have(n, 0); !ok && (n == 64 || cut >= lineEnds[i+1]-1) {
				t.Errorf("cut at %d: step %d is lost", cut, n)
			}
		}
		for _, line := range bytes.Split(bytes.TrimSpace(read(t, path)), []byte("\n")) {
			validate(t, "sweep-steps-v1", line)
		}
	}
}

// A file of another sweep is refused, and the error names the difference.
func TestSweepFileOfAnotherSweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steps")
	key, slos := sweepKey(t)
	testkit.OK(t, openSweep(t, path, key).Close())
	before := read(t, path)
	embedded := metrics.Endpoint{Kind: metrics.EndpointEmbedded, URL: "http://127.0.0.1:1/v1", Model: "m"}
	for _, x := range []struct {
		change func(k *session.SweepKey)
		want   string
	}{
		{func(k *session.SweepKey) { k.Workload.MaxTokens = 400 }, "workload.max_tokens is 200 in the file, 400 now"},
		{func(k *session.SweepKey) { k.Workload.Prompt = "How?" }, "workload.prompt is"},
		{func(k *session.SweepKey) { k.Endpoint.Model = "other" }, `endpoint.model is "m" in the file, "other" now`},
		{func(k *session.SweepKey) { k.Load.SharedPrefix = true }, "load.shared_prefix is false in the file, true now"},
		{func(k *session.SweepKey) { k.Load.Input = "200..4000" },
			`load.input_tokens is not set in the file, "200..4000" now`},
		{func(k *session.SweepKey) { k.SLO = nil }, "slo is"},
		{func(k *session.SweepKey) { hot := 1.0; k.Workload.Temperature = &hot },
			"workload.temperature is not set in the file, 1 now"},
	} {
		other := key
		other.SLO = append([]string{}, key.SLO...)
		x.change(&other)
		_, err := session.OpenSweep(path, "test", time.Unix(0, 0), other)
		testkit.That(t, err != nil && strings.Contains(err.Error(), "is of another sweep: "+x.want),
			"%v; want a mismatch with %q", err, x.want)
	}
	testkit.Is(t, string(before), string(read(t, path)), "a refused file was changed")
	a := session.SweepKeyOf(embedded, metrics.Workload{}, result.SweepLoad{}, slos)
	embedded.URL = "http://127.0.0.1:2/v1"
	b := session.SweepKeyOf(embedded, metrics.Workload{Concurrency: 8, Nonce: "x"}, result.SweepLoad{}, slos)
	testkit.Same(t, b, a, "the embedded endpoint is another one at another port")
}

// These values are part of the key of --resume: a change would refuse the files of
// earlier runs.
func TestSweepLoad(t *testing.T) {
	for _, x := range []struct {
		plan loadstat.SweepPlan
		want result.SweepLoad
	}{
		{loadstat.SweepPlan{Users: []int{1}, Duration: 20 * time.Second}, result.SweepLoad{Duration: 20 * time.Second}},
		{loadstat.SweepPlan{Rates: []float64{1}, Requests: 5, Poisson: true}, result.SweepLoad{Open: true, Poisson: true,
			Requests: 5}},
		{loadstat.SweepPlan{Prompts: []string{"a", "b"}},
			result.SweepLoad{Prompts: "2, sha256 7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78"}},
		{loadstat.SweepPlan{Output: metrics.FixedLength(200), SharedPrefix: true}, result.SweepLoad{Output: "200",
			SharedPrefix: true}},
		{loadstat.SweepPlan{Output: metrics.Lengths{Low: 100, High: 400}, Think: 1500 * time.Microsecond},
			result.SweepLoad{Output: "100..400", Think: 1500 * time.Microsecond}},
		{loadstat.SweepPlan{Input: metrics.FixedLength(1000)}, result.SweepLoad{}}, // the workload says it
		{loadstat.SweepPlan{Input: metrics.Lengths{Low: 400, High: 1600, Mean: 1000, SD: 200}},
			result.SweepLoad{Input: "1000±200"}},
		{loadstat.SweepPlan{Input: metrics.Lengths{Choices: []int{100, 1000}}}, result.SweepLoad{Input: "100,1000"}},
	} {
		testkit.Is(t, result.SweepLoadOf(&x.plan), x.want, x.plan)
	}
}
