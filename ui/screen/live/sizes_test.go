package live

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// lost are words that the next size leaves out or words otherwise. The answer
// wraps elsewhere, an axis has other numbers, and from 100x30 on the
// figures are drawn in big digits.
var lost = map[string]string{
	"waiting, 120x40 to 200x50":    "11",
	"truncated, 120x40 to 200x50":  "16",
	"stopped, 120x40 to 200x50":    "16",
	"progress, 120x40 to 200x50":   "11",
	"connecting, 120x40 to 200x50": "11",
	"refused, 80x24 to 100x30":     "line 18 19 TLS 1.3 most 400 tokens out",
	"limited, 80x24 to 100x30":     "line 18 24",
	"connecting, 40x12 to 80x24":   "at most 400 tokens",
	"length, 40x12 to 80x24":       "901/400",
	"truncated, 40x12 to 80x24":    "sixty-four each",
	"reasoning, 40x12 to 80x24":    "74",
	"stalled, 40x12 to 80x24":      "82 before",
	"unreachable, 40x12 to 80x24":  "line 9 13",
	"limited, 40x12 to 80x24":      "26",
	"tool, 80x24 to 100x30":        "500",
	"stalled, 80x24 to 100x30":     "~33.5 ~29.8",
	"error, 80x24 to 100x30":       "~17.5 500",
	"truncated, 80x24 to 100x30":   "~13.0 500",
	"stopped, 80x24 to 100x30":     "first ~13.0 500",
	"decoding, 80x24 to 100x30":    "first ~6.20 ~161",
	"reasoning, 80x24 to 100x30":   "~19.4 ~51.6",
	"lens voice, 80x24 to 100x30":  "first ~6.20",
	"lens agent, 80x24 to 100x30":  "7.11",
	"timings, 80x24 to 100x30":     "17.0",
}

// skipped are words that do not count: a larger screen writes the whole sum.
var skipped = regexp.MustCompile(`^(of|residual)$`)

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	views := everyView()
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	names := slices.Sorted(maps.Keys(views))
	golden.Larger(t, names, steps, skipped, lost, func(name string, w, h int) *draw.Grid {
		return frame(views[name](), w, h)
	})
}

// TestNoWarningIsCut checks every state, and every doubt and note about its
// figures, at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) {
	views := map[string]*View{}
	for name, view := range everyView() {
		views[name] = view()
	}
	for _, code := range []metrics.SuspectCode{metrics.SuspectBuffered, metrics.SuspectTerminalBurst, metrics.SuspectHeld,
		metrics.SuspectHeldDecode, metrics.SuspectOneChunk, metrics.SuspectWithheld, metrics.SuspectSilence,
		metrics.SuspectMultiToken, metrics.SuspectFirstChunk, metrics.SuspectFirstMean,
		metrics.SuspectFewTokens, metrics.SuspectUsageZero, metrics.SuspectUsageOver, metrics.SuspectUsageAsked,
		metrics.SuspectUsageUnder, metrics.SuspectUsageFell, metrics.SuspectPromptOver,
		metrics.SuspectPromptCut, metrics.SuspectHidden, metrics.SuspectSummarized, metrics.SuspectUnsent,
		metrics.SuspectExcluded, metrics.SuspectOthers, metrics.SuspectCompressed, metrics.SuspectTruncated,
		metrics.SuspectLeftOpen, metrics.SuspectCutOff, metrics.SuspectLate, metrics.SuspectStopped, metrics.SuspectMixed,
		metrics.SuspectBody, metrics.SuspectClock, metrics.SuspectServer, metrics.SuspectCached, metrics.SuspectChoices,
		metrics.SuspectOrder} {
		for _, more := range []int{0, 12} {
			v := scene("done")
			v.Figures.Suspect = []metrics.Suspicion{{Code: code, N: 12_345, Of: 67_890, Ratio: 98.7, Ms: 87_654, Limit: 98_765,
				Name: "a-long-name", Delay: metrics.Delay{Code: metrics.DelayMixed, P99: 9876, Shared: 0.4}}}
			for range more {
				v.Stream.Notes = append(v.Stream.Notes, metrics.Note{Code: "retried", Text: "the request was sent again"})
			}
			views[fmt.Sprintf("%s and %d more", code, more)] = v
		}
	}
	for _, code := range []string{metrics.NoteOtherModel, "usage_refused", "retried", "max_completion_tokens"} {
		v := scene("done")
		v.Stream.Notes = []metrics.Note{{Code: code, Text: strings.Repeat("a long text of outside ", 9)}}
		views["note "+code] = v
	}
	golden.Uncut(t, slices.Sorted(maps.Keys(views)),
		func(name string, w, h int) *draw.Grid { return frame(views[name], w, h) })
}

// TestNoDefinitionIsCut checks that the formulas and texts of all definitions
// are whole at every size, scrolled to the end.
func TestNoDefinitionIsCut(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		v := scene("done")
		v.Definitions, v.Findings = true, []verdict.Finding{}
		s, g := newPicture(), frame(v, size[0], size[1])
		for range 150 {
			s.Draw(g, g.Bounds(), v)
			for _, row := range strings.Split(g.Plain(), "\n") {
				testkit.Given(t, !strings.Contains(row, " = ") || !strings.Contains(row, "…") || strings.Contains(row, "“"),
					"%v cuts %q", size, row)
			}
			s.Move(1)
		}
	}
}

// TestNoRowIsCutInTheMiddle checks at every width that a pattern of the wait has its
// name, that the line of the request ends with a whole word, and that no reason of the
// figures is cut. What has ended has nothing that is not there "yet".
func TestNoRowIsCutInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: 1,768 frames")
	}
	nobody := with("refused", func(v *View) { v.Stream.Marks = metrics.NewMarks(); measured(v) })
	views := map[string]*View{"nobody listens": nobody,
		"asked": with("waiting", func(v *View) { v.Stream.Work.InputTokens, v.Stream.Work.MaxTokens = 10000, 300 })}
	for _, name := range []string{"done", "timings", "refused", "waiting", "connecting", "progress"} {
		views[name] = scene(name)
	}
	rules := []struct {
		in  string // of these rows
		cut *regexp.Regexp
	}{
		{"wait ", regexp.MustCompile(`[⣿⡪⡐⠭] *(│|$)`)},
		{"about 10,000", regexp.MustCompile(`(about|at|most|tokens|connection|\d) *(│|$)`)},
		{"││", regexp.MustCompile(`││.*…`)},
	}
	seen := make([]int, len(rules))
	for name, v := range views {
		for w := 80; w <= 300; w++ {
			text := frame(v, w, 24+w%40).Plain()
			for row := range strings.SplitSeq(text, "\n") {
				for i, rule := range rules {
					if strings.Contains(row, rule.in) {
						if seen[i]++; rule.cut.MatchString(row) {
							t.Errorf("%s, %d columns: cut: %s", name, w, row)
						}
					}
				}
			}
			testkit.That(t, !v.Stream.State.Ended() || !strings.Contains(text, " yet"),
				"%s, %d columns: it has ended, and is not there yet:\n%s", name, w, text)
		}
	}
	for i, n := range seen {
		if n < 100 {
			t.Errorf("%d rows with %q were seen", n, rules[i].in)
		}
	}
}

// earlierRuns are two runs with the workload of v, a failed one, and one with
// another workload.
func earlierRuns(v *View) []metrics.Run {
	run := func(id int, steps ...string) metrics.Run {
		old := layOut(steps...).view(-1)
		old.Stream.ID, old.Stream.Work, old.Stream.Endpoint = id, v.Stream.Work, v.Stream.Endpoint
		return metrics.Run{Stream: old.Stream, Figures: old.Figures}
	}
	v.Stream.ID = 9
	other := run(8, "reused", "prefill 9s", "20 x 90ms", "done")
	other.Stream.Work.Prompt = "something else"
	return []metrics.Run{
		run(5, "reused", "prefill 200ms", "30 x 10ms", "done"),
		run(6, "reused", "prefill 300ms", "30 x 10ms", "done"),
		run(7, "reused", "prefill 5s", "30 x 10ms", "fail"),
		other,
	}
}

func TestLensAt(t *testing.T) {
	for _, c := range []struct {
		w, h      int
		box, line bool
	}{{40, 12, false, false}, {80, 24, false, true}, {120, 30, false, true}, {120, 40, true, false},
		{200, 50, true, false}, {80, 60, true, false}, {300, 18, false, false}, {0, 0, false, false}} {
		if box, line := LensAt(c.w, c.h); box != c.box || line != c.line {
			t.Errorf("%dx%d: box %v, line %v", c.w, c.h, box, line)
		}
	}
}

// The clock of the wait changes the lens in every frame; that stays within the
// budget of a frame.
func TestLensAllocations(t *testing.T) {
	v := scene("longwait")
	v.Lens, v.Task, v.Runs = "agent", slo.DefaultAgentTask, earlierRuns(v)
	s, g := newPicture(), draw.New(200, 50)
	testkit.Allocates(t, 200, 200, func() {
		v.Now += 1e6
		s.Draw(g, g.Bounds(), v)
	}, "a frame")
}

// TestAllFiguresScroll checks that every row of the table can be reached, and that
// none is lost at any width.
func TestAllFiguresScroll(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		v := scene("timings")
		v.Max = NowPanel
		s, g := newPicture(), frame(v, size[0], size[1])
		s.Draw(g, g.Bounds(), v)
		s.Move(-1000)
		missing := map[string]bool{}
		for _, row := range s.all.rows {
			missing[row.label] = true
		}
		for range 100 {
			s.Draw(g, g.Bounds(), v)
			text := g.Plain()
			for label := range missing {
				if strings.Contains(text, label) {
					delete(missing, label)
				}
			}
			s.Move(1)
		}
		testkit.That(t, len(missing) == 0, "at %v never seen: %v", size, missing)
		s.Edge(-1)
		testkit.Is(t, s.all.at.top, 0, "at", size, "home leaves row … on top")
		if s.Edge(1); s.all.at.rows > s.all.at.room && s.all.at.top != s.all.at.rows-s.all.at.room {
			t.Errorf("at %v end leaves row %d of %d on top", size, s.all.at.top, s.all.at.rows)
		}
	}
}

// TestAClaimHasARow checks that the panel has the share of the bound of what the endpoint
// is said to be, and no row where nothing is said.
func TestAClaimHasARow(t *testing.T) {
	v := scene("timings")
	v.Max = NowPanel
	row := func() string {
		s, g := newPicture(), frame(v, 120, 60)
		s.Draw(g, g.Bounds(), v)
		_, text, _ := strings.Cut(g.Plain(), "memory's bound")
		text, _, _ = strings.Cut(text, "\n")
		return strings.Join(strings.Fields(text), " ")
	}
	testkit.Is(t, row(), "", "nothing is claimed")
	speed := v.Figures.Speed.V
	for bound, want := range map[float64]string{2: "50 % of the claim: plausible", .5: "200 % of the claim: above"} {
		v.Stream.Endpoint.Claim = &metrics.Claim{Bandwidth: bound * speed, Weights: 1, Step: 1}
		got := row()
		testkit.That(t, strings.HasPrefix(got, want), "a bound of %.1f times the speed: %q, want %q", bound, got, want)
	}
}
