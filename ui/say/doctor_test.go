package say

import (
	"os"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/testkit"
)

// TestEveryCheckHasWords holds that each check has a name, and that each reason
// leads to a sentence.
func TestEveryCheckHasWords(t *testing.T) {
	codes, whys := codesIn(t, "doctor/doctor.go", "Code"), codesIn(t, "doctor/doctor.go", "Why")
	testkit.Given(t, len(codes) == len(checkNames) && len(codes) == 12 && len(whys) >= 15,
		"%d checks, %d names, %d reasons", len(codes), len(checkNames), len(whys))
	s := metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	run := &metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
	for _, code := range codes {
		if CheckName(doctor.Code(code)) == code && code != "key" && code != "proxy" && code != "name" && code != "models" &&
			code != "stream" && code != "buffering" && code != "tokscope" {
			t.Errorf("%s has no name", code)
		}
		for _, why := range append(whys, "") {
			for _, f := range []*metrics.Fault{nil, {Message: "it failed", Next: "do this"}} {
				k := doctor.Check{Code: doctor.Code(code), Grade: doctor.Bad, Why: doctor.Why(why), Fault: f, Run: run, Name: "n",
					Address: "a:1", Peer: &doctor.Peer{}}
				if f == nil && (why == "no_list" || why == "other_base" || why == "other_api") {
					continue // they come with a fault
				}
				text, _ := Check(&k)
				testkit.That(t, len(text) >= 3 && !strings.Contains(text, "%!"), "%s, %s: %q", code, why, text)
			}
		}
	}
}

// TestEveryFrontHasAdvice holds that each front has its line, and that
// docs/buffering.md has the same settings.
func TestEveryFrontHasAdvice(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/buffering.md"))(t)
	testkit.Is(t, len(frontAdvice), len(metrics.Fronts), "fronts with advice")
	for _, f := range metrics.Fronts {
		a, ok := AdviceOf(f)
		testkit.That(t, ok && a.Name != "" && a.Where != "", "%s: %+v", f, a)
		_, row, there := strings.Cut(string(page), "\n| "+a.Name+" | ")
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(row, " | ")
		if !there || len(cells) != 3 || !strings.Contains(cells[0], a.Set) ||
			(a.Set == "") != (strings.Trim(cells[2], "| ") == "–") {
			t.Errorf("docs/buffering.md holds no setting %q of %s with its source: %q", a.Set, a.Name, row)
		}
	}
}

// TestOneChunkIsNoProxy: a proxy holds chunks back and joins none, so an answer in one
// chunk sends nobody to look for a proxy, whatever the headers name.
func TestOneChunkIsNoProxy(t *testing.T) {
	for _, c := range []struct {
		n      int
		ms     float64
		fronts []metrics.Front
	}{{60, 502, nil}, {380, 5000, []metrics.Front{metrics.FrontNginx}},
		{1, 90, []metrics.Front{metrics.FrontHAProxy, metrics.FrontAPIGateway}}} {
		s := metrics.Suspicion{Code: metrics.SuspectOneChunk, N: c.n, Ms: c.ms}
		k := doctor.Check{Code: doctor.Buffers, Grade: doctor.Bad, Suspect: &s, Fronts: c.fronts, Run: &metrics.Run{}}
		_, next := Check(&k)
		testkit.That(t, len(next) == 1 && strings.HasPrefix(next[0], "let the engine stream"), "%+v: next %q", c, next)
		up := CheckUp(&doctor.Report{Checks: []doctor.Check{k}})
		testkit.That(t, strings.Contains(up, "Next: let the engine stream"), "%+v: %s", c, up)
		s.Code = metrics.SuspectTerminalBurst
		if _, next = Check(&k); strings.Contains(strings.Join(next, " "), "engine") {
			t.Errorf("a burst of %+v: next %q", c, next)
		}
	}
}
