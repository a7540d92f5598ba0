package export

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
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
	good := played(answer{id: 7, endpoint: "groq", model: "a \"model\"\nwith sk-live0123456789abcdef \\", preset: "chat", cold: true, chunks: []float64{180, 187, 187, 194}, burst: []bool{false, false, true, false}, prompt: 31, output: 4})
	bad := played(answer{id: 8, endpoint: "groq", model: "m", preset: "chat", fault: &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429}, prompt: -1, output: -1})
	e, _ := filled(t, []request{good, bad})
	e.SetVerdict(Verdict{
		Endpoint: metrics.Endpoint{Name: "groq", Model: "m"}, Work: metrics.Workload{Name: "chat"}, Figure: "ttft", Changed: true, Since: epoch.Add(-time.Hour),
		Ratio: metrics.Known(2.1, 40), Lower: metrics.Known(1.9, 40), Upper: metrics.Unknown(metrics.WhyOneChunk),
	})
	keep := []int{opFirstChunk, requests, failures, stalls, lastRequest, lastGrade, baselineRatio, baselineLower, baselineUpper, changed, changedSince, suspected}
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
	v := Verdict{Endpoint: metrics.Endpoint{Name: "x"}, Figure: "tpot", Changed: true, Since: epoch, Ratio: metrics.Known(3, 9)}
	e.SetVerdict(v)
	v.Changed, v.Since, v.Ratio = false, time.Time{}, metrics.Unknown(metrics.WhyOneChunk)
	e.SetVerdict(v)
	left := read(t, string(pageOf(e.sums(), "v1", false)), false)
	if v, ok := left[`tokscope_changed{endpoint="x",connection="warm",figure="tpot"}`]; !ok || v != 0 {
		t.Errorf("changed is %v, %v", v, ok)
	}
	testkit.Is(t, len(left), 3, "left are", left)
}

// read parses a page strictly and returns its samples by their line without the
// value. It checks that families are not interleaved, that samples are unique, and
// that the buckets of a histogram rise to its count.
func read(t interface{ Fatalf(string, ...any) }, text string, open bool) map[string]float64 {
	samples, done := map[string]float64{}, map[string]bool{}
	family, kind := "", ""
	var below float64
	if open != strings.HasSuffix(text, "# EOF\n") || !strings.HasSuffix(text, "\n") {
		t.Fatalf("the end of the page is wrong")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\n# EOF"), "\n") {
		if words := strings.SplitN(line, " ", 4); words[0] == "#" {
			if words[1] == "HELP" {
				if done[words[2]] {
					t.Fatalf("family %s comes twice", words[2])
				}
				family, done[words[2]] = words[2], true
			} else if words[2] != family {
				t.Fatalf("%q within %s", line, family)
			} else if words[1] == "TYPE" {
				kind = words[3]
			}
			continue
		}
		name, labels, rest := readSample(t, line)
		base := strings.TrimSuffix(family, "_total")
		suffix := strings.TrimPrefix(name, base)
		if !strings.HasPrefix(name, base) || kind == "gauge" && suffix != "" || kind == "counter" && suffix != "_total" ||
			kind == "histogram" && suffix != "_bucket" && suffix != "_sum" && suffix != "_count" {
			t.Fatalf("%q within %s of type %s", line, family, kind)
		}
		value, ex, _ := strings.Cut(rest, " # ")
		if ex != "" && (!open || suffix != "_bucket") {
			t.Fatalf("an exemplar where none may be: %q", line)
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, twice := samples[name+labels]; twice {
			t.Fatalf("sample %s%s comes twice", name, labels)
		}
		samples[name+labels] = v
		switch suffix {
		case "_bucket":
			if open && strings.Contains(labels, `le="1"`) {
				t.Fatalf("an edge without a fraction: %q", line)
			}
			if v < below && !strings.Contains(labels, `le="`+(&page{open: open}).edge(instrumentOf(family).bounds[0])+`"`) {
				t.Fatalf("buckets fall at %q", line)
			}
			below = v
		case "_count":
			if kind == "histogram" && v != below {
				t.Fatalf("%q, but the last bucket has %v", line, below)
			}
		}
	}
	return samples
}

func instrumentOf(family string) *instrument {
	for i := range instruments {
		if instruments[i].prom() == family {
			return &instruments[i]
		}
	}
	return nil
}

// readSample divides a line into name, labels with their braces, and the rest.
func readSample(t interface{ Fatalf(string, ...any) }, line string) (name, labels, rest string) {
	i := strings.IndexAny(line, "{ ")
	if i <= 0 {
		t.Fatalf("%q is no sample", line)
	}
	name = line[:i]
	if line[i] == ' ' {
		return name, "", line[i+1:]
	}
	for at, quoted := i+1, false; at < len(line); at++ {
		switch {
		case quoted && line[at] == '\\':
			if at++; at == len(line) || !strings.ContainsRune(`\"n`, rune(line[at])) {
				t.Fatalf("a wrong escape: %q", line)
			}
		case line[at] == '"':
			quoted = !quoted
		case !quoted && line[at] == '}':
			if at+1 == len(line) || line[at+1] != ' ' {
				t.Fatalf("%q has no value", line)
			}
			return name, line[i : at+1], line[at+2:]
		}
	}
	t.Fatalf("%q has no end of its labels", line)
	return
}

// TestAnswersOfOtherModels holds that requests to one model that other models
// answer, or none, are one series under our names, and several under GenAI's.
func TestAnswersOfOtherModels(t *testing.T) {
	var all []request
	for i, answered := range []string{"m-1", "m-2", ""} {
		r := played(answer{id: i, endpoint: "groq", model: "m", preset: "chat", chunks: []float64{5, 9}, prompt: 3, output: 2})
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
	for _, s := range []string{"plain", "a\"b", `back\slash`, "line\nend\r", "\x00\xff\xfe", "} 1\nevil 2", `\n`, "héllo\u2028", strings.Repeat("ö", 300), "# EOF"} {
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
			if n := utf8.RuneCountInString(want); n > maxLabel || !utf8.ValidString(want) {
				t.Fatalf("%q is no tidy label", want)
			}
			found := want == ""
			for s := range samples {
				found = found || strings.Contains(s, `{endpoint="`+escapeLabel(want)+`",`)
			}
			if !found {
				t.Fatalf("no sample has endpoint %q: %v", want, samples)
			}
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
