package report

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// comparedSample is a saved result with n requests at each of these loads, whose
// times are factor times the usual ones; every failing-th request failed, 0: none.
func comparedSample(source string, n int, factor float64, failing int, users ...int) *comparison.Sample {
	began := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	s := &comparison.Sample{
		Source: source, Kind: comparison.KindProbe, Versions: []string{"v1"}, From: began, To: began.Add(time.Hour),
		Endpoints: []metrics.Endpoint{{Name: "groq\x1b[2J", URL: "https://api.groq.com/openai/v1"}},
	}
	for _, u := range users {
		g := comparison.Group{Setup: comparison.Setup{Model: "llama-3.3-70b", Workload: "chat", MaxTokens: 400,
			Connection: "reused", Proto: "HTTP/1.1", Proxy: "none", Users: u, Stamps: "kernel",
			Counted: "counted by the server"}}
		for i := range n {
			wave := 1 + 0.06*math.Sin(float64(i*i))
			e := history.Entry{State: metrics.Done, N: 1}
			set := func(f history.Figure, v float64) { e.Figures[f] = metrics.Known(v, 1) }
			prefill := 255 * factor * wave
			set(history.Upload, 0.1)
			set(history.TTFB, 3)
			set(history.Queue, 0)
			set(history.Prefill, prefill)
			set(history.TTFT, prefill+14*(1+0.1*math.Cos(float64(i*i))))
			set(history.TPOT, 7.12*(1+0.03*math.Sin(float64(3*i*i))))
			set(history.Longest, 40*(1+0.4*math.Sin(float64(5*i*i))))
			set(history.Total, prefill+14+400*7.12*(1+0.03*math.Sin(float64(3*i*i))))
			if failing > 0 && i%failing == failing-1 {
				e.State, e.Failed = metrics.Failed, 1
			}
			if i == 4 {
				e.Suspect = true
			}
			g.Add(&e)
		}
		s.Groups = append(s.Groups, g)
	}
	return s
}

// TestCompare shows comparisons of two results.
func TestCompare(t *testing.T) {
	slower := comparison.Compare(comparedSample("before.json", 40, 1, 0, 1), comparedSample("after.json", 60, 2.1, 6, 1),
		nil)
	for _, text := range []string{"ttft.p50 > 1.2x", "ttft.p90 > 1.2x A", "total.p99 > 4s", "failures > 50%"} {
		k := testkit.Must(condition.Parse(text))(t)
		slower.Judge(k, false)
	}
	loads := comparison.Compare(comparedSample("monday.ndjson", 30, 1, 0, 1, 4, 16), comparedSample("friday.ndjson", 30,
		1.02, 0, 4, 1, 64), nil)
	users := func(n int) *loadstat.Setting { return &loadstat.Setting{Drive: loadstat.Drive{Users: n}} }
	for i := range 5 {
		loads.A.Changes = append(loads.A.Changes, loadstat.Mark{At: metrics.Stamp(i+1) * 10e9, Kind: loadstat.MarkUsers,
			From: users(1 << i), To: users(2 << i)})
	}
	other := comparedSample("together.json", 30, 1, 0, 1)
	other.Groups[0].Model, other.Groups[0].MaxTokens, other.Versions = "meta-llama/Llama-3.3-70B", 200, []string{"v2"}
	other.Endpoints[0].API = "messages"
	points := []comparison.Point{comparison.PointModel, comparison.PointWorkload}
	renamed := comparison.Compare(comparedSample("groq.json", 30, 1, 0, 1), other, points)
	few := comparison.Compare(comparedSample("a.json", 3, 1, 0, 1), comparedSample("b.json", 3, 2, 0, 1), nil)
	show(t, "compare",
		scene{"it became slower, and conditions are met", Compare(slower, testOrigin, false)},
		scene{"the same in ASCII", Compare(slower, testOrigin, true)},
		scene{"loads that changed", Compare(loads, testOrigin, false)},
		scene{"another model and workload, which is allowed", Compare(renamed, testOrigin, false)},
		scene{"few requests", Compare(few, testOrigin, false)})
}

// TestComparedPicture: both lie on one axis from the smallest value of both to the
// largest. Each value is where it belongs, the higher column hides nothing of the
// lower one, and equal values have no picture.
func TestComparedPicture(t *testing.T) {
	values := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	r := comparison.Row{
		Figure: history.TTFT, NA: 10, NB: 5,
		ValuesA: append(values(10, 6), values(1000, 4)...), ValuesB: append(append(values(10, 1), values(100, 2)...),
			values(1000, 2)...),
	}
	rows := comparedPicture(&r, 20)
	want := []string{
		"TTFT         ░░",
		"to 60 %      ░░",
		"             ░░        ▓▓      ██",
		"             ██        ▓▓      ██",
		"             ██        ▓▓      ██",
	}
	if len(rows) != len(want)+1 || !slices.Equal(rows[:len(want)], want) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	axis := strings.TrimSpace(rows[len(rows)-1])
	testkit.That(t, strings.HasPrefix(axis, "10.0 ms ░ A n=10  ▓ B n=5  █ both 1.00 s"), "%q", axis)
	if r.ValuesA = values(10, 10); comparedPicture(&comparison.Row{ValuesA: r.ValuesA, ValuesB: r.ValuesA}, 20) != nil {
		t.Error("equal values have a picture")
	}
	r.ValuesA, r.ValuesB = []float64{0, 5}, []float64{5, 5}
	if rows := comparedPicture(&r, 20); []rune(rows[pictureRows-1])[pictureLabel+1] != '░' {
		t.Errorf("a value of 0 is not drawn: %q", rows)
	}
}
