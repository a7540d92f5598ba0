package html_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/ui/html"
	"tokscope/ui/report"
	"tokscope/ui/uitest/golden"
)

// runOf returns the request of a stream.
func runOf(s *metrics.Stream) metrics.Run {
	return metrics.Run{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})}
}

// long returns a request of n chunks with gaps of 1 to 9 ms, and one of 412 ms.
func long(n int) metrics.Run {
	s := metrics.NoStream(0)
	s.State, s.Marks.Start, s.Marks.Sent = metrics.Done, 0, 0
	at := metrics.Stamp(40 * time.Millisecond)
	for i := range n {
		at += metrics.Stamp(1+i*7919%9)*1e6 + metrics.Stamp(i%1000)
		if i == n/2 {
			at += 403e6
		}
		s.Text = append(s.Text, " word"...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i),
			TextEnd: int32(len(s.Text)), Tokens: -1})
	}
	s.Marks.End, s.Now = at, at
	return runOf(&s)
}

// written returns the page of runs.
func written(t *testing.T, runs ...metrics.Run) string {
	t.Helper()
	p := html.Runs(runs, report.Probe(runs, report.Form{Whole: len(runs) == 1}))
	p.By = report.Origin{Version: "v0.0.0", System: "linux/amd64", CPUs: 2}
	var b strings.Builder
	testkit.OK(t, p.Write(&b))
	return b.String()
}

// track is what a page has of a request for its player.
type track struct {
	At, Gap []int64
	Text    []string
	Each    int
}

// tracks returns those of a page.
func tracks(t *testing.T, page string) (all []track) {
	t.Helper()
	_, data, _ := strings.Cut(page, `<script type="application/json" id="tracks">`)
	data, _, _ = strings.Cut(data, "</script>")
	testkit.OK(t, json.Unmarshal([]byte(data), &all))
	return all
}

// TestPage shows the page of a request, without its style and script.
func TestPage(t *testing.T) {
	page := written(t, runOf(example.Stream(metrics.InReasoning, 50)))
	_, page, _ = strings.Cut(page, "<main>")
	page, _, _ = strings.Cut(page, "<details><summary>What the figures mean")
	golden.Text(t, "run", page)
}

// TestPolicy: the policy allows the one style and the one script of the page, by their hashes,
// and nothing else, and no tag names an address.
func TestPolicy(t *testing.T) {
	page := written(t, long(20))
	for tag, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		all := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		testkit.Need(t, len(all), 1, tag)
		sum := sha256.Sum256([]byte(all[0][1]))
		testkit.Has(t, page, directive+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';")
	}
	testkit.Has(t, page, `content="default-src 'none'; style-src 'sha256-`)
	for _, with := range []string{" src=", " href=", "url(", "@import", " style=", " onclick=", "://"} {
		testkit.That(t, !strings.Contains(page, with), "the page has %q", with)
	}
}

// tags are the names of the tags of a page, each once.
func tags(page string) []string {
	all := regexp.MustCompile(`<[!/]?[a-zA-Z0-9]+`).FindAllString(page, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// fill sets all strings in v.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().PkgPath() != "time" {
				fill(v.Field(i), text)
			}
		}
	}
}

// TestHostile: whatever strings say, the page has no tag more, no control of direction, no
// separator that a script would take for the end of a line.
func TestHostile(t *testing.T) {
	evil := `</script></style><meta http-equiv=refresh content=0><img src=x onerror=alert(1)>` +
		"\u2028\u2029\u202e\u2066\x1b[31m\x00\"'`<!--<script>"
	of := func(text string) string {
		run := long(12)
		failed := runOf(example.Stream(metrics.InReasoning, 50))
		failed.Stream.State, failed.Stream.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP}
		failed.Stream.Notes = []metrics.Note{{}}
		failed.Stream.Server = []metrics.ServerTime{{D: time.Second}}
		for _, r := range []*metrics.Run{&run, &failed} {
			fill(reflect.ValueOf(&r.Stream).Elem(), text)
			r.Stream.Text = []byte(strings.Repeat(text, 30))
			for i := range r.Stream.Chunks {
				r.Stream.Chunks[i].TextEnd = int32((i + 1) * len(r.Stream.Text) / len(r.Stream.Chunks))
			}
		}
		return written(t, run) + written(t, run, failed)
	}
	page := of(evil)
	testkit.Same(t, tags(page), tags(of("harmless")), "tags")
	testkit.Has(t, page, "&lt;meta http-equiv=refresh", `\u003c/script`)
	testkit.That(t, !strings.ContainsAny(page, "\u2028\u2029\u202e\u2066\x1b\x00"), "a control is in the page")
}

// TestPlayedGaps: what is played and drawn are the figures, also where chunks share a dot.
func TestPlayedGaps(t *testing.T) {
	for _, n := range []int{2, 300, 1000, 15_000, 200_000} {
		run := long(n)
		page := written(t, run)
		got := tracks(t, page)[0]
		var gaps []float64
		for _, us := range got.Gap {
			if us >= 0 {
				gaps = append(gaps, float64(us)/1000)
			}
		}
		near := func(what string, got float64, want metrics.Value) {
			testkit.That(t, want.OK && got > want.V-.001 && got < want.V+.001, "%d chunks: %s %v, the figure is %v", n, what,
				got, want)
		}
		near("longest", slices.Max(gaps), run.Figures.Longest)
		// What cleans texts breaks lines that no answer has.
		if text := strings.ReplaceAll(strings.Join(got.Text, ""), "\n", ""); n < 200_000 {
			testkit.Is(t, text, string(run.Stream.Text), n, "chunks: the text")
		} else {
			testkit.Has(t, page, "The text is too long for this page")
			testkit.Is(t, text, "", "a text that is too long")
		}
		if got.Each == 1 {
			slices.Sort(gaps)
			near("median", stats.Quantile(gaps, .5), run.Figures.Gaps.P50)
			near("first", float64(got.At[0])/1000, run.Figures.TTFT)
		} else {
			testkit.Has(t, page, fmt.Sprintf("A dot is the longest gap of %d chunks", got.Each))
		}
		testkit.That(t, len(page) <= 300_000, "%d chunks: %d bytes", n, len(page))
	}
}
