package dialog

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
)

var positions = []serving.KnobChoice{
	{Name: "llama-3.1-8b", Knobs: serving.Knobs{Model: "llama-3.1-8b"}, Now: true},
	{Name: "llama-3.1-70b", Knobs: serving.Knobs{Model: "llama-3.1-70b"}, Why: "141 GB of weights, 80 GB of memory"},
	{Name: "qwen3-32b", Knobs: serving.Knobs{Model: "qwen3-32b"}},
}

var titles = []string{"Two phases", "The prompt", "The ceiling", "The seesaw", "Who gets what", "The long prompt",
	"The cache fills", "Context", "Guessing", "Goodput", "Which number"}

// pick is a choice in a picker: what is typed, the keys after it, and what enter then
// answers, nil for nothing; says is on the screen then.
type pick struct {
	typed string
	keys  []keys.Intent
	want  Act
	says  string
}

func drive(d loadstat.Drive) Act { return Chosen[loadstat.Drive]{d} }

func users(n int) Act { return drive(loadstat.Drive{Users: n}) }

func objectives(text string) Act {
	slos, _ := slo.Parse(text)
	return Chosen[[]slo.Objective]{slos}
}

func task(steps, tokens int) Act {
	return Chosen[slo.AgentTask]{slo.AgentTask{Steps: steps, Tokens: tokens}}
}

func contestants(typed string) Act {
	return Chosen[racestat.Contest]{racestat.ParseContest(typed)}
}

// models is the picker of the models of e, with those names or with that failure.
func models(e metrics.Endpoint, failure string, names ...string) Dialog {
	d := NewModels(e, noSpin)
	if d.Found(names); failure != "" {
		d.Fail(failure)
	}
	return d
}

// TestPickers chooses in every picker, as a person does: what is in use is selected at
// first, typed text filters or is taken, and what cannot be chosen is not.
func TestPickers(t *testing.T) {
	var widths []serving.KnobChoice
	for _, n := range []int{32, 2, 4, 16} {
		widths = append(widths, serving.KnobChoice{Knobs: serving.Knobs{TP: n}, Auto: 32})
	}
	gemma := serving.KnobChoice{Name: "Gemma 3 27B", Knobs: serving.Knobs{Model: "gemma-3-27b"}}
	now, _ := slo.Parse("ttft=500ms,tpot=20ms")
	work, groq := offered[1], offered[2]
	down, home := []keys.Intent{keys.Down}, []keys.Intent{keys.Home}
	for _, x := range []struct {
		name  string
		open  func() Dialog
		picks []pick
	}{
		{"endpoints", func() Dialog { return endpoints() }, []pick{
			{typed: "gro", want: UseEndpoint{groq}},
			{typed: "openai.com", says: "openai: needs a key: OPENAI_API_KEY"},
			{typed: "10.0.0.7:8000/v1", want: UseEndpoint{metrics.Endpoint{Kind: metrics.EndpointURL, Name: "10.0.0.7:8000",
				URL: "http://10.0.0.7:8000/v1", Ready: true}}},
		}},
		{"models", func() Dialog { return models(work, "", "llama-3.1-8b", "qwen3-32b") }, []pick{
			{want: UseModel{work, "qwen3-32b"}}, {typed: "llama", want: UseModel{work, "llama-3.1-8b"}},
			{typed: "my/own", want: UseModel{work, "my/own"}}, {keys: home, want: UseModel{work, ""}},
		}},
		// The key of a screen is no name.
		{"one model", func() Dialog { return models(work, "", "tiny-1") }, []pick{
			{typed: "3", says: "type a model's whole name; esc leaves"}, {typed: "o3", want: UseModel{work, "o3"}},
		}},
		{"no models", func() Dialog { return models(groq, "connect: connection refused") }, []pick{
			{typed: "mixtral", want: UseModel{groq, "mixtral"}, says: "connection refused"},
		}},
		{"lengths", func() Dialog { return NewLength(200) }, []pick{
			{want: Chosen[int]{200}}, {typed: "333", want: Chosen[int]{333}}, {typed: "open", want: Chosen[int]{0}},
			{typed: "-5"},
		}},
		{"lessons", func() Dialog { return NewLessons(titles, 2, []bool{true}) }, []pick{
			{want: Chosen[int]{2}}, {typed: "4", want: Chosen[int]{4}}, {typed: "11", want: Chosen[int]{11}},
			{typed: "seesaw", want: Chosen[int]{4}}, {typed: "cache", want: Chosen[int]{7}},
		}},
		// A model is found by its name in the list and by its key beside the other knobs.
		{"knob", func() Dialog { return NewKnob(serving.KnobModel, append(positions[:3:3], gemma)) }, []pick{
			{want: Chosen[serving.Knobs]{positions[0].Knobs}},
			{keys: down, says: "llama-3.1-70b: 141 GB of weights, 80 GB of memory"},
			{typed: "qwen", want: Chosen[serving.Knobs]{positions[2].Knobs}},
			{typed: "gemma-3-27b", want: Chosen[serving.Knobs]{gemma.Knobs}},
			{typed: "gemma 3", want: Chosen[serving.Knobs]{gemma.Knobs}},
			{typed: "27B", want: Chosen[serving.Knobs]{gemma.Knobs}},
		}},
		// Of all that match, the one whose name was typed is selected.
		{"knob of numbers", func() Dialog { return NewKnob(serving.KnobTP, widths) }, []pick{
			{typed: "2", want: Chosen[serving.Knobs]{widths[1].Knobs}},
		}},
		{"contestants", func() Dialog {
			return NewContestants(racestat.ParseContest("a b"), metrics.Endpoint{Kind: metrics.EndpointProfile, Name: "work"})
		}, []pick{
			{want: contestants("a b")}, {keys: down, want: contestants("work work+cold")},
			{typed: "groq#m", want: contestants("a groq#m")},
			{typed: "groq#m http://h:1/v1+direct  x", want: contestants("groq#m http://h:1/v1+direct x")},
			{typed: `groq --vary extra.stop=["a", "b"],null`, want: contestants(`groq --vary extra.stop=["a", "b"],null`)},
			{typed: "groq --vary tier=default"}, {typed: "groq work --vary tier=a,b"},
		}},
		{"objectives", func() Dialog { return NewObjectives(now) }, []pick{
			{want: objectives("ttft=500ms,tpot=20ms")}, {typed: "tt", want: objectives("ttft=450ms,speed>=5.3,gap=1s")},
			{typed: "chat", want: objectives("ttft=450ms,speed>=5.3,gap=1s")},
			{typed: "voice", want: objectives("ttft=260ms,speed>=4.1,gap=1s")},
			{typed: "agent", want: objectives("ttft=450ms,speed>=25")}, {typed: "batch", want: objectives("")},
			{typed: "ttft=1s", want: objectives("ttft=1s")}, {typed: "ttft=1s,tpot=50ms", want: objectives("ttft=1s,tpot=50ms")},
			{typed: "speed>=42", want: objectives("speed>=42")}, {typed: "ttft=fast"},
		}},
		{"task", func() Dialog { return NewTask(slo.AgentTask{Steps: 3, Tokens: 7}) }, []pick{
			{want: task(3, 7)}, {typed: "30 x 500", want: task(30, 500)}, {typed: "30x500", want: task(30, 500)},
			{typed: "30 500", want: task(30, 500)}, {typed: "20 x 300", want: task(20, 300)}, {typed: "9"}, {typed: "0 x 500"},
			{typed: "1 x 2 x 3"}, {typed: "99999999999999999999 x 1"}, {typed: "umpteen"},
		}},
		// Any number up to the largest can be typed, a rate and a ramp too; what is none
		// of them is not taken for another one.
		{"users", func() Dialog { return NewDrive(loadstat.Drive{Users: 48}, 1024, []float64{1, 2, 64, 1024}) }, []pick{
			{want: users(48), says: "type " + driveForms}, {typed: "1", want: users(1)}, {typed: "3", want: users(3)},
			{typed: "64", want: users(64)},
			{typed: "100", want: users(100)}, {typed: "1024", want: users(1024)}, {typed: "1025"}, {typed: "0"}, {typed: "-3"},
			{typed: "x"},
			{typed: "12/s", want: drive(loadstat.Drive{Rate: 12})},
			{typed: "2.5/s poisson", want: drive(loadstat.Drive{Rate: 2.5, Poisson: true})},
			{typed: "10-200 in 60s", want: drive(loadstat.Drive{Users: 10, To: 200, Within: time.Minute})},
			{typed: "10..200/1m", want: drive(loadstat.Drive{Users: 10, To: 200, Within: time.Minute})},
			{typed: "200 in 60 s", want: drive(loadstat.Drive{Users: 48, To: 200, Within: time.Minute})},
			{typed: "0.5-20/s in 2m", want: drive(loadstat.Drive{Rate: 0.5, To: 20, Within: 2 * time.Minute})},
			{typed: "1-20/s/2m", want: drive(loadstat.Drive{Rate: 1, To: 20, Within: 2 * time.Minute})},
			{typed: "20/s in 2m"}, // the load is no open loop: from where?
			{typed: "10-200 in 1s"}, {typed: "10-2000 in 60s"}, {typed: "10-10 in 60s"}, {typed: "10-200"}, {typed: "NaN/s"},
			{typed: "1e99/s"},
			{typed: "10-200 in never"}, {typed: "12/s foo", says: "type 8 users, 12/s poisson or 10-200 in 60s"},
		}},
		{"rate", func() Dialog { return NewDrive(loadstat.Drive{Rate: 12}, 1024, []float64{0.1, 5, 1000}) }, []pick{
			{want: drive(loadstat.Drive{Rate: 12}), says: "at random (Poisson)"},
			{typed: "5", want: drive(loadstat.Drive{Rate: 5})},
			{typed: "30 in 10s", want: drive(loadstat.Drive{Rate: 12, To: 30, Within: 10 * time.Second})},
			{typed: "7 poisson", want: drive(loadstat.Drive{Rate: 7, Poisson: true})},
		}},
		{"palette", func() Dialog { return palette() }, []pick{
			{typed: "def", want: RunKey{Screen: 0, Binding: aBinding}}, {typed: "theme nord", want: UseTheme{"nord"}},
			{typed: "stop", says: "stop: not now"}, {typed: "qwen", want: UseModel{work, "qwen3-32b"}},
			{typed: "zzzz", says: "nothing matches"},
		}},
	} {
		for _, p := range x.picks {
			d := x.open()
			typeIn(d, p.typed)
			for _, k := range p.keys {
				d.Do(k)
			}
			testkit.Same(t, d.Do(keys.Accept), p.want, x.name, "typed", p.typed)
			s := drawn(d, 80, 24)
			testkit.That(t, strings.Contains(s, p.says), "%s, typed %q: no %q in\n%s", x.name, p.typed, p.says, s)
			testkit.Is[Act](t, d.Do(keys.Close), Closed{}, x.name, "esc requests")
		}
	}
}

// TestBoxesAreAsHighAsTheirRows checks that a picker has no row to spare: one blank row
// below what is typed, and one above a message.
func TestBoxesAreAsHighAsTheirRows(t *testing.T) {
	empty := NewEndpoints(offered[0], noSpin)
	empty.Found(offered[:1])
	one, none := endpoints(), endpoints()
	typeIn(one, "groq")
	typeIn(none, "zzz")
	why := palette()
	typeIn(why, "voice")
	for name, c := range map[string]struct {
		d    Dialog
		rows int
	}{"one entry": {empty, 7}, "five": {endpoints(), 9}, "one of five": {one, 5}, "none": {none, 5},
		"a command": {why, 5}} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			s := drawn(c.d, size[0], size[1])
			if n := strings.Count(s, "│\n") + 2; n != c.rows {
				t.Errorf("%s, %dx%d: %d rows, want %d:\n%s", name, size[0], size[1], n, c.rows, s)
			}
		}
	}
}

// TestMessagesAreWhole checks that a message has all the rows that it needs where its box has
// room, and that no sentence of the help is cut.
func TestMessagesAreWhole(t *testing.T) {
	empty := NewEndpoints(offered[0], noSpin)
	empty.Found(offered[:1])
	help := NewHelp(keys.Section{Name: "all", Bindings: listKeys(&list{})})
	for w := 40; w <= 120; w++ {
		if s := drawn(empty, w, 12); !strings.Contains(s, "OPENAI_API_KEY") {
			t.Errorf("%d columns:\n%s", w, s)
		}
		if s := drawn(help, w, 40); strings.Contains(s, "…") {
			t.Errorf("%d columns:\n%s", w, s)
		}
	}
}

// TestNamesLoseTheirMiddle checks that rows whose names differ at their ends differ on the
// screen too, and their addresses, in every list of names.
func TestNamesLoseTheirMiddle(t *testing.T) {
	const head = "a-host-with-a-name-longer-than-its-column:184"
	ends := []metrics.Endpoint{{Name: head + "01", URL: "http://" + head + "01"},
		{Name: head + "02", URL: "http://" + head + "02"}}
	endpoints := NewEndpoints(ends[0], func() int { return 0 })
	endpoints.Found(ends)
	models := NewModels(metrics.Endpoint{Name: "here"}, func() int { return 0 })
	models.Found([]string{head + "01", head + "02"})
	palette := NewPalette([]Command{{Name: head + "01"}, {Name: head + "02"}})
	lists := map[string]Dialog{"endpoints": endpoints, "models": models, "palette": palette,
		"filter":   NewHistoryFilter("", []string{"endpoint:" + head + "01", "endpoint:" + head + "02"}),
		"baseline": NewBaseline(head+"01", head+"02", "all"),
	}
	for name, d := range lists {
		for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
			g := draw.New(79, 24)
			d.Draw(g, g.Bounds(), gl)
			if text := g.Plain(); !strings.Contains(text, "8401") || !strings.Contains(text, "8402") || gl.ASCII &&
				!format.IsASCII(text) {
				t.Errorf("%s:\n%s", name, text)
			}
		}
	}
}
