package export

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/access"
	"tokscope/probe/probetest"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// some keeps the points of some instruments, so that a golden file stays short.
func some(t *table, keep ...int) *table {
	for k := range t.points {
		found := false
		for _, id := range keep {
			found = found || k.instrument == id
		}
		if !found {
			delete(t.points, k)
		}
	}
	return t
}

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		testkit.OK(t, os.WriteFile(path, got, 0o644))
	}
	want := testkit.Must(os.ReadFile(path))(t)
	testkit.Is(t, string(got), string(want), path, "differs, run with -update and look at the diff")
}

// TestPage compares both text forms with files. A name from outside has quotes,
// a line's end and a key.
func TestPage(t *testing.T) {
	good := played(answer{id: 7, endpoint: "groq", model: "a \"model\"\nwith sk-live0123456789abcdef \\", preset: "chat",
		cold: true, chunks: []float64{180, 187, 187, 194}, burst: []bool{false, false, true, false}, prompt: 31, output: 4})
	bad := played(answer{id: 8, endpoint: "groq", model: "m", preset: "chat",
		fault: &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429}, prompt: -1, output: -1})
	e, _ := filled(t, []request{good, bad})
	watched := watchstat.Target{Endpoint: metrics.Endpoint{Name: "groq", Model: "m"}, Work: metrics.Workload{Name: "chat"},
		View: watchstat.View{Change: &watchstat.Change{Since: epoch.Add(-time.Hour)}}}
	watched.View.Rows[0] = watchstat.Row{Figure: watchstat.TTFT, Watched: true, Changed: true, Ratio: 2.1, Low: 1.9,
		High: math.Inf(1)}
	e.SetVerdicts(&watched)
	keep := []int{opFirstChunk, requests, failures, stalls, lastRequest, lastGrade, baselineRatio, baselineLower,
		baselineUpper, changed, changedSince, suspected}
	golden(t, "page.txt", pageOf(some(e.sums(), keep...), "v1.2.3", false))
	golden(t, "page.openmetrics", pageOf(some(e.sums(), keep...), "v1.2.3", true))
	for _, open := range []bool{false, true} {
		text := string(pageOf(e.sums(), "v1.2.3", open))
		testkit.Lacks(t, text, "secret prompt", "hunter2", "sk-live")
		read(t, text, open)
	}
}

// TestVerdictIsTakenBack holds that a figure as usual has no moment of a change,
// and that an unknown ratio is not exported.
func TestVerdictIsTakenBack(t *testing.T) {
	e, _ := filled(t, nil)
	watched := watchstat.Target{Endpoint: metrics.Endpoint{Name: "x"},
		View: watchstat.View{Change: &watchstat.Change{Since: epoch}}}
	row := &watched.View.Rows[0]
	*row = watchstat.Row{Figure: watchstat.TPOT, Watched: true, Changed: true, Ratio: 3}
	e.SetVerdicts(&watched)
	row.Changed, row.Ratio = false, 0
	e.SetVerdicts(&watched)
	left := read(t, string(pageOf(e.sums(), "v1", false)), false)
	if v, ok := left[`tokscope_changed{endpoint="x",connection="warm",figure="tpot"}`]; !ok || v != 0 {
		t.Errorf("changed is %v, %v", v, ok)
	}
	testkit.Is(t, len(left), 3, "left are", left)
}

// read returns the samples of a page by their line without the value.
func read(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, open bool) map[string]float64 {
	t.Helper()
	return probetest.ReadMetrics(t, text, open).Samples
}

// TestAnswersOfOtherModels holds that requests to one model that other models
// answer, or none, are one series under our names, and several under GenAI's.
func TestAnswersOfOtherModels(t *testing.T) {
	var all []request
	for i, answered := range []string{"m-1", "m-2", ""} {
		r := played(answer{id: i, endpoint: "groq", model: "m", preset: "chat", chunks: []float64{5, 9}, prompt: 3,
			output: 2})
		r.s.Model = answered
		all = append(all, r)
	}
	e, _ := filled(t, all)
	for _, open := range []bool{false, true} {
		got := read(t, string(pageOf(e.sums(), "v1", open)), open)
		if n := got[`tokscope_requests_total{endpoint="groq",model="m",workload="chat",connection="warm",outcome="done"}`]; n != 3 {
			t.Errorf("%v requests are done", n)
		}
		n := 0
		for sample := range got {
			if strings.HasPrefix(sample, "gen_ai_client_operation_duration_seconds_count") {
				n++
			}
		}
		testkit.Is(t, n, 3, "series of durations, want one for each answering model")
	}
}

// FuzzLabels holds that no name from outside breaks a page or a message: the page
// stays readable, and the value read is the tidy one.
func FuzzLabels(f *testing.F) {
	for _, s := range []string{"plain", "a\"b", `back\slash`, "line\nend\r", "\x00\xff\xfe", "} 1\nevil 2", `\n`,
		"héllo\u2028", strings.Repeat("ö", 300), "# EOF"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, endpoint, model string) {
		r := played(answer{id: 1, endpoint: "x", model: model, preset: "chat", chunks: []float64{5}, prompt: 1, output: 1})
		r.s.Endpoint.Name = endpoint
		e, _ := filled(t, []request{r})
		sums := some(e.sums(), requests, opDuration)
		for _, open := range []bool{false, true} {
			samples := read(t, string(pageOf(sums, "v1", open)), open)
			want := tidy(endpoint, e.scrub.String)
			n := utf8.RuneCountInString(want)
			testkit.Given(t, n <= maxLabel && utf8.ValidString(want), "%q is no tidy label", want)
			found := want == ""
			for s := range samples {
				found = found || strings.Contains(s, `{endpoint="`+access.EscapeLabel(want)+`",`)
			}
			testkit.Given(t, found, "no sample has endpoint %q: %v", want, samples)
		}
		m := message(sums, form{temporality: cumulative}, "v1", nil, epoch, epoch, epoch)
		decoded(t, m)
	})
}

// TestExemplarNamesTheSession holds that the newest value of a bucket names its
// request, and that a request without a recording names none.
func TestExemplarNamesTheSession(t *testing.T) {
	a := played(answer{id: 3, endpoint: "x", chunks: []float64{10}, prompt: -1, output: -1})
	b := played(answer{id: 4, endpoint: "x", chunks: []float64{11}, prompt: -1, output: -1})
	e, _ := filled(t, []request{a, b})
	e.AddUnrecorded(&a.s, &a.f)
	text := string(pageOf(e.sums(), "v1", true))
	if want := `_bucket{endpoint="x",connection="warm",le="0.015"} 3 # {session="session-20261120-080000.000-7",request="4"} 0.011 ` + fmt.Sprintf("%d.000", epoch.Unix()+2); !strings.Contains(text, "tokscope_time_to_first_token_seconds"+want) {
		t.Errorf("no bucket ends with %s:\n%s", want, text)
	}
}
