package load

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// plain is the text of v's picture, without the frames of the panels.
func plain(v *View, w, h int) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(frame(v, w, h).Plain())), " ")
}

// The reason for a stopped load can be read to its end, also over visible
// lanes.
func TestTheReasonOfABreakIsWhole(t *testing.T) {
	v := scene(8)
	v.Load.Running = false
	v.Load.Broken = metrics.Ending{Code: metrics.EndingFailures, Requests: 22, Most: 22, Kind: metrics.FaultReset,
		Last: &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection was reset by the server"}}
	v.Load.Stopped = v.Load.Broken
	for _, size := range [][2]int{{80, 24}, {110, 32}, {120, 40}} {
		rows := strings.Split(frame(v, size[0], size[1]).Plain(), "\n")
		var right []string // what stands at the right of the charts
		for _, row := range rows {
			if parts := strings.Split(row, "││"); len(parts) == 2 {
				right = append(right, strings.Fields(strings.TrimRight(parts[1], "│"))...)
			}
		}
		if text := strings.Join(right, " "); !strings.Contains(text,
			"failed: the connection broke; the last one: the connection was reset by the server") {
			t.Errorf("%v: %s", size, text)
		}
	}
}

// find is where text first stands.
func find(t *testing.T, screen, text string) (x, y int) {
	t.Helper()
	for y, row := range strings.Split(screen, "\n") {
		if i := strings.Index(row, text); i >= 0 {
			return len([]rune(row[:i])), y
		}
	}
	t.Fatalf("%q is not there:\n%s", text, screen)
	return 0, 0
}

// State and sentence describe users at the same moment, although lanes move
// between two updates of the figures.
func TestStateAndSentenceAgree(t *testing.T) {
	v := sceneOf("leaving")
	s := &picture{}
	g := draw.New(119, 38)
	s.Draw(g, g.Bounds(), v)
	v.Load.Now += screen.FiguresEvery / 2
	v.Load.Users = 40
	s.Draw(g, g.Bounds(), v)
	testkit.Has(t, g.Plain(), "64 users, falling to 16", "48 leaving")
}

// The line of an objective is visible on both scales, above and below the
// reached values.
func TestTheObjectiveIsOnTheChart(t *testing.T) {
	for i, limit := range []float64{30, 50, 160, 30, 50, 160} {
		for _, k := range []Kind{Curve, Frontier} {
			v := scene(64)
			v.Load.SLOs = []slo.Objective{{Name: "speed", Limit: limit, AtLeast: true}}
			v.Log, v.Kind = i > 2, k
			if text := plain(v, 120, 40); !strings.Contains(text, "objective "+strconv.Itoa(int(limit))) {
				t.Errorf("log %v, %d: no line at %v:\n%s", v.Log, k, limit, text)
			}
		}
	}
}

// The screen says once by how much tokscope is late and which figures that
// affects, and whole; unknown gaps leave no exact percentile.
func TestLatenessStandsOnce(t *testing.T) {
	for _, w := range []int{80, 99, 110, 120, 160, 200, 300} {
		for _, h := range []int{24, 30, 33, 40, 50, 80} {
			text := plain(sceneOf("late"), w, h)
			if strings.Count(text, "▲ 53.8 ms late, gaps 25 % known") != 1 || strings.Count(text, " late") > 2 ||
				strings.Contains(text, "tokscope lags") {
				t.Errorf("%dx%d: the lateness is not there once:\n%s", w, h, frame(sceneOf("late"), w, h).Plain())
			}
			if !strings.Contains(text, "kernel ─") || strings.Count(text, "≤") < 2 {
				t.Errorf("%dx%d: no source of stamps, or no bounds:\n%s", w, h, frame(sceneOf("late"), w, h).Plain())
			}
		}
	}
}

// TestTheTitleOfTheLanesIsWhole: no title of the lanes is cut, and it names the
// two parts of a row only where both are drawn.
func TestTheTitleOfTheLanesIsWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: 456 frames")
	}
	for _, n := range []int{8, 64, 256, 1000} {
		for w := 72; w <= 220; w += 4 {
			for _, h := range []int{24, 40, 50} {
				for _, row := range strings.Split(frame(scene(n), w, h).Plain(), "\n") {
					_, title, ok := strings.Cut(row, "╭ lanes")
					if !ok {
						continue
					}
					testkit.That(t, !strings.Contains(title, "…") && !strings.Contains(title, "now ─"),
						"%d users, %dx%d: %s", n, w, h, title)
				}
			}
		}
	}
}

// TestNothingIsWrittenOverTheAxes checks that the reason for an empty chart stays
// between its axes, and is whole.
func TestNothingIsWrittenOverTheAxes(t *testing.T) {
	for _, k := range []Kind{Curve, Frontier, Timeline, Rates, Queue, Waits, Lengths} {
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 50}} {
			v := openScene(40)
			l := &v.Load
			l.Path, l.Alone, l.Series, l.Done = nil, nil, nil, 0
			l.Live = loadstat.Point{Users: 955, Speed: metrics.Unknown(metrics.WhyNoneEnded),
				Total: metrics.Unknown(metrics.WhyNoneEnded)}
			v.Kind, v.Open = k, k == Rates
			g := frame(v, size[0], size[1])
			want := "waiting for the first request to finish"
			title := kinds[k].title
			if k == Curve {
				title = "speed over users"
			}
			_, panel, _ := strings.Cut(g.Plain(), "╭ "+title)
			var inside []string
			for _, row := range strings.Split(panel, "\n")[2:] {
				_, row, _ = strings.Cut(row, "│")
				if strings.Contains(row, "└") {
					break
				}
				at := strings.IndexAny(row, "┤│")
				if at < 0 || strings.ContainsAny(row[:at], "abcdefghijklmnopqrstuvwxyz") {
					t.Fatalf("%d, %v: no axis in %q:\n%s", k, size, row, g.Plain())
				}
				row = strings.TrimLeft(row[at:], "┤│")
				inside = append(inside, strings.Fields(row[:strings.IndexAny(row, "├│")])...)
			}
			if text := strings.Join(inside, " "); !strings.Contains(text, want) {
				t.Errorf("%d, %v: no %q between the axes in\n%s", k, size, want, g.Plain())
			}
		}
	}
}

// TestAnEmptyChartDeniesNoRequest checks that no chart waits for the first request after
// one has ended.
func TestAnEmptyChartDeniesNoRequest(t *testing.T) {
	v := openScene(40)
	l := &v.Load
	l.Path, l.Alone, l.Series, l.Done = nil, nil, nil, 13
	l.Live = loadstat.Point{Users: 56, Speed: metrics.Unknown(metrics.WhyNoneEnded),
		Total: metrics.Unknown(metrics.WhyNoneEnded)}
	if text := frame(v, 120, 40).Plain(); strings.Contains(text, "first request") ||
		!strings.Contains(text, "  still measuring  ") {
		t.Errorf("13 requests have ended:\n%s", text)
	}
}

// TestTheLegendsStyleNoBlanks checks the signs of legends: without color a style of a
// blank is seen.
func TestTheLegendsStyleNoBlanks(t *testing.T) {
	g := frame(sceneOf("errors"), 120, 40)
	seen := 0
	for y, row := range strings.Split(g.Plain(), "\n") {
		if !strings.Contains(row, "● steady") && !strings.Contains(row, "backoff") {
			continue
		}
		for x, r := range []rune(row) {
			if _, role := g.At(x, y); role == themes.Warn && (r == '┄' || r == '×') {
				seen++
				if _, before := g.At(x-1, y); strings.HasPrefix(row[len(string([]rune(row)[:x-1])):], " ") &&
					before == themes.Warn {
					t.Errorf("the blank before %q is styled in %q", r, row)
				}
			}
		}
	}
	testkit.That(t, seen >= 2, "%d signs were seen", seen)
}

// TestAStallIsNamed checks that the legend of the lanes names a stall that they
// draw, at every size that has a legend, with back-offs too; and that it goes on to
// do so until the next load.
func TestAStallIsNamed(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {90, 30}, {100, 30}, {110, 32}, {120, 40}, {160, 45}, {200, 50}} {
		for _, users := range []int{4, 64, 256} {
			for _, failed := range []int{0, 3} {
				v := decoding(users, 0, 9)
				v.Load.Failed = failed
				for i := range v.Load.Lanes {
					v.Load.Lanes[i].State = loadstat.LaneDecoding
				}
				pic, g, first := &picture{}, draw.New(size[0]-1, size[1]-2), &v.Load.Lanes[0]
				for k, state := range []loadstat.LaneState{loadstat.LaneDecoding, loadstat.LaneStalled, loadstat.LaneDecoding} {
					first.State, first.Past[299].State = state, state
					pic.Draw(g, g.Bounds(), v)
					text := g.Plain()
					testkit.That(t, k != 0 || size[0] >= 100 || !strings.Contains(text, "█ stall"),
						"%v, %d users: a legend of what is not there:\n%s", size, users, text)
					if k > 0 && (!strings.Contains(text, "█ stall") || failed > 0 && !strings.Contains(text, "× backoff")) {
						t.Errorf("%v, %d users, %d failed: a sign has no name:\n%s", size, users, failed, text)
					}
				}
				v.Load.Began++
				pic.Draw(g, g.Bounds(), v)
				testkit.That(t, !pic.lanes.stalls, "%v: the stall of another load is named", size)
			}
		}
	}
}

// TestNothingIsClaimedBeforeALoad checks that before a load every panel at every size says
// once what space does, and shows no figure: no sign of an unknown one, no number beside a
// vertical axis, no objective on it, no legend of marks.
func TestNothingIsClaimedBeforeALoad(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 20}, {72, 17}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		for max := NoPanel; max <= ComparisonPanel; max++ {
			for k := range Kinds {
				v := sceneOf("idle")
				v.Max, v.Kind, v.Open, v.WantRate = max, k, k == Rates || k == Queue, 12
				text := frame(v, size[0], size[1]).Plain()
				want := 1
				if max != NoPanel && (size[0] <= compactW || size[1] < compactH+2) { // the panel has all of the room
					want = 0
				}
				if n := strings.Count(text, "space starts"); n != want || strings.ContainsAny(text, "–┤├┄") ||
					strings.Contains(text, "cold") {
					t.Fatalf("chart %d, panel %d, %v: space starts %d times, or a figure:\n%s", k, max, size, n, text)
				}
			}
		}
	}
}

// TestNothingIsMeasuredIsSaidOnce checks a load of which nothing is measured yet: at most
// one sign of an unknown figure a row.
func TestNothingIsMeasuredIsSaidOnce(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 50}} {
		text := frame(sceneOf("starting"), size[0], size[1]).Plain()
		for row := range strings.Lines(text) {
			testkit.That(t, strings.Count(row, "–") <= 1, "%v: %q in\n%s", size, row, text)
		}
		if n := strings.Count(text, "still measuring"); n != 1 {
			t.Errorf("%v: measuring %d times in\n%s", size, n, text)
		}
	}
}

// TestTheLegendHasTheColorsOfTheGaps checks that the legend of the lanes has the shortest
// and the longest gap that is drawn, in their colors, and says nothing of it before any gap.
func TestTheLegendHasTheColorsOfTheGaps(t *testing.T) {
	g := frame(scene(64), 200, 50)
	heats := func(row string, y int) (all []themes.Role) {
		for x := range len([]rune(row)) {
			if _, role := g.At(x, y); role >= themes.Heat(0) && role < hot {
				all = append(all, role)
			}
		}
		return all
	}
	var drawn, named []themes.Role
	rows := strings.Split(g.Plain(), "\n")
	for y, row := range rows {
		at := heats(row, y)
		if strings.Contains(row, "short to long gap") {
			named = at
			break
		}
		drawn = append(drawn, at...)
	}
	if len(named) < 2 || named[0] != slices.Min(drawn) || named[len(named)-1] != slices.Max(drawn) {
		t.Errorf("the legend has %v, drawn are %v to %v:\n%s", named, slices.Min(drawn), slices.Max(drawn), g.Plain())
	}
	testkit.Lacks(t, frame(sceneOf("idle"), 120, 40).Plain(), "short to long")
}
