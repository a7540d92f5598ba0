package lens

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
	"tokscope/ui/uitest/golden"
)

func one(v float64) slo.LensFigure {
	return slo.LensFigure{Typical: metrics.Known(v, 1), Tail: metrics.Unknown(metrics.WhyOneRequest)}
}

func none(why metrics.Why) slo.LensFigure {
	return slo.LensFigure{Typical: metrics.Unknown(why), Tail: metrics.Unknown(why)}
}

func measured(ttft, tpot, gap, total float64) slo.LensFigures {
	return slo.LensFigures{TTFT: one(ttft), TPOT: one(tpot), Speed: one(1000 / tpot), Gap: one(gap), Total: one(total),
		Throughput: one(900 / tpot), Requests: 1}
}

func waiting(ms float64) slo.LensFigures {
	u := none(metrics.WhyNoChunk)
	return slo.LensFigures{TTFT: u, TPOT: u, Speed: u, Gap: u, Total: u, Throughput: u, Requests: 1, Running: true,
		Waited: metrics.Known(ms, 0)}
}

var (
	quick   = measured(265, 7.1, 31, 2400)
	slow    = measured(4300, 210, 2600, 68_000)
	tight   = measured(440, 38, 950, 20_000)
	earlier = func() slo.LensFigures { f := measured(264, 7, 9, 2390); f.Requests = 3; return f }()
)

// on is a canvas that draws on g.
func on(g *draw.Grid, gl *themes.Glyphs) *draw.Canvas {
	var c draw.Canvas
	c.Begin(g, gl)
	return &c
}

func drawn(key string, now, past slo.LensFigures, w int, gl *themes.Glyphs) *draw.Grid {
	var p Panel
	p.Update(key, slo.DefaultAgentTask, now, past, gl)
	g := draw.New(w, Rows+1)
	p.Draw(on(g, gl), draw.Rect{W: w, H: Rows})
	p.Line(on(g, gl), draw.Rect{Y: Rows, W: w, H: 1})
	return g
}

// The goldens hold the box and below it the line, at three widths.
func TestGolden(t *testing.T) {
	for _, w := range []int{79, 119, 199} {
		var b strings.Builder
		show := func(name, key string, now, past slo.LensFigures, gl *themes.Glyphs) {
			b.WriteString("# " + name + "\n" + drawn(key, now, past, w, gl).Plain() + "\n")
		}
		for _, l := range slo.Lenses() {
			show(l.Key, l.Key, quick, earlier, themes.UnicodeGlyphs())
			show(l.Key+", slow", l.Key, slow, slo.LensFigures{}, themes.UnicodeGlyphs())
		}
		show("chat, tight", "chat", tight, earlier, themes.UnicodeGlyphs())
		show("chat, waiting", "chat", waiting(412), earlier, themes.UnicodeGlyphs())
		show("chat, waiting too long", "chat", waiting(1412), earlier, themes.UnicodeGlyphs())
		show("agent, waiting", "agent", waiting(412), earlier, themes.UnicodeGlyphs())
		show("agent, ASCII", "agent", quick, earlier, themes.ASCIIGlyphs())
		golden.Text(t, map[int]string{79: "narrow", 119: "middle", 199: "wide"}[w], b.String())
	}
}

// A number never moves, whatever the figures: a moving number cannot be read.
func TestNothingJumps(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	for _, w := range []int{79, 119, 199} {
		place := map[string]string{}
		for name, f := range map[string]slo.LensFigures{"quick": quick, "slow": slow, "tight": tight, "waiting": waiting(9),
			"waits long": waiting(2345)} {
			for y, row := range strings.Split(drawn("chat", f, earlier, w, gl).Plain(), "\n") {
				if y == 0 || y >= Rows-1 {
					continue
				}
				limit := strings.IndexAny(row, "≤≥")
				at := len([]rune(row[:max(limit, 0)]))
				key := string(rune('0' + y))
				was, seen := place[key]
				now := string(rune('A' + at))
				testkit.That(t, limit >= 0 && (!seen || was == now), "%d columns, %s, row %d: the limit moved: %q", w, name, y, row)
				place[key] = now
			}
		}
	}
}

// Any size works, nothing outside the area is touched, and ASCII stays ASCII.
func TestDrawStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gl := themes.UnicodeGlyphs()
		if rapid.Bool().Draw(t, "ascii") {
			gl = themes.ASCIIGlyphs()
		}
		w, h := rapid.IntRange(0, 210).Draw(t, "w"), rapid.IntRange(0, 20).Draw(t, "h")
		f := rapid.SampledFrom([]slo.LensFigures{quick, slow, tight, waiting(3), long, nothing,
			measured(1e9, 1e-6, 1e12, 1e12), measured(1e-3, 1e-4, 1e-3, 1), {}}).Draw(t, "figures")
		past := rapid.SampledFrom([]slo.LensFigures{{}, earlier, predicted}).Draw(t, "past")
		task := slo.AgentTask{Steps: rapid.IntRange(1, slo.MaxAgentSteps).Draw(t, "steps"),
			Tokens: rapid.IntRange(1, slo.MaxAgentTokens).Draw(t, "tokens")}
		key := rapid.SampledFrom([]string{"", "chat", "voice", "agent", "batch"}).Draw(t, "lens")
		var p Panel
		p.Update(key, task, f, past, gl)
		var b Board
		b.Update(task, f, past, gl)
		g := draw.New(w+6, h+4)
		r := draw.Rect{X: 3, Y: 2, W: w, H: h}
		golden.Inside(t, g, r, gl.ASCII, func() {
			switch rapid.IntRange(0, 3).Draw(t, "shape") {
			case 0:
				p.Line(on(g, gl), r)
			case 1:
				p.Draw(on(g, gl), r)
			case 2:
				p.Tile(on(g, gl), r, themes.Border)
			case 3:
				b.Draw(on(g, gl), r, key, themes.Border)
			}
		})
	})
}

// An unchanged frame makes no text.
func TestUnchangedFrameBuildsNothing(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	var p Panel
	g := draw.New(199, Rows)
	c := on(g, gl)
	testkit.Allocates(t, 0, 100, func() {
		p.Update("agent", slo.DefaultAgentTask, quick, earlier, gl)
		p.Draw(c, g.Bounds())
	}, "a frame")
}

// The first sound takes the row of the first token, with its budget, and gives it back.
func TestTheFirstSoundHasTheRow(t *testing.T) {
	sound := quick
	sound.TTFA, sound.Voice = one(640), slo.Voice{Sentence: metrics.Known(900, 0)}
	text := sound
	text.TTFA = none(metrics.WhyNoAudio)
	var p Panel
	for i, c := range []struct {
		now, past                   slo.LensFigures
		label, measured, limit, was string
	}{
		{text, slo.LensFigures{}, "TTFT", "265 ms", "≤ 260 ms", ""},
		{sound, sound, "TTFA", "640 ms", "≤ 510 ms", "640 ms"},
		{sound, text, "TTFA", "640 ms", "≤ 510 ms", ""},
		{waiting(100), slo.LensFigures{}, "TTFT", "100 ms", "≤ 260 ms", ""},
	} {
		p.Update("voice", slo.DefaultAgentTask, c.now, c.past, themes.UnicodeGlyphs())
		r := &p.rows[0]
		testkit.That(t, r.label == c.label && r.measured == c.measured && r.limit == c.limit && r.past == c.was,
			"%d: %s %s %s, past %q", i, r.label, r.measured, r.limit, r.past)
		testkit.That(t, c.label != "TTFA" || p.voice == "", "%d: beside sound it says %q", i, p.voice)
	}
}

// A change of lens, task or figure shows at once.
func TestUpdate(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	var p Panel
	shown := func() string {
		g := draw.New(119, Rows)
		p.Draw(on(g, gl), g.Bounds())
		return g.Plain()
	}
	for _, c := range []struct {
		key  string
		task slo.AgentTask
		now  slo.LensFigures
		want string
	}{
		{"chat", slo.DefaultAgentTask, waiting(100), "100 ms  ≤ 450 ms"},
		{"chat", slo.DefaultAgentTask, waiting(133), "133 ms  ≤ 450 ms"},
		{"chat", slo.DefaultAgentTask, quick, "185 ms to spare"},
		{"voice", slo.DefaultAgentTask, quick, "5.00 ms over"},
		{"agent", slo.DefaultAgentTask, quick, "20 steps of 300 tokens take 47.9 s"},
		{"agent", slo.AgentTask{Steps: 2, Tokens: 10}, quick, "2 steps of 10 tokens take 672 ms"},
		{"batch", slo.DefaultAgentTask, quick, "well within"},
	} {
		p.Update(c.key, c.task, c.now, slo.LensFigures{}, gl)
		got := shown()
		testkit.That(t, strings.Contains(got, c.want), "%s: %q is missing from\n%s", c.key, c.want, got)
	}
	if p.Update("", slo.DefaultAgentTask, quick, earlier, gl); strings.TrimSpace(shown()) != "" {
		t.Errorf("no lens shows\n%s", shown())
	}
}

// engine is what an engine measured: the mean of 14 requests.
func engine(ttft, tpot, gap float64) slo.LensFigures {
	f := serving.EngineFigures{Requests: 14, TTFT: metrics.Known(ttft, 14), TPOT: metrics.Known(tpot, 14),
		Speed:  metrics.Known(1000/tpot, 14),
		MaxGap: metrics.Known(gap, 900), Total: metrics.Known(2000/tpot, 900)}
	return slo.LensOfEngine(&f, 40)
}

var (
	long      = engine(1500, 27.8, 31) // a long prompt: voice and chat miss, batch is unaffected
	nothing   = slo.LensOfEngine(&serving.EngineFigures{MaxGap: metrics.Unknown(metrics.WhyNoPairs)}, 40)
	predicted = slo.LensOfPrediction(&serving.Prediction{Knobs: serving.Knobs{Users: 1, Output: 40},
		EngineFigures: serving.EngineFigures{
			TTFT: metrics.Known(1502, 1), TPOT: metrics.Known(27.8, 1), Speed: metrics.Known(36, 1),
			Total: metrics.Known(14.4, 1)}})
)

// The goldens hold boards and tiles in the sizes of the Explain screen.
func TestGoldenBoard(t *testing.T) {
	var b strings.Builder
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		for _, size := range [][2]int{{30, 7}, {37, 11}, {72, 13}, {135, 15}} {
			if gl.ASCII && size[0] != 72 {
				continue
			}
			for i, f := range [...]slo.LensFigures{long, nothing} {
				if i == 1 && size[0] != 72 {
					continue
				}
				var board Board
				board.Update(slo.DefaultAgentTask, f, predicted, gl)
				g := draw.New(size[0], size[1])
				board.Draw(on(g, gl), g.Bounds(), "voice", themes.Border)
				fmt.Fprintf(&b, "# board, %dx%d\n%s\n", size[0], size[1], g.Plain())
			}
		}
		for _, size := range [][2]int{{28, 8}, {30, 12}, {39, 12}, {48, 14}} {
			for _, l := range slo.Lenses() {
				if gl.ASCII && (size[0] != 39 || l.Key != "agent") {
					continue
				}
				for i, f := range [...]slo.LensFigures{long, nothing} {
					if i == 1 && size[0] != 39 {
						continue
					}
					var p Panel
					p.Update(l.Key, slo.DefaultAgentTask, f, predicted, gl)
					g := draw.New(size[0], size[1])
					p.Tile(on(g, gl), g.Bounds(), themes.Border)
					fmt.Fprintf(&b, "# %s, %dx%d\n%s\n", l.Key, size[0], size[1], g.Plain())
				}
			}
		}
	}
	golden.Text(t, "board", b.String())
}

// The page of the budgets is made from them, so that both stay equal.
func TestPageOfTheBudgets(t *testing.T) {
	const path, begin, end = "../../docs/lens.md", "<!-- budgets -->\n", "<!-- end -->"
	data := testkit.Must(os.ReadFile(path))(t)
	head, rest, ok := strings.Cut(string(data), begin)
	_, tail, closed := strings.Cut(rest, end)
	testkit.Given(t, ok && closed, "%s has no place for the budgets", path)
	var b strings.Builder
	b.WriteString("| use | figure | budget | why | source |\n|---|---|---|---|---|\n")
	for _, l := range slo.Lenses() {
		name := "**" + l.Key + "**: " + say.LensAbout(l.Key)
		for _, x := range l.Budgets {
			limit := "no limit"
			if x.Limit > 0 {
				limit = limitText(x)
			}
			why, source := say.LensBudget(&x)
			b.WriteString("| " + name + " | " + say.LensLabel(x.Metric) + " | " + limit + " | " + why + " | " + source + " |\n")
			name = ""
		}
	}
	golden.File(t, path, head+begin+b.String()+end+tail)
}

// The page lists exactly the objectives that can be typed.
func TestPageOfTheObjectives(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/lens.md"))(t)
	for _, l := range slo.Lenses() {
		var parts []string
		for _, o := range l.SLOs() {
			parts = append(parts, o.String())
		}
		if text := "`" + strings.Join(parts, ",") + "`"; len(parts) > 0 && !strings.Contains(string(page), text) {
			t.Errorf("the objectives of %s, %s, are not on the page", l.Key, text)
		}
	}
}

func limitText(b slo.LensBudget) string {
	sign := "≤ "
	if b.AtLeast {
		sign = "≥ "
	}
	return sign + say.LensLimit(b.Metric, b.Limit)
}
