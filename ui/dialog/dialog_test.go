package dialog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/dialog/edit"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/sanitize"
)

func noSpin() int { return 0 }

var offered = []metrics.Endpoint{
	{Kind: metrics.EndpointEmbedded, Name: "demo", Note: "llama-3.1-8b bf16 on H100", Ready: true},
	{Kind: metrics.EndpointProfile, Name: "work", URL: "https://llm.example.com/v1", Model: "qwen3-32b", Ready: true,
		Badge: "via proxy"},
	{Kind: metrics.EndpointProvider, Name: "groq", URL: "https://api.groq.com/openai/v1", Ready: true,
		Note: "key from GROQ_API_KEY"},
	{Kind: metrics.EndpointProvider, Name: "openai", URL: "https://api.openai.com/v1",
		Note: "needs a key: OPENAI_API_KEY"},
	{Kind: metrics.EndpointLoopback, Name: "127.0.0.1:8080", URL: "http://127.0.0.1:8080/v1", Ready: true,
		Note: "llama.cpp"},
}

func endpoints() *Endpoints {
	d := NewEndpoints(offered[0], noSpin)
	d.Typed = func(text string) (e metrics.Endpoint, reads []string, err error) {
		if !strings.ContainsAny(text, ".:") {
			return e, nil, errors.New("this is no curl command")
		}
		return metrics.Endpoint{Kind: metrics.EndpointURL, Name: "10.0.0.7:8000", URL: "http://" + text, Ready: true}, nil,
			nil
	}
	d.Found(offered)
	return d
}

// drawn draws d into the body of a terminal of w by h and returns it as text.
func drawn(d Dialog, w, h int) string {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	d.Draw(g, g.Bounds(), themes.UnicodeGlyphs())
	return g.Plain()
}

func typeIn(d Dialog, s string) {
	for _, r := range s {
		d.Type(string(r), false)
	}
}

func TestEndpointPickerTellsThatItSearches(t *testing.T) {
	d := NewEndpoints(offered[0], noSpin)
	if s := drawn(d, 80, 24); !d.Busy() || !strings.Contains(s, "looking for servers") || !strings.Contains(s, "demo") {
		t.Errorf("busy %v:\n%s", d.Busy(), s)
	}
	d.Do(keys.Down)
	typeIn(d, "llama.cpp")
	d.Found(offered)
	if s := drawn(d, 80, 24); d.Busy() || strings.Contains(s, "looking for") || !strings.Contains(s, "127.0.0.1:8080") {
		t.Errorf("busy %v:\n%s", d.Busy(), s)
	}
}

// TestOneAddressInTwoAPIsIsTwoEndpoints holds that the picker lists the endpoint in use once,
// and its address in another API beside it.
func TestOneAddressInTwoAPIsIsTwoEndpoints(t *testing.T) {
	chat := metrics.Endpoint{Kind: metrics.EndpointURL, Name: "gateway", URL: "https://gateway", Ready: true}
	own := chat
	own.API = "messages"
	for _, all := range [][2]metrics.Endpoint{{chat, own}, {own, chat}} {
		d := NewEndpoints(all[0], noSpin)
		d.Found(all[:])
		if len(d.items) != 2 || d.items[0].value != all[0] || d.items[1].value != all[1] {
			t.Errorf("in use is %q: %+v", all[0].API, d.items)
		}
	}
}

func TestThemePickerPreviewsWhatIsSelected(t *testing.T) {
	d := NewThemes("scope")
	second := themes.All()[1].Name
	testkit.Is[Act](t, d.Do(keys.Down), PreviewTheme{second}, "preview")
	testkit.Is[Act](t, d.Do(keys.Accept), UseTheme{second}, "accept")
	testkit.Is[Act](t, d.Do(keys.Close), Closed{}, "close")
}

// TestALengthOfItsOwn checks that the list has the present limit, in order,
// and that enter at once changes nothing.
func TestALengthOfItsOwn(t *testing.T) {
	for _, n := range []int{0, 7, 16, 300, 5000} {
		d := NewLength(n)
		testkit.Is[Act](t, d.Do(keys.Accept), Chosen[int]{n}, n, "tokens are in use, and enter takes")
		for i := 1; i < len(d.items)-1; i++ {
			a, b := d.items[i-1].value.(int), d.items[i].value.(int)
			testkit.That(t, a < b, "with %d in use %d stands before %d", n, a, b)
		}
	}
	find(t, drawn(NewLength(300), 40, 12), "▸ ● 300             in use")
}

// TestAnEmptyListSaysWhatIsMissing checks that an empty picker explains what
// it would list.
// TestTheEndpointInUseIsFirst checks that the picker begins with the endpoint in use,
// selected, also where no list knows it, keeps the order of the rest, and says nothing
// of servers that do not answer.
func TestTheEndpointInUseIsFirst(t *testing.T) {
	here := metrics.Endpoint{Kind: metrics.EndpointURL, Name: "127.0.0.1:28401", URL: "http://127.0.0.1:28401/v1",
		Ready: true}
	old := metrics.Endpoint{Kind: metrics.EndpointURL, Name: "10.0.0.9", URL: "http://10.0.0.9/v1", Ready: true,
		Note: "last run 2 Nov"}
	byName := here
	byName.Kind, byName.Note = metrics.EndpointLoopback, "vLLM"
	for name, all := range map[string][]metrics.Endpoint{
		"unknown":        {old, offered[0]},
		"found here too": {old, byName, offered[0]},
	} {
		d := NewEndpoints(here, noSpin)
		d.Found(all)
		var got []string
		for _, it := range d.shown {
			got = append(got, it.name)
		}
		want := []string{here.Name, old.Name, "demo"}
		testkit.That(t, slices.Equal(got, want) && d.at == 0, "%s: %q with row %d selected, want %q", name, got, d.at, want)
		text := drawn(d, 120, 40)
		testkit.That(t, !strings.Contains(text, "server answers") && strings.Contains(text, "in use"), "%s:\n%s", name, text)
	}
}

func TestAnEmptyListSaysWhatIsMissing(t *testing.T) {
	d := NewEndpoints(offered[0], noSpin)
	d.Found(offered[:1])
	find(t, drawn(d, 80, 24), "no other server found")
	find(t, drawn(d, 80, 24), "start one, or set a key such as OPENAI_API_KEY")
	find(t, drawn(d, 40, 12), "no other server")
	testkit.Lacks(t, drawn(endpoints(), 80, 24), "no other server")
}

// TestTheNoteIsOfTheModelInUse checks that the note describes the model in
// use, not the endpoint's first model.
func TestTheNoteIsOfTheModelInUse(t *testing.T) {
	now := offered[0]
	now.Model, now.Note = "gpt-oss-120b", "120B on wafers"
	d := NewEndpoints(now, noSpin)
	d.Found(offered)
	s := drawn(d, 80, 24)
	find(t, s, "in use · built in · 120B on wafers")
	testkit.Lacks(t, s, offered[0].Note)
}

// TestTheEditorCountsWhatIsSent checks that the prompt's count includes the
// tokens before the text.
func TestTheEditorCountsWhatIsSent(t *testing.T) {
	d := NewEditor(metrics.Workload{Prompt: "Sum up these notes in three paragraphs.", InputTokens: 10000})
	find(t, drawn(d, 120, 40), "about 10 + 10,000 tokens")
}

func TestPickerByMouse(t *testing.T) {
	d := endpoints()
	s := drawn(d, 80, 24)
	x, y := find(t, s, "groq")
	testkit.Need(t, d.Click(x, y), nil, "the first click chose")
	testkit.Is[Act](t, d.Click(x, y), UseEndpoint{offered[2]}, "the second click")
	d.Wheel(-3)
	it, _ := d.selected()
	testkit.That(t, it.name == "demo", "the wheel went to %q", it.name)
	testkit.Is[Act](t, d.Click(0, d.box.Bottom()), Closed{}, "a click beside the box")
}

// find returns the cell of text on a plain screen.
func find(t *testing.T, screen, text string) (x, y int) {
	t.Helper()
	for y, line := range strings.Split(screen, "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return draw.Width(before), y
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, screen)
	return 0, 0
}

func TestHostileNamesAreShownNotObeyed(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202e\u009b31m\nnew line"
	d := NewEndpoints(metrics.Endpoint{Name: evil, URL: evil, Note: evil, Badge: evil, Ready: true}, noSpin)
	d.Found([]metrics.Endpoint{{Name: evil, Note: evil}, {Name: "x"}})
	d.Do(keys.Accept)
	d.Type(evil, true)
	m := NewModels(metrics.Endpoint{Name: evil, Model: evil}, noSpin)
	m.Found([]string{evil, strings.Repeat("x", 5000)})
	m.Fail(evil)
	e := NewEditor(prompts.Default())
	e.Type(evil, true)
	for _, dlg := range []Dialog{d, m, e} {
		g := draw.New(79, 22)
		dlg.Draw(g, g.Bounds(), themes.UnicodeGlyphs())
		for _, r := range g.Plain() {
			if r != '\n' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Fatalf("%T lets %U through:\n%q", dlg, r, g.Plain())
			}
		}
	}
}

func TestEveryDialogSurvivesEverySize(t *testing.T) {
	for _, mk := range []func() Dialog{
		func() Dialog { return endpoints() },
		func() Dialog { return NewModels(offered[1], noSpin) },
		func() Dialog { return NewThemes("scope") },
		func() Dialog { return NewLength(200) },
		func() Dialog { return NewEditor(prompts.Default()) },
		func() Dialog { return NewHelp(typed()...) },
		func() Dialog { return NewKnob(serving.KnobModel, positions) },
		func() Dialog { return NewLessons(titles, 2, nil) },
	} {
		d := mk()
		for w := range 30 {
			for h := range 30 {
				drawn(d, w, h)
				d.Do(keys.Down)
				d.Do(keys.PageDown)
				d.Click(w/2, h/2)
				d.Wheel(1)
				x, y, ok := d.Caret()
				testkit.Given(t, !ok || x >= 0 && y >= 0 && x < w && y < h, "%T at %dx%d: caret at %d, %d", d, w, h, x, y)
			}
		}
	}
}

func TestAYesMustBeMeant(t *testing.T) {
	d := NewConfirm("confirm", "about 90,000 tokens would be sent \x1b[2J")
	g := draw.New(80, 24)
	d.Draw(g, g.Bounds(), themes.UnicodeGlyphs())
	s := g.Plain()
	testkit.That(t, strings.Contains(s, "90,000 tokens") && !strings.Contains(s, "\x1b"), "the question reads\n%s", s)
	for _, c := range []struct {
		act  Act
		want Act
	}{{d.Do(keys.Accept), Confirmed{}}, {d.Do(keys.Close), Closed{}}, {d.Click(0, 0), Closed{}}, {d.Click(40, 12), nil},
		{d.Type("y", false), nil}} {
		testkit.Is(t, c.act, c.want)
	}
}

// Keys and clicks choose the tool whose events are lit; the last is tokscope.
func TestDefinitionsSelectsATool(t *testing.T) {
	d := definitions(0)
	g := draw.New(120, 38)
	lit := func() (n int) {
		d.Draw(g, g.Bounds(), themes.UnicodeGlyphs())
		for y := range 38 {
			for x := range 120 {
				if text, role := g.At(x, y); role == themes.Accent && (text == "█" || text == "▒") {
					n++
				}
			}
		}
		return n
	}
	all := lit() // vLLM counts reasoning and content
	d.Do(keys.Down)
	d.Do(keys.Down)
	testkit.Is(t, lit(), all, "SGLang lights … columns")
	for range 4 {
		d.Do(keys.Down)
	}
	if n := lit(); n == 0 || n >= all {
		t.Errorf("inference-perf counts content alone, and lights %d columns of %d", n, all)
	}
	d.Do(keys.End)
	d.Do(keys.Down)
	testkit.Is(t, d.at, len(d.rows)-1, "behind the last tool")
	d.Click(d.list.X, d.list.Y+1)
	testkit.Is(t, d.at, d.first+1, "a click on the second row selects")
	_, left := d.Click(0, 0).(Closed)
	testkit.That(t, left, "a click beside the box leaves it open")
}

// TestBackspaceInAFilter checks that backspace takes back what a person sees as
// one character, in the filter as in the editor.
func TestBackspaceInAFilter(t *testing.T) {
	for _, c := range []string{"e\u0301", "a\u0308\u0323", "x", "語"} {
		l := &list{}
		l.typed("caf")
		l.typed(c)
		testkit.Need(t, l.filter, "caf"+sanitize.Line(c, filterMax), c, "was typed as")
		l.move(keys.DeleteBack)
		testkit.Is(t, l.filter, "caf", "backspace after", c, "leaves")
	}
	b := edit.New("")
	b.Type("cafe\u0301")
	b.Do(keys.DeleteBack, 1)
	testkit.Is(t, b.String(), "caf", "backspace in the editor leaves")
}
