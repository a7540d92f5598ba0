package explain

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// amountOf parses a formatted amount, "3.35 TB/s", without its unit.
func amountOf(t *testing.T, number, prefix string) float64 {
	t.Helper()
	v := testkit.Must(strconv.ParseFloat(number, 64))(t)
	return v * map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}[prefix]
}

// TestTheArithmeticAddsUp checks that the numbers on the screen give the
// printed result, also for narrower numbers.
func TestTheArithmeticAddsUp(t *testing.T) {
	ceiling := regexp.MustCompile(`ceiling ([\d.]+) ([kMGTP]?)B/s ÷ ([\d.]+) ([kMGTP]?)B = ([\d.]+) tok/s`)
	floor := regexp.MustCompile(`floor 2×([\d.]+) ([kMGTP]?)×(\d+) ÷ ([\d.]+) ([kMGTP]?)FLOP/s( fp8)? = ([\d.]+) (ms|s)`)
	for _, fp8 := range []bool{false, true} {
		v := sceneOf("chunk")
		v.Panel = WhatIf
		m := &v.Explain.Present.Machine
		if fp8 {
			m.Format, m.FormatPeak, m.StepBytes = "fp8", 2*m.Peak, m.StepBytes/2
		}
		v.Explain.Present.Ceiling = metrics.Known(m.Bandwidth/m.StepBytes, 0)
		v.Explain.Present.Floor = metrics.Known(2*m.PromptParameters*float64(v.Explain.Present.Knobs.Prompt)/m.FormatPeak*1e3, 0)
		_, g := drawn(v, [2]int{200, 50})
		text := g.Plain()
		if c := ceiling.FindStringSubmatch(text); c == nil {
			t.Errorf("fp8 %v: no ceiling", fp8)
		} else if want, got := amountOf(t, c[1], c[2])/amountOf(t, c[3], c[4]),
			amountOf(t, c[5], ""); math.Abs(got-want) > 0.01*want {
			t.Errorf("%q makes %g", c[0], want)
		}
		f := floor.FindStringSubmatch(text)
		testkit.Given(t, f != nil, "fp8 %v: no floor:\n%s", fp8, text)
		want := 1e3 * 2 * amountOf(t, f[1], f[2]) * amountOf(t, f[3], "") / amountOf(t, f[4], f[5])
		if got := amountOf(t, f[7], ""); math.Abs(got-want) > 0.05*want || f[8] != "ms" {
			t.Errorf("%q makes %g ms", f[0], want)
		}
		if (f[6] != "") != fp8 {
			t.Errorf("%q: the format of the peak", f[0])
		}
	}
}

// TestWhatIfNamesItsTurn checks that the panel says what changed between its
// two predictions. A change of the speed of time is none.
func TestWhatIfNamesItsTurn(t *testing.T) {
	title := func(v *View) string {
		_, g := drawn(v, [2]int{200, 50})
		for row := range strings.Lines(g.Plain()) {
			if _, title, ok := strings.Cut(row, "╭ what if "); ok {
				return title
			}
		}
		return ""
	}
	v := sceneOf("chunk")
	v.Explain.Previous.Knobs.Time = 0.5
	if got := title(v); !strings.Contains(got, "users 4 → 8") || strings.Contains(got, "time") {
		t.Errorf("what if %s", got)
	}
	v.Explain.Unchanged = true
	if got := title(v); !strings.Contains(got, "compared with 4 users") || strings.Contains(got, "→") {
		t.Errorf("before any change: what if %s", got)
	}
}

// TestWhatIfComparesBeforeAnyChange checks that the panel has a comparison at
// every size before a knob was changed, with its name and no empty column.
func TestWhatIfComparesBeforeAnyChange(t *testing.T) {
	for _, size := range sizes {
		v := sceneOf("decode") // one user, no previous knobs
		v.Panel = WhatIf
		v.Explain.Previous, v.Explain.Unchanged = sceneOf("loop-8").Explain.Present, true
		s, g := drawn(v, size)
		for _, at := range s.slots {
			if at.panel != WhatIf {
				continue
			}
			rows := strings.Split(g.Plain(), "\n")
			text := func(y int) string {
				r := []rune(rows[y])
				return string(r[at.r.X:at.r.Right()])
			}
			all := text(at.r.Y) + text(at.r.Y+1)
			testkit.That(t, strings.Contains(all, "8 users"), "%v: compared with whom?\n%s", size, all)
			row := text(at.r.Y + 3)
			if !strings.Contains(row, "TPOT") {
				row = text(at.r.Y + 4) // a blank row between figures
			}
			testkit.That(t, strings.Contains(row, "TPOT") && (strings.ContainsAny(row, "↑↓") || strings.Contains(row, "same")),
				"%v: no change in %s", size, row)
		}
	}
}

// TestWhatIsBetter checks that a longer time is a warning and a higher speed
// is good. Other figures have no judgment.
func TestWhatIsBetter(t *testing.T) {
	for _, c := range []struct {
		unit figure.Unit
		up   bool
		want themes.Role
	}{{figure.Ms, true, themes.Warn}, {figure.Ms, false, themes.Good}, {figure.TokensPerSecond, true, themes.Good},
		{figure.TokensPerSecond, false, themes.Warn}, {figure.Share, true, themes.Text},
		{figure.Number, false, themes.Text}} {
		testkit.Is(t, judged(c.unit, c.up), c.want, "unit", c.unit, "up", c.up, "role")
	}
}
