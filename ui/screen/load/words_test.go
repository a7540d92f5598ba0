package load

import (
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// plain is the text of v's picture, without the frames of the panels.
func plain(v *View, w, h int) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(frame(v, w, h).Plain())), " ")
}

// From 72 columns on, every size shows the state of the load and the number
// of waiting requests in full.
func TestTheStateIsAlwaysThere(t *testing.T) {
	for state, set := range map[string]func(*loadstat.View){
		"● steady":     func(*loadstat.View) {},
		"○ not steady": func(l *loadstat.View) { l.Live.Steady = false },
		"▲ client":     func(l *loadstat.View) { l.ClientLimits = loadstat.ClientLimit{Code: "late"} },
		"held":         func(l *loadstat.View) { l.Holding = true },
		"failed":       func(l *loadstat.View) { l.Broken.Code, l.Running = metrics.EndingFailures, false },
	} {
		for _, w := range []int{80, 99, 101, 110, 117, 118, 119, 130} {
			for _, h := range []int{24, 33, 40} {
				v := scene(16)
				set(&v.Load)
				text := plain(v, w, h)
				if !strings.Contains(strings.Split(text, "per-user falls")[0], state) || !strings.Contains(text, "waiting 0") {
					t.Fatalf("%dx%d: no %q:\n%s", w, h, state, frame(v, w, h).Plain())
				}
			}
		}
	}
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
		if text := strings.Join(right, " "); !strings.Contains(text, "with reset; the last one: the connection was reset by the server") {
			t.Errorf("%v: %s", size, text)
		}
	}
}

// The legend explains the marks of a chart: the objective, and the knee where
// it fits.
func TestTheObjectivesLineIsExplained(t *testing.T) {
	for _, w := range []int{80, 100, 120, 200} {
		for _, k := range []Kind{Curve, Frontier} {
			v := scene(64)
			v.Kind = k
			if text := plain(v, w, 40); !strings.Contains(text, "● steady ○ not yet ┄ objective") {
				t.Errorf("%d columns, %s: the line of an objective has no name:\n%s", w, k, text)
			}
		}
	}
	if text := plain(scene(256), 200, 50); !strings.Contains(text, "╎ knee: beyond it a user adds less") {
		t.Errorf("the knee is not explained:\n%s", text)
	}
}

// Both lines of a chart carry their names, since not everybody sees colors.
func TestTheLinesAreNamed(t *testing.T) {
	for i, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {80, 24}, {120, 40}} {
		v := scene(64)
		if v.Kind = Timeline; i > 2 {
			v = scene(256) // there is no room at the last point
		}
		g := frame(v, size[0], size[1])
		for name, role := range map[string]themes.Role{"per user": themes.PerUser, "aggr": themes.Aggregate} {
			if !noted(g, name, role) {
				t.Errorf("%v: the line of %s has no name:\n%s", size, name, g.Plain())
			}
		}
	}
}

// noted reports whether name stands in role on g, and not as the head of an axis.
func noted(g *draw.Grid, name string, role themes.Role) bool {
	for y, row := range strings.Split(g.Plain(), "\n") {
		for from := 0; ; {
			i := strings.Index(row[from:], name)
			if i < 0 {
				break
			}
			x := len([]rune(row[:from+i]))
			from += i + len(name)
			if _, st := g.At(x, y); st == role && !strings.HasPrefix(row[from:], ",") {
				return true
			}
		}
	}
	return false
}

// The two figures of one user are equal; in the chart one is above and one
// below from the start.
func TestOneUserStartsTheSeesaw(t *testing.T) {
	g := frame(scene(1), 120, 40)
	x, each := find(t, g.Plain(), "● per user")
	_, all := find(t, g.Plain(), "● aggregate")
	if all < each+10 {
		t.Errorf("each in row %d, all in row %d, column %d:\n%s", each, all, x, g.Plain())
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

func TestCountsAreWhole(t *testing.T) {
	v := sceneOf("starting")
	v.Load.Budget.Tokens, v.Load.Done = 0, 1
	v.Load.Live.Total = metrics.Known(0, 0)
	text := plain(v, 120, 40)
	if !strings.Contains(text, "1 request 0 tokens") || strings.Contains(text, "0.0 tokens") {
		t.Errorf("counts with decimals, or one of many:\n%s", text)
	}
}

// An amber figure of the observer says what it does to the load.
func TestAnAmberObserverSaysWhy(t *testing.T) {
	v := scene(8)
	v.Load.Observer.LateP99 = 2e6
	const why = "requests leave late too"
	if text := plain(v, 120, 40); !strings.Contains(text, "lag 2.00 ms (p99); "+why) {
		t.Errorf("%s", text)
	}
	v.Load.Observer.LateP99 = 0.2e6
	if text := plain(v, 120, 40); strings.Contains(text, why) {
		t.Errorf("an observer in time complains: %s", text)
	}
}

// The gain over one user is shown for a steady point, and for an unsteady one
// only while it is possible.
func TestNoImpossibleGain(t *testing.T) {
	v := scene(16)
	v.Load.Alone.Steady = false
	v.Load.Alone.Total = metrics.Known(1.3, 1)
	v.Load.Path[0] = *v.Load.Alone
	if text := plain(v, 120, 40); strings.Contains(text, "×1") {
		t.Errorf("16 users cannot have a thousand times what one has:\n%s", text)
	}
	v.Load.Alone.Total = metrics.Known(148, 3)
	v.Load.Path[0] = *v.Load.Alone
	if text := plain(v, 120, 40); !strings.Contains(text, "×12 ○") {
		t.Errorf("the gain over a hollow point is missing:\n%s", text)
	}
}

// Requests that were sent again are counted, and are no errors.
func TestRetriedIsCounted(t *testing.T) {
	v := scene(64)
	v.Load.Retried = 12
	if text := plain(v, 120, 40); !strings.Contains(text, "errors 0 ") || !strings.Contains(text, "12 retried") {
		t.Errorf("12 retried are not there:\n%s", text)
	}
}

// A load of failures alone says so where its figures would stand.
func TestNothingButFailures(t *testing.T) {
	v := sceneOf("refused")
	l := &v.Load
	l.Path, l.Alone, l.Done, l.Live = nil, nil, 0, loadstat.Point{Users: 4}
	text := plain(v, 120, 40)
	for _, want := range []string{"no request ended with figures", "20 failed, not counted as good"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// Without a token there is no point on the chart, and the sentence says that all
// requests failed.
func TestNoPointWithoutAToken(t *testing.T) {
	v := sceneOf("refused")
	l := &v.Load
	l.Running, l.Users, l.Broken, l.Path, l.Alone, l.Done, l.Sent = true, 4, metrics.Ending{}, nil, nil, 0, 20
	l.Live = loadstat.Point{Users: 4, Failed: 20, Total: metrics.Known(0, 0), Speed: metrics.Unknown(metrics.WhyNoLaterToken)}
	l.LastFault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429}
	text := plain(v, 120, 40)
	for _, want := range []string{"4 users: all 20 requests failed, the last with HTTP 429", "no request has ended well"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, frame(v, 120, 40).Plain())
		}
	}
	if strings.Contains(text, "○ aggregate") {
		t.Errorf("a point of no token:\n%s", frame(v, 120, 40).Plain())
	}
}

// A share is never rounded to none or to all.
func TestSharesAreNotRoundedAway(t *testing.T) {
	var p canvas
	p.begin(draw.New(1, 1), &View{}, nil)
	for share, want := range map[float64]string{0: "0 %", 0.004: "<1 %", 0.5: "50 %", 0.996: ">99 %", 1: "100 %"} {
		if got := p.PercentOf(metrics.Known(share, 300)); got != want {
			t.Errorf("%v is printed as %s, want %s", share, got, want)
		}
	}
}

// State and sentence describe users at the same moment, although lanes move
// between two updates of the figures.
func TestStateAndSentenceAgree(t *testing.T) {
	v := sceneOf("leaving")
	s := newPicture()
	g := draw.New(119, 38)
	s.Draw(g, g.Bounds(), v)
	v.Load.Now += figuresEvery / 2
	v.Load.Users = 40
	s.Draw(g, g.Bounds(), v)
	for _, want := range []string{"64 users, falling to 16", "48 leaving"} {
		if !strings.Contains(g.Plain(), want) {
			t.Errorf("%q is missing:\n%s", want, g.Plain())
		}
	}
}

// So they do while users join: those that have sent no request do not count, though
// the load has them.
func TestStateAndSentenceCountStartedUsers(t *testing.T) {
	v := scene(32)
	for i := range v.Load.Lanes[8:] {
		v.Load.Lanes[8+i].Stream = 0
	}
	text := plain(v, 120, 40)
	for _, want := range []string{" 8 users, rising to 32: ", " 8 of 32 users "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, frame(v, 120, 40).Plain())
		}
	}
}

// On hold, and while users leave, nothing is compared with one user.
func TestNoGainOnHold(t *testing.T) {
	v := scene(8)
	if text := plain(v, 120, 40); !strings.Contains(text, "×6.9") {
		t.Errorf("the gain is missing:\n%s", text)
	}
	v.Load.Holding = true
	if text := plain(v, 120, 40) + plain(sceneOf("leaving"), 120, 40); strings.Contains(text, " ×") {
		t.Errorf("a gain of no load:\n%s", text)
	}
}

// The line of an objective is visible on both scales, above and below the
// reached values.
func TestTheObjectiveIsOnTheChart(t *testing.T) {
	for _, log := range []bool{false, true} {
		for _, limit := range []float64{30, 50, 160} {
			for _, k := range []Kind{Curve, Frontier} {
				v := scene(64)
				v.Load.SLOs = []slo.Objective{{Name: "speed", Limit: limit, AtLeast: true}}
				v.Log, v.Kind = log, k
				if text := plain(v, 120, 40); !strings.Contains(text, "objective "+strconv.Itoa(int(limit))) {
					t.Errorf("log %v, %s: no line at %v:\n%s", log, k, limit, frame(v, 120, 40).Plain())
				}
			}
		}
	}
}

// The ends of a distribution's scale are written whole, however long they are.
func TestTheScaleOfADistributionIsWritten(t *testing.T) {
	v := scene(64)
	v.Load.Live.GapBins = metrics.NewHistogram(0.1, 1e5, 10)
	v.Load.Live.GapBins.Add(0.13)
	v.Load.Live.GapBins.Add(230)
	if text := plain(v, 200, 50); !strings.Contains(text, "scale 126 µs – 251 ms, log ▆") {
		t.Errorf("%s", text)
	}
}

// The screen says once by how much tokscope is late and which figures that
// affects, and whole; unknown gaps leave no exact percentile.
func TestLatenessStandsOnce(t *testing.T) {
	for _, w := range []int{80, 99, 110, 120, 160, 200, 300} {
		for _, h := range []int{24, 30, 33, 40, 50, 80} {
			text := plain(sceneOf("late"), w, h)
			if strings.Count(text, "▲ 53.8 ms late, gaps 25 % known") != 1 || strings.Count(text, " late") > 2 || strings.Contains(text, "tokscope lags") {
				t.Errorf("%dx%d: the lateness is not there once:\n%s", w, h, frame(sceneOf("late"), w, h).Plain())
			}
			if !strings.Contains(text, "─ kernel") || strings.Count(text, "≤") < 2 {
				t.Errorf("%dx%d: no source of stamps, or no bounds:\n%s", w, h, frame(sceneOf("late"), w, h).Plain())
			}
		}
	}
}

// TestTheTitleOfTheLanesIsWhole: no title of the lanes is cut, and it names the
// two parts of a row only where both are drawn.
func TestTheTitleOfTheLanesIsWhole(t *testing.T) {
	for _, n := range []int{8, 64, 256, 1000} {
		for w := 72; w <= 220; w += 4 {
			for _, h := range []int{24, 40, 50} {
				for _, row := range strings.Split(frame(scene(n), w, h).Plain(), "\n") {
					_, title, ok := strings.Cut(row, "╭ lanes")
					if !ok {
						continue
					}
					if strings.Contains(title, "…") || strings.Contains(title, "now ─") {
						t.Errorf("%d users, %dx%d: %s", n, w, h, title)
					}
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
			l.Live = loadstat.Point{Users: 955, Speed: metrics.Unknown(metrics.WhyNoneEnded), Total: metrics.Unknown(metrics.WhyNoneEnded)}
			v.Kind, v.Open = k, k == Rates
			g := frame(v, size[0], size[1])
			want := "waiting for the first request to finish"
			if k == Curve {
				want = "the arrows change to a closed loop"
			}
			_, panel, _ := strings.Cut(g.Plain(), "╭ "+kinds[k].title)
			var inside []string
			for _, row := range strings.Split(panel, "\n")[2:] {
				_, row, _ = strings.Cut(row, "│")
				if strings.Contains(row, "└") {
					break
				}
				at := strings.IndexAny(row, "┤│")
				if at < 0 || strings.ContainsAny(row[:at], "abcdefghijklmnopqrstuvwxyz") {
					t.Fatalf("%s, %v: no axis in %q:\n%s", k, size, row, g.Plain())
				}
				row = strings.TrimLeft(row[at:], "┤│")
				inside = append(inside, strings.Fields(row[:strings.IndexAny(row, "├│")])...)
			}
			if text := strings.Join(inside, " "); !strings.Contains(text, want) {
				t.Errorf("%s, %v: no %q between the axes in\n%s", k, size, want, g.Plain())
			}
		}
	}
}

// TestThePeakIsNotOfTheWholeLoad checks that the peak among the totals says that it
// is of the present point, or of the last one.
func TestThePeakIsNotOfTheWholeLoad(t *testing.T) {
	for _, users := range []int{1, 8, 64, 256} {
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {160, 45}, {200, 50}} {
			for _, running := range []bool{true, false} {
				v := scene(users)
				v.Load.Running = running
				text := plain(v, size[0], size[1])
				_, row, _ := strings.Cut(text, " tokens ")
				found := strings.Contains(row, "peak now ") && running || strings.Contains(row, "last peak ") && !running
				if strings.Contains(row, "peak") != found || size[0] >= 120 && size[0] != 160 && !found {
					t.Errorf("%d users, %v, running %v: the peak in\n%s", users, size, running, frame(v, size[0], size[1]).Plain())
				}
			}
		}
	}
}

// TestAStallIsNamed checks that the legend of the lanes names a stall that they
// draw, at every size that has a legend, with back-offs too; and that it goes on to
// do so until the next load.
func TestAStallIsNamed(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {90, 30}, {100, 30}, {110, 32}, {120, 40}, {160, 45}, {200, 50}} {
		for _, users := range []int{4, 64, 256} {
			for _, failed := range []int{0, 3} {
				v := scene(users)
				v.Load.Failed = failed
				for i := range v.Load.Lanes {
					l := &v.Load.Lanes[i]
					for j := range l.Past {
						if l.Past[j].State == loadstat.LaneStalled {
							l.Past[j] = loadstat.Slice{State: loadstat.LaneDecoding, Gap: 9}
						}
					}
					if l.State == loadstat.LaneStalled {
						l.State = loadstat.LaneDecoding
					}
				}
				pic := newPicture()
				g := draw.New(size[0]-1, size[1]-2)
				pic.Draw(g, g.Bounds(), v)
				if size[0] < 100 && strings.Contains(g.Plain(), "█ stall") {
					t.Errorf("%v, %d users: a legend of what is not there:\n%s", size, users, g.Plain())
				}
				was := v.Load.Lanes[0].State
				v.Load.Lanes[0].State, v.Load.Lanes[0].Past[299].State = loadstat.LaneStalled, loadstat.LaneStalled
				for _, state := range []loadstat.LaneState{loadstat.LaneStalled, was} {
					v.Load.Lanes[0].State, v.Load.Lanes[0].Past[299].State = state, state
					pic.Draw(g, g.Bounds(), v)
					if text := g.Plain(); !strings.Contains(text, "█ stall") || failed > 0 && !strings.Contains(text, "× backoff") {
						t.Errorf("%v, %d users, %d failed: a sign has no name:\n%s", size, users, failed, text)
					}
				}
				v.Load.Began++
				pic.Draw(g, g.Bounds(), v)
				if pic.lanes.stalls {
					t.Errorf("%v: the stall of another load is named", size)
				}
			}
		}
	}
}
