package figures

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/probe/probetest"
	"tokscope/probe/record"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/screen/live"
	"tokscope/ui/screen/load"
	"tokscope/ui/uitest"
)

// say are the sentences of the JSON formats that hold figures.
var say = record.Sentences{Load: format.LoadSentence, Suspicion: format.Suspicion, Delay: format.Delay, Unsteady: format.Unsteady, Ending: format.Ending, Why: format.Why,
	Limit: format.ClientLimit, RateLimit: format.RateLimit, Conclude: format.Conclusion, Race: format.RaceSentence, RaceEnd: format.RaceEnd, RaceState: format.RaceState,
	Watch: format.WatchSentence, WatchEvent: format.WatchEvent, WatchPause: format.WatchPause, WatchEnd: format.WatchEnd, WatchSummary: format.WatchSummary}

// place is one of the three places of a figure.
type place string

const (
	onScreen place = "screen"
	inText   place = "text"
	inJSON   place = "JSON"
)

// exception is a place where a figure does not stand, and why.
type exception struct {
	places string // "screen, text", or unwalked
	why    string // a sentence
}

// unwalked is the place of a field that is no figure.
const unwalked = "unwalked"

// texts are what each place shows, written when asked for.
type texts map[place][]func() string

// add appends a text of a place.
func (x texts) add(at place, write func() string) { x[at] = append(x[at], write) }

// walkAll gives each figure of plain the mark in its turn and looks for it in the
// places that render has texts of. A path of the exceptions may begin or end with a
// star. There are least figures or more.
func walkAll[T any](t *testing.T, least int, plain T, except map[string]exception, render func(T) texts) {
	t.Helper()
	before := map[place][]string{}
	for at, all := range render(plain) {
		for _, write := range all {
			before[at] = append(before[at], write())
		}
	}
	used := map[string]bool{}
	fields := slices.DeleteFunc(fieldsOf(reflect.TypeFor[T]()), func(f field) bool {
		for path, e := range except {
			if e.places == unwalked && matches(path, f.path) {
				used[path+" "+unwalked] = true
				return true
			}
		}
		return false
	})
	if len(fields) < least {
		t.Fatalf("%d figures: the walk was not tried", len(fields))
	}
	missed := 0
	for _, f := range fields {
		changed := plain
		f.set(reflect.ValueOf(&changed).Elem())
		after := render(changed)
		for _, at := range []place{onScreen, inText, inJSON} {
			if len(after[at]) == 0 || f.shown(before[at], after[at]) {
				continue
			}
			missed++
			ok := false
			for path, e := range except {
				if strings.Contains(e.places, string(at)) && matches(path, f.path) {
					used[path+" "+string(at)], ok = true, true
				}
			}
			if !ok {
				t.Errorf("%s stands in no %s", f.path, at)
			}
		}
	}
	for path, e := range except {
		for at := range strings.SplitSeq(e.places, ", ") {
			if !used[path+" "+at] {
				t.Errorf("%s is an exception in %s and needs none", path, at)
			}
		}
		if !strings.HasSuffix(e.why, ".") || len(strings.Fields(e.why)) < 4 {
			t.Errorf("the exception %s has no sentence: %q", path, e.why)
		}
	}
	t.Logf("%d figures, %d places by exception", len(fields), missed)
}

// matches reports whether the path of a figure is meant by that of an exception.
func matches(pattern, path string) bool {
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(path, suffix)
	}
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return pattern == path
}

// stream is an ended request with reasoning, an answer of two sentences, a stall
// and a burst, and all that a server can report.
func stream() metrics.Stream {
	b := uitest.New()
	b.Begin(metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 400})
	b.Advance(5 * time.Millisecond)
	b.Sent()
	b.Advance(212 * time.Millisecond)
	for range 30 {
		b.ChunkOf(metrics.Reasoning, "so ")
		b.Advance(11 * time.Millisecond)
	}
	for i := range 130 {
		switch i {
		case 0:
			b.Chunk(" ")
		case 20, 60:
			b.Chunk("done. Then ")
		default:
			b.Chunk("word ")
		}
		if i == 50 {
			b.Chunk("burst ")
		}
		pause := 11 * time.Millisecond
		if i == 90 {
			pause = 1300 * time.Millisecond
		}
		b.Advance(pause)
	}
	b.Finish()
	runs := b.Runs()
	s := runs[0].Stream
	s.Usage.Reasoning, s.Usage.Cached = 30, 12
	s.Server = []metrics.ServerTime{{Name: metrics.ServerQueue, D: 2e6, From: "x"}, {Name: metrics.ServerPrefill, D: 150e6, From: "x"}, {Name: metrics.ServerDecode, D: 2e9, From: "x"}}
	s.Observer = metrics.Observer{N: 100, LateP50: 5e4, LateP99: 2e5, LateMax: 3e5, KernelStamps: 160}
	return s
}

// TestEveryFigureOfAStream walks metrics.Figures.
func TestEveryFigureOfAStream(t *testing.T) {
	t.Parallel()
	s := stream()
	running := s
	running.State, running.Marks.End, running.Now = metrics.Decoding, metrics.NoStamp, s.Chunks[len(s.Chunks)-1].At
	plain := metrics.Measure(&s, metrics.Options{})
	if !plain.StallCost.OK || !plain.FirstSentence.OK || plain.Reasoning.Chunks == 0 || len(plain.Bursts) == 0 || !plain.ServerSpeed.OK {
		t.Fatalf("the stream lacks figures: %+v", plain)
	}
	walkAll(t, 50, plain, ofStreams, func(f metrics.Figures) texts {
		out := texts{}
		for _, lens := range []string{"", "voice"} {
			for _, panel := range []live.Panel{live.NowPanel, live.NoPanel, live.TextPanel, live.ScopePanel, live.RunsPanel} {
				for _, st := range []metrics.Stream{s, running} {
					out.add(onScreen, func() string {
						v := live.View{Stream: st, Figures: f, Now: st.Now, Endpoint: st.Endpoint, Observer: st.Observer, Runs: []metrics.Run{{Stream: st, Figures: f}}, Max: panel, Lens: lens}
						v.Findings = verdict.Of(verdict.Input{Stream: &v.Stream, Figures: &v.Figures, Now: v.Now, Lens: lens})
						return frame(func(g *draw.Grid) { live.DrawView(g, g.Bounds(), &v) })
					})
				}
			}
		}
		run := metrics.Run{Stream: s, Figures: f}
		out.add(inText, func() string { return report.Text(run, nil, report.Origin{}) })
		out.add(inText, func() string {
			return written(t, func(b *bytes.Buffer) error { return report.Probe(b, []metrics.Run{run}, report.Form{}) })
		})
		out.add(inText, func() string {
			return written(t, func(b *bytes.Buffer) error {
				return report.Lens(b, []metrics.Run{run}, slo.LensByKey("voice"), slo.AgentTask{})
			})
		})
		out.add(inJSON, func() string { return jsonOf(t, record.RequestOf(&s, &f, say)) })
		return out
	})
}

// written is what a report writes.
func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// frame is a screen of 200x50 as plain text.
func frame(paint func(*draw.Grid)) string {
	g := draw.New(199, 48)
	paint(g)
	return g.Plain()
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// point is a steady point with every figure.
func point(users int) loadstat.Point {
	known := func(v float64) metrics.Value { return metrics.Known(v, 120) }
	dist := func(low float64) metrics.Dist {
		values := make([]float64, 120)
		for i := range values {
			values[i] = low + float64(i)/8
		}
		return metrics.Distribution(values)
	}
	bins := metrics.NewHistogram(1, 1000, 10)
	for i := range 120 {
		bins.Add(10 + float64(i))
	}
	slos, _ := slo.Parse("ttft=500ms,tpot=20ms")
	return loadstat.Point{
		Users: users, From: 0, To: 20e9, Steady: true, Speed: known(61), SpeedP5: known(52), Total: known(488), TTFT: dist(110), TPOT: dist(12), Gaps: dist(11),
		Running: known(6), Prefill: known(1), Waiting: known(2), Requests: 120, Failed: 3, JudgedFailed: 3, Retried: 1, Faults: []metrics.FaultCount{{Kind: metrics.FaultReset, N: 3}},
		GoodRate: known(5), GoodShare: known(0.83), Rate: known(6), Misses: []loadstat.Miss{{SLO: slos[0], N: 20}, {SLO: slos[1], N: 4}}, Tokens: 9760,
		FromIntended: dist(120), GapBins: bins, TTFTBins: bins, Stamps: "kernel",
		Arrived: known(7), Backlog: known(3), Peak: known(530), GoodTokens: known(410),
		SpeedInterval: loadstat.Interval{Low: known(58), High: known(64)}, TotalInterval: loadstat.Interval{Low: known(470), High: known(506)},
		Fit: &loadstat.TTFTFit{A: known(12), B: known(0.02), Off: known(2), R2: known(0.9), Longest: known(0.3), Low: 100, High: 900, N: 120},
	}
}

// limit is the forecast of a limit of that size, known in all its parts.
func limit(size int) metrics.LimitForecast {
	known := func(v float64) metrics.Value { return metrics.Known(v, 2) }
	return metrics.LimitForecast{Limit: size, Left: size / 2, Age: known(20), Reset: known(50_000), Pace: known(float64(size) / 90), UsedUp: known(45_000), Outcome: metrics.LimitUsedUp, Answers: 2}
}

// loadView is a running load with every figure.
func loadView() loadstat.View {
	slos, _ := slo.Parse("ttft=500ms,tpot=20ms")
	one, now := point(1), point(8)
	v := loadstat.View{
		Now: 30e9, Began: 0, Running: true, Target: 8, Users: 8, Work: metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 200}, Endpoint: uitest.Demo, Model: "llama-3.1-8b", SLOs: slos,
		SliceLen: 100 * time.Millisecond, StallAfter: time.Second, InFlight: 7, Prefilling: 2, Decoding: 5, Waiting: metrics.Known(1, 1),
		Live: now, Path: []loadstat.Point{one, now}, Alone: &one, Sent: 300, Done: 260, Failed: 9, TokensReceived: 41_000, Chunks: 41_001,
		Faults: []metrics.FaultCount{{Kind: metrics.FaultReset, N: 9}}, LastFault: &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection broke"}, Budget: loadstat.Budget{Tokens: 52_000, MaxTokens: 900_000, Cost: metrics.Known(0.12, 0), Currency: "USD", Left: 5 * time.Minute},
		Observer: metrics.Observer{N: 900, LateP50: 5e4, LateP99: 2e5, LateMax: 3e5, KernelStamps: 4000, Use: metrics.Use{CPU: 0.5, Seconds: 20, Cores: 2, Descriptors: 30, DescriptorLimit: 1000}}, Stamps: "kernel", Cancelled: 2, Retried: 1, Seed: 7,
		Output: metrics.Lengths{Low: 100, High: 300}, Limits: metrics.LimitForecasts{Requests: limit(60), Tokens: limit(6000)},
	}
	for user := range 8 {
		lane := loadstat.Lane{User: user + 1, State: loadstat.LaneDecoding, Stream: user + 1, Gap: 12, TTFT: metrics.Known(110, 1), Done: 20, Failed: 1}
		for range 60 {
			lane.Past = append(lane.Past, loadstat.Slice{State: loadstat.LaneDecoding, Gap: 12})
		}
		v.Lanes = append(v.Lanes, lane)
	}
	for i := range 30 {
		v.Series = append(v.Series, loadstat.Sample{At: metrics.Stamp(i) * 1e9, Users: 8, Total: 480, Speed: metrics.Known(61, 8), TTFT: metrics.Known(110, 8), Gap: metrics.Known(12, 8)})
	}
	return v
}

// addScreens adds the charts and panels of the Load screen. At this size all
// charts stand beside each other.
func (x texts) addScreens(v loadstat.View) {
	for panel := load.NoPanel; panel <= load.ComparisonPanel; panel++ {
		x.add(onScreen, func() string {
			view := load.View{Load: v, Want: v.Target, Max: panel}
			return frame(func(g *draw.Grid) { load.DrawView(g, g.Bounds(), &view) })
		})
	}
}

// TestEveryFigureOfAPoint walks loadstat.Point: the live one of the Load screen,
// a step of a sweep, a line of a recording.
func TestEveryFigureOfAPoint(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "all sizes of a screen")
	walkAll(t, 50, point(8), ofPoints, func(p loadstat.Point) texts {
		out := texts{}
		unsteady := p
		unsteady.Steady = false
		if unsteady.Why.Code == "" {
			unsteady.Why.Code = loadstat.UnsteadyThroughput
		}
		for _, p := range []loadstat.Point{p, unsteady} {
			v := loadView()
			v.Live, v.Path = p, []loadstat.Point{v.Path[0], p}
			out.addScreens(v)
			open := v
			open.Rate, open.Live.Asked = 4, max(p.Asked, 4)
			out.addScreens(open)
			out.add(inText, func() string { return report.Load(v) })
			for _, rate := range []float64{0, 4} {
				r := &report.Sweep{Endpoint: v.Endpoint, Work: v.Work, Loop: "closed loop", Open: rate > 0, SLOs: v.SLOs, Planned: 2, Stamps: v.Stamps, Observer: v.Observer,
					Steps: []report.Step{{Rate: rate / 2, Point: v.Path[0]}, {Rate: rate, Point: p}}, Input: metrics.Lengths{Low: 100, High: 900}}
				out.add(inText, func() string {
					return written(t, func(b *bytes.Buffer) error { return report.SweepText(b, r, false) })
				})
				out.add(inText, func() string { return written(t, func(b *bytes.Buffer) error { return report.SweepMarkdown(b, r) }) })
				out.add(inText, func() string { return written(t, func(b *bytes.Buffer) error { return report.SweepCSV(b, r) }) })
			}
			arriving := p
			arriving.Asked = max(p.Asked, 4)
			for _, p := range []loadstat.Point{p, arriving} {
				out.add(inJSON, func() string { return jsonOf(t, record.SweepPointOf(&p, say)) })
			}
		}
		return out
	})
}

// TestEveryFigureOfALoad walks loadstat.View, except its points, which have their
// own test.
func TestEveryFigureOfALoad(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "all sizes of a screen")
	walkAll(t, 50, loadView(), ofLoads, func(v loadstat.View) texts {
		out := texts{}
		out.addScreens(v)
		open, bound := v, v
		open.Rate = max(open.Rate, 4)
		out.addScreens(open)
		if bound.ClientLimits.Code == "" {
			bound.ClientLimits.Code = loadstat.LimitSchedule
		}
		out.addScreens(bound)
		for _, v := range []loadstat.View{v, bound} {
			out.add(inText, func() string { return report.Load(v) })
			out.add(inJSON, func() string { return jsonOf(t, record.LoadDocumentOf("test", time.Unix(0, 0), &v, say)) })
			out.add(inJSON, func() string { return recorded(t, &v) })
		}
		return out
	})
}

// moments are what differs between two recordings of the same load.
var moments = regexp.MustCompile(`"(wall|started)":"[^"]*"`)

// recorded is the recording of a load.
func recorded(t *testing.T, v *loadstat.View) string {
	t.Helper()
	file, err := record.Create(t.TempDir(), record.Options{Started: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	file.Sentences = say
	l := file.NewLoad()
	l.Begin(v)
	l.End(v)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file.Path())
	if err != nil {
		t.Fatal(err)
	}
	return moments.ReplaceAllString(string(data), "")
}
