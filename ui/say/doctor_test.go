package say

import (
	"os"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
)

// TestEveryCheckHasWords holds that each check has a name, and that each reason
// leads to a sentence.
func TestEveryCheckHasWords(t *testing.T) {
	codes, whys := codesIn(t, "doctor/doctor.go", "Code"), codesIn(t, "doctor/doctor.go", "Why")
	if len(codes) != len(checkNames) || len(codes) != 12 || len(whys) < 15 {
		t.Fatalf("%d checks, %d names, %d reasons", len(codes), len(checkNames), len(whys))
	}
	s := metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	run := &metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
	for _, code := range codes {
		if CheckName(doctor.Code(code)) == code && code != "key" && code != "proxy" && code != "name" && code != "models" && code != "stream" && code != "buffering" && code != "tokscope" {
			t.Errorf("%s has no name", code)
		}
		for _, why := range append(whys, "") {
			for _, f := range []*metrics.Fault{nil, {Message: "it failed", Next: "do this"}} {
				k := doctor.Check{Code: doctor.Code(code), Grade: doctor.Bad, Why: doctor.Why(why), Fault: f, Run: run, Name: "n", Address: "a:1", Peer: &doctor.Peer{}}
				if f == nil && (why == "no_list" || why == "other_base") {
					continue // they come with a fault
				}
				if text, _ := Check(&k); len(text) < 3 || strings.Contains(text, "%!") {
					t.Errorf("%s, %s: %q", code, why, text)
				}
			}
		}
	}
}

// TestEveryFrontHasAdvice holds that each front has its line, and that
// docs/buffering.md has the same settings.
func TestEveryFrontHasAdvice(t *testing.T) {
	page, err := os.ReadFile("../../docs/buffering.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(frontAdvice) != len(metrics.Fronts) {
		t.Errorf("%d fronts, advice for %d", len(metrics.Fronts), len(frontAdvice))
	}
	for _, f := range metrics.Fronts {
		a, ok := AdviceOf(f)
		if !ok || a.Name == "" || a.Where == "" || (a.Set == "") != (a.Source == "") {
			t.Errorf("%s: %+v", f, a)
		}
		for _, text := range []string{a.Name, a.Set, a.Source} {
			if !strings.Contains(string(page), text) {
				t.Errorf("docs/buffering.md does not hold %q", text)
			}
		}
	}
}
