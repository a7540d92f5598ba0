package watch

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	new(picture).Draw(g, g.Bounds(), v)
	return g
}

var began = time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)

// target is one after so many probes, a minute apart; from slow on its prefill takes
// twice as long, and from failing on every second probe fails.
func target(label string, probes, slow, failing int) watchstat.Target {
	w := watchstat.New(watchstat.Plan{Every: time.Minute, Targets: 1})
	t := watchstat.Target{Label: label}
	for i := range probes {
		e := history.Entry{At: began.Add(time.Duration(i) * time.Minute), N: 1}
		t.Fault = nil
		if i >= failing && i%2 == 1 {
			t.Fault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "slow down"}
			e.Failed, e.Fault, e.Status = 1, t.Fault.Kind, t.Fault.Status
		} else {
			x := 1.0
			if i >= slow {
				x = 2
			}
			known := func(ms float64, n int) metrics.Value { return metrics.Known(ms*(1+0.1*math.Sin(float64(i*n))), 1) }
			e.Figures[history.TCP], e.Figures[history.Queue], e.Figures[history.Prefill] = known(12, 5), known(2, 7),
				known(250*x, 3)
			e.Figures[history.TTFT] = metrics.Known(e.Figures[history.Prefill].V+e.Figures[history.Queue].V+14, 1)
			e.Figures[history.TPOT], e.Figures[history.Longest] = known(7, 11), known(19, 13)
			e.Figures[history.Total] = metrics.Known(e.Figures[history.TTFT].V+23*e.Figures[history.TPOT].V, 1)
		}
		w.Add(e)
	}
	t.View = w.View()
	t.Spent, t.Skipped = 81*float64(probes), probes/40
	return t
}

// sceneOf returns a view in a state.
func sceneOf(name string) *View {
	const never = math.MaxInt
	v := &View{Figure: watchstat.TTFT, Glyphs: themes.UnicodeGlyphs(), Now: began.Add(100 * time.Minute),
		Board: watchstat.Board{Began: began, Every: time.Minute, Bounds: watchstat.DefaultBounds}}
	b := &v.Board
	defer func() {
		for i := range b.Targets {
			b.Tokens += b.Targets[i].Spent
		}
		b.Money, b.Currency, b.Priced = b.Tokens*2e-6, "USD", len(b.Targets) < 2
	}()
	switch name {
	case "begun":
		b.Targets = []watchstat.Target{target("groq", 0, never, never)}
		v.Now = began
	case "learning":
		b.Targets = []watchstat.Target{target("groq", 9, never, never)}
		v.Now = began.Add(9 * time.Minute)
	case "usual":
		b.Targets = []watchstat.Target{target("groq", 100, never, never)}
	case "suspected":
		b.Targets = []watchstat.Target{target("groq", 60, 49, never)}
		v.Now = began.Add(60 * time.Minute)
	case "failing while learning":
		b.Targets = []watchstat.Target{target("groq", 25, never, 4)}
		v.Now = began.Add(25 * time.Minute)
	case "changed":
		b.Targets = []watchstat.Target{target("groq", 100, 62, never), target("together", 100, never, never)}
	case "failing":
		b.Targets = []watchstat.Target{target("groq", 100, never, 70)}
	case "many":
		for i := range 12 {
			b.Targets = append(b.Targets, target(fmt.Sprintf("endpoint-%d", i), 40+i, never, never))
		}
		b.Targets[9] = target("endpoint-9", 100, 62, never)
		b.Targets[10].Skip = watchstat.Skip{Code: watchstat.SkipTokens, Until: began.Add(11 * time.Hour)}
		v.Selected = 9
	}
	return v
}

var states = []string{"begun", "learning", "usual", "suspected", "changed", "failing", "failing while learning", "many"}

// made are the states that were drawn.
var made = map[string]*View{}

// shown draws one of the states.
func shown(name string, w, h int) *draw.Grid {
	if made[name] == nil {
		made[name] = sceneOf(name)
	}
	return frame(made[name], w, h)
}

// TestGolden holds every state at 80x24 and at 120x40.
func TestGolden(t *testing.T) { golden.Screens(t, states, shown, [2]int{80, 24}, [2]int{120, 40}) }

// TestGoldenSizes holds a state at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, name := range []string{"learning", "failing", "many", "changed"} {
		sheet.Screen(name+", 40x12", shown(name, 40, 12))
	}
	sheet.Screen("changed, 200x50", shown("changed", 200, 50))
	v := sceneOf("changed")
	v.Glyphs = themes.ASCIIGlyphs()
	sheet.Screen("changed, ASCII, 120x40", frame(v, 120, 40))
}

// TestAddressesAreWhole holds that the table has the whole address of a target that is named
// by its URL, without the scheme where that has no room.
func TestAddressesAreWhole(t *testing.T) {
	v := sceneOf("usual")
	v.Board.Targets[0].Label = "http://127.0.0.1:29419"
	for _, w := range []int{80, 120} {
		_, row, _ := strings.Cut(frame(v, w, 24).Plain(), "▸ ")
		if row, _, _ = strings.Cut(row, "\n"); !strings.Contains(row, "127.0.0.1:29419 ") {
			t.Errorf("%d columns: %q", w, row)
		}
	}
}

// TestEverySizeDraws draws every state at many sizes.
func TestEverySizeDraws(*testing.T) { golden.EverySize(states, shown, 130, 45, 7, 3) }
