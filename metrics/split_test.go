package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics/testkit"
)

// asked is a request of a series: its TTFT and its traits.
type asked struct {
	ttft   float64
	kept   bool
	cached bool
	model  string
}

// series returns ended requests, one second apart.
func series(all ...asked) []Run {
	runs := make([]Run, len(all))
	for i, a := range all {
		s := Stream{ID: i + 1, State: Done, Marks: NewMarks(), Model: a.model, Conn: Connection{Reused: a.kept}}
		s.Marks.Sent, s.Marks.GotConn = stamp(1000*float64(i)), stamp(1000*float64(i))
		runs[i] = Run{Stream: s, Figures: Figures{TTFT: Known(a.ttft, 1), PromptTokens: Known(20, 1),
			CachedTokens: Known(0, 1)}}
		if a.cached {
			runs[i].Figures.CachedTokens = Known(16, 1)
		}
	}
	return runs
}

// splitText writes a split in one line, "none" for nil.
func splitText(s *Split) string {
	if s == nil {
		return "none"
	}
	text := ""
	for _, t := range s.By {
		text += string(t.Code) + t.Name + " "
	}
	return fmt.Sprintf("%s%d: %.4g, %d: %.4g", text, s.N, s.Ms, s.Others, s.OthersMs)
}

// TestASplitIsNamed holds the kinds that people report, each with several inputs.
func TestASplitIsNamed(t *testing.T) {
	cache := func(n, every int, fresh, cached float64) (all []asked) {
		for i := range n {
			a := asked{ttft: cached + float64(i%3), kept: i > 0, cached: true, model: "m"}
			if i%every == every-1 {
				a.ttft, a.cached = fresh+float64(10*i), false
			}
			all = append(all, a)
		}
		return all
	}
	first := func(n int, ms, rest float64, kept bool) (all []asked) {
		for i := range n {
			all = append(all, asked{ttft: rest * (1 + 0.01*float64(i%4)), kept: kept && i > 0})
		}
		all[0].ttft = ms
		return all
	}
	mixed := func(models string, ms map[rune]float64) (all []asked) {
		for i, m := range models {
			all = append(all, asked{ttft: ms[m] + float64(i), kept: true, model: string(m)})
		}
		return all
	}
	connections := func(n int) (all []asked) {
		for i := range n {
			a := asked{ttft: 11 + 0.3*float64(i%5)}
			if i%3 > 0 {
				a = asked{ttft: 42 + 0.4*float64(i%4), kept: true}
			}
			all = append(all, a)
		}
		return all
	}
	outlier := cache(40, 4, 2000, 200)
	outlier[5].ttft = 3000
	for name, c := range map[string]struct {
		runs []asked
		want string
	}{
		"every fourth is not cached": {cache(12, 4, 2000, 200), "cached_prompt 9: 201, 3: 2070"},
		"every second is not cached": {cache(8, 2, 900, 300), "cached_prompt 4: 300.5, 4: 940"},
		"one outlier among many":     {outlier, "cached_prompt 30: 201, 10: 2210"},
		"a first of ten":             {first(10, 4000, 201, false), "first 1: 4000, 9: 203"},
		"a first of five":            {first(5, 9000, 80, false), "first 1: 9000, 4: 81.2"},
		"a first, on the new one":    {first(10, 11, 42, true), "first new_connection 1: 11, 9: 42.42"},
		"a first slow one, new":      {first(7, 640, 35, true), "first new_connection 1: 640, 6: 35.53"},
		"kept connections":           {connections(12), "new_connection 4: 11.6, 8: 42.6"},
		"another model in one of four": {mixed("aabaaabaaaba", map[rune]float64{'a': 200, 'b': 1500}),
			"modelb 3: 1506, 9: 205"},
		"one of four": {mixed("aaba", map[rune]float64{'a': 200, 'b': 1500}), "modelb 1: 1502, 3: 201"},
		"the slowest of three models": {mixed("abcabcabcabc", map[rune]float64{'a': 200, 'b': 210, 'c': 900}),
			"modelc 4: 906.5, 8: 210"},
		"a faster model, most others": {mixed("abcdabcdabcd", map[rune]float64{'a': 20, 'b': 210, 'c': 210, 'd': 215}),
			"modela 3: 24, 9: 218"},
		"alike":                 {first(10, 203, 201, true), "none"},
		"too few":               {first(3, 4000, 201, false), "none"},
		"nobody overlooks 3 ms": {first(10, 4, 1, false), "none"},
	} {
		s := Summarize(series(c.runs...))
		testkit.Is(t, splitText(s.Split), c.want, name)
	}
}

// TestTheFirstIsThatOfAll holds that the first that ended well is not called the first
// request where another was sent before it.
func TestTheFirstIsThatOfAll(t *testing.T) {
	all := []asked{{ttft: 1}, {ttft: 4000}}
	for range 9 {
		all = append(all, asked{ttft: 200})
	}
	runs := series(all...)
	runs[0].Stream.State = Failed
	if s := Summarize(runs); s.Split != nil {
		t.Error(splitText(s.Split))
	}
	testkit.Is(t, splitText(Summarize(runs[1:]).Split), "first 1: 4000, 9: 200")
}

// TestPlainSeriesAreNotSplit holds the error of a split: series of one distribution,
// whose traits mean nothing, are split in 5 % at most, whatever the distribution.
func TestPlainSeriesAreNotSplit(t *testing.T) {
	rnd := testkit.Rand(t, 7)
	plain := map[string]func() float64{
		"normal, 3 %":     func() float64 { return 200 * (1 + 0.03*rnd.NormFloat64()) },
		"log-normal, 0.2": func() float64 { return 200 * math.Exp(0.2*rnd.NormFloat64()) },
		"log-normal, 1":   func() float64 { return 200 * math.Exp(rnd.NormFloat64()) },
		"exponential":     func() float64 { return 20 + 200*rnd.ExpFloat64() },
		"Pareto, no mean": func() float64 { return 50 / (1 - rnd.Float64()) },
		"uniform":         func() float64 { return 1000 * rnd.Float64() },
		"whole 10 ms":     func() float64 { return 10 * math.Round(20*math.Exp(0.3*rnd.NormFloat64())) },
		"a drift":         nil,
	}
	sizes, times := []int{4, 12, 40, 5, 6, 8, 10, 20, 120}, 200
	if testing.Short() {
		sizes = sizes[:2]
	}
	if testkit.Long() {
		times = 10_000
	}
	for name, draw := range plain {
		for _, n := range sizes {
			wrong := 0
			for range min(times, 40*times/n) {
				wrong += falseSplit(rnd, n, draw)
			}
			if share := float64(wrong) / float64(min(times, 40*times/n)); share > 0.05 {
				t.Errorf("%s, %d requests: %.1f %% are split", name, n, 100*share)
			} else if testkit.Long() {
				t.Logf("%s, %d requests: %.2f %% are split", name, n, 100*share)
			}
		}
	}
}

// falseSplit returns 1 for a plain series that is split. Without draw TTFT rises
// steadily, to three times.
func falseSplit(rnd *rand.Rand, n int, draw func() float64) int {
	all := make([]asked, n)
	fresh, cached := 1+rnd.IntN(n), rnd.Float64() // the first so many are on new connections
	for i := range all {
		all[i] = asked{kept: i >= fresh, cached: rnd.Float64() < cached, model: string(rune('a' + rnd.IntN(2)))}
		if draw != nil {
			all[i].ttft = draw()
		} else {
			all[i].ttft = 200 * (1 + 2*float64(i)/float64(n) + 0.01*rnd.NormFloat64())
		}
	}
	if s := Summarize(series(all...)); s.Split != nil {
		return 1
	}
	return 0
}
