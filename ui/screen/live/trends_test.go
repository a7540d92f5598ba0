package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
	"tokscope/ui/uitest/golden"
)

// ended is a finished run with that TTFT in ms, as number id.
func ended(id, ttft int, change func(*metrics.Stream)) metrics.Run {
	s := layOut("reused", fmt.Sprintf("prefill %dms", ttft), "60 x 7ms", "done").at(-1)
	s.ID = id
	if change != nil {
		change(&s)
	}
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// after is the view of the last of runs.
func after(runs ...metrics.Run) *View {
	last := &runs[len(runs)-1]
	return &View{Stream: last.Stream, Figures: last.Figures, Now: last.Stream.Now, Endpoint: last.Stream.Endpoint,
		Runs:     runs,
		Observer: metrics.Observer{LateP50: 5e4, LateP99: 2e5, LateMax: 3e5, N: 400}}
}

// twentyRuns are those of auto: the first is cold, the wait of the last three is
// twice as long, and one failed.
func twentyRuns() []metrics.Run {
	var runs []metrics.Run
	for i := range 20 {
		ttft, change := 260+i%3, func(*metrics.Stream) {}
		switch {
		case i == 0:
			change = func(s *metrics.Stream) { s.Conn.Reused = false }
		case i == 14:
			change = func(s *metrics.Stream) {
				s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503,
					Message: "the server is overloaded"}
			}
		case i >= 17:
			ttft = 520
		}
		runs = append(runs, ended(i+1, ttft, change))
	}
	return runs
}

// twoEndpoints are runs of two endpoints, one of them pinned.
func twoEndpoints() *View {
	groq := func(s *metrics.Stream) {
		s.Endpoint = metrics.Endpoint{Kind: metrics.EndpointProvider, Name: "groq", URL: "https://api.groq.com/openai/v1",
			Model: "llama-3.3-70b"}
		s.Model, s.Conn.Proto = "llama-3.3-70b", "HTTP/2.0"
	}
	return after(ended(1, 288, groq), ended(2, 290, groq), ended(3, 41, nil), ended(4, 43, nil), ended(5, 276, groq))
}

// TestGoldenRuns holds the trends after twenty runs, and a list of runs of two
// endpoints.
func TestGoldenRuns(t *testing.T) {
	sheet := golden.NewSheet(t, "runs")
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		sheet.Screen(fmt.Sprintf("twenty runs, %dx%d", size[0], size[1]), frame(after(twentyRuns()...), size[0], size[1]))
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		v := twoEndpoints()
		s := newPicture()
		v.Pinned = &v.Runs[0]
		v.Findings = conclude(v)
		g := draw.New(size[0]-1, size[1]-2)
		s.Draw(g, g.Bounds(), v)
		sheet.Screen(fmt.Sprintf("two endpoints, the first run pinned, %dx%d", size[0], size[1]), g)
	}
	v := after(twentyRuns()...)
	v.Other = "demo"
	sheet.Screen("of another endpoint, 80x24", frame(v, 80, 24))
	v = after(ended(1, 260, nil))
	v.Message, v.Warn = "auto paused, next in 7 s as the server asks: too many requests", true
	sheet.Screen("auto paused, 80x24", frame(v, 80, 24))
}

// TestATrendIsTrue: a bar is as high as its share of twice the median, to an
// eighth; the span in the title is the number of bars; a failed run has a sign.
func TestATrendIsTrue(t *testing.T) {
	v := after(twentyRuns()...)
	g := frame(v, 120, 40)
	find(t, g, "trend: last 12 of 20 runs")
	find(t, g, "▄▄▄▄▄▄✗▄▄███") // a failed one, and twice the median

	// The bars of the cold run are dim.
	v = after(twentyRuns()[:5]...)
	g = frame(v, 120, 40)
	for y, line := range strings.Split(g.Plain(), "\n") {
		if before, _, ok := strings.Cut(line, "▄▄▄▄▄"); ok {
			x := draw.Width(before)
			_, cold := g.At(x, y)
			_, warm := g.At(x+1, y)
			testkit.That(t, cold == themes.Dim && warm == themes.Text, "cold is %v, warm %v", cold, warm)
			return
		}
	}
	t.Fatalf("no trend:\n%s", g.Plain())
}

// TestATrendIsOfOneWorkload: runs of another endpoint, model or workload are
// not in it.
func TestATrendIsOfOneWorkload(t *testing.T) {
	for name, change := range map[string]func(*metrics.Stream){
		"endpoint": func(s *metrics.Stream) { s.Endpoint.URL = "http://127.0.0.1:2/v1" },
		"model":    func(s *metrics.Stream) { s.Endpoint.Model = "x" },
		"prompt":   func(s *metrics.Stream) { s.Work.Prompt = "why?" },
		"length":   func(s *metrics.Stream) { s.Work.MaxTokens = 7 },
	} {
		v := after(ended(1, 500, change), ended(2, 500, change), ended(3, 41, nil), ended(4, 43, nil))
		find(t, frame(v, 120, 40), "trend: 2 runs")
		if text := frame(v, 120, 40).Plain(); strings.Contains(text, "p50 500") || strings.Contains(text, "n=4") {
			t.Errorf("another %s is in the figures:\n%s", name, text)
		}
	}
}

// TestTheListShowsWhatDiffers: a column is there only where runs differ in it.
func TestTheListShowsWhatDiffers(t *testing.T) {
	heads := map[string]func(*metrics.Stream){
		"endpoint": func(s *metrics.Stream) { s.Endpoint.Name, s.Endpoint.URL = "groq", "https://api.groq.com/v1" },
		"model":    func(s *metrics.Stream) { s.Endpoint.Model = "qwen3-32b" },
		"workload": func(s *metrics.Stream) { s.Work.MaxTokens = 50 },
		"conn":     func(s *metrics.Stream) { s.Conn.Proto = "HTTP/2.0" },
	}
	for want, change := range heads {
		g := frame(after(ended(1, 50, nil), ended(2, 50, change)), 120, 40).Plain()
		for head := range heads {
			testkit.Is(t, strings.Contains(g, "#  "+head+" "), head == want, "runs differ in", want, "a column", head, g)
		}
	}
}

// TestThePinnedRunStays: the pinned run and the shown one have a row however
// many runs there are.
func TestThePinnedRunStays(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 200} {
		var runs []metrics.Run
		for i := range n {
			runs = append(runs, metrics.Run{Stream: metrics.Stream{ID: i + 1}})
		}
		for _, rows := range []int{0, 1, 2, 3, 10} {
			for pinned := range n + 1 {
				seen, got := map[int]bool{}, 0
				for i := range rowsOf(runs, rows, [2]int{n, pinned}) {
					if id := runs[i].Stream.ID; seen[id] {
						t.Fatalf("run %d is twice in %d rows", id, rows)
					} else {
						seen[id] = true
					}
					got++
				}
				testkit.Need(t, got, min(rows, n), "rows of", rows, "for", n, "runs")
				testkit.Given(t, rows <= 1 || seen[n] && (pinned <= 0 || seen[pinned]),
					"%d runs in %d rows: %v, without %d or %d", n, rows, seen, n, pinned)
			}
		}
	}
}

// TestTheMedianWaitsForTheConnection: until the connection is known there is no
// median over cold and warm runs; then it is over one kind.
func TestTheMedianWaitsForTheConnection(t *testing.T) {
	cold := func(s *metrics.Stream) { s.Conn.Reused = false }
	v := after(ended(1, 500, cold), ended(2, 500, cold), ended(3, 41, nil), ended(4, 43, nil), ended(5, 42, nil))
	whole := v.Stream
	s := newPicture()
	g := draw.New(119, 38)
	v.Findings = conclude(v)
	v.Stream.ID, v.Stream.State, v.Stream.Conn, v.Stream.Marks.GotConn = 6, metrics.Connecting, metrics.Connection{},
		metrics.NoStamp
	s.Draw(g, g.Bounds(), v)
	testkit.Need(t, s.median.N, 0, "n=… before the connection")
	v.Stream.Conn, v.Stream.Marks.GotConn = whole.Conn, whole.Marks.GotConn
	s.Draw(g, g.Bounds(), v)
	testkit.Is(t, s.median.N, 3, "n=… over a warm connection")
}

// limited is the view of the last of some runs, ten seconds apart, whose answers
// told what was left of 6,000 tokens in a minute.
func limited(left ...int) *View {
	var runs []metrics.Run
	for i, n := range left {
		r := ended(i+1, 40, nil)
		s := &r.Stream
		s.Marks.Headers = metrics.Stamp(time.Duration(i) * 10 * time.Second)
		s.RateLimit = &metrics.RateLimit{LimitRequests: -1, RemainingRequests: -1, ResetRequests: -1, LimitTokens: 6000,
			RemainingTokens: n, ResetTokens: time.Minute - time.Duration(i)*10*time.Second}
		runs = append(runs, r)
	}
	v := after(runs...)
	v.Now = v.Stream.Marks.Headers
	var s limits
	v.Limits = s.forecast(v)
	return v
}

// TestRateLimitIsForecast checks that a run counts once, however often it is looked
// at, and of which requests limits are.
func TestRateLimitIsForecast(t *testing.T) {
	v := limited(6000, 4000)
	var s limits
	for range 5 {
		testkit.Need(t, s.forecast(v).Tokens.Answers, 2, "two runs count as … answers")
	}
	// Another model has limits of its own, and a recording may hold later answers.
	other := *v
	other.Stream.Endpoint.Model, other.Stream.RateLimit = "another", nil
	f := s.forecast(&other)
	testkit.That(t, !f.Known(), "a model without limits shows %+v", f)
	file := *v
	file.File = "session.ndjson"
	testkit.Is(t, s.forecast(&file).Tokens.Answers, 1, "a recording counts … answers, want that of the shown request")
}

// TestRateLimitCountsEveryRun checks that each run counts once while an older one is
// shown, also when the session drops its first runs for new ones.
func TestRateLimitCountsEveryRun(t *testing.T) {
	all := limited(6000, 5000, 4000, 3000)
	v, s := *all, limits{}
	v.Stream = all.Runs[0].Stream
	for _, kept := range [][2]int{{0, 2}, {1, 3}, {2, 4}, {2, 4}} {
		v.Runs = all.Runs[kept[0]:kept[1]]
		if f := s.forecast(&v).Tokens; f.Answers != kept[1] {
			t.Errorf("with the runs %d to %d %d answers were counted, want %d", kept[0]+1, kept[1], f.Answers, kept[1])
		}
	}
}

// TestUsedUpEnds checks that the mark of a limit that is used up ends with its reset, and
// with the next good answer, also of a server whose good answers tell of no limit.
func TestUsedUpEnds(t *testing.T) {
	v := limited(6000, 0)
	mark := func(at time.Duration) string {
		var s limits
		look := *v
		look.Now += metrics.Stamp(at)
		f := s.forecast(&look)
		return say.RateLimitMark(&f)
	}
	testkit.Is(t, mark(0), "rate limit used up", "nothing is left, and the mark")
	testkit.Is(t, mark(51*time.Second), "", "after the reset the mark")
	next := ended(3, 40, nil)
	next.Stream.Marks.Headers = v.Stream.Marks.Headers + 3e9
	v.Runs = append(v.Runs, next)
	v.Stream, v.Now = next.Stream, next.Stream.Marks.Headers
	testkit.Is(t, mark(0), "", "after a good answer the mark")
}
