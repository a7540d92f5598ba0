package dialog

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
)

// ofLoad is the editor as the Load screen opens it.
func ofLoad() *Editor {
	d := NewEditor(prompts.Default())
	d.LoadLengths(prompts.Load(), metrics.Lengths{}, metrics.Lengths{})
	return d
}

// into moves to the n-th field and empties it.
func into(d *Editor, n int) {
	for range n {
		d.Do(keys.NextLength)
	}
	d.Do(keys.Clear)
}

func TestLengthsOfALoad(t *testing.T) {
	for _, x := range []struct {
		in, out         string // typed; "-" leaves what stands there
		wantIn, wantOut string // drawn by each request; of one length "": the workload says it
		input, output   int
		name            string
	}{
		{"-", "-", "", "", 1000, 200, "1k in"},
		{"2000", "-", "", "", 2000, 200, prompts.Custom},
		{"200..4000", "-", "200..4000", "", 0, 200, prompts.Custom},
		{"1000+-200", "100,400", "1000±200", "100,400", 0, 400, prompts.Custom},
		{"", "", "", "", 0, 0, prompts.Custom}, // the text alone, and an answer as long as the server likes
	} {
		d := ofLoad()
		if x.in != "-" {
			into(d, 1)
			typeIn(d, x.in)
			d.lengths.at = 0
		}
		if x.out != "-" {
			into(d, 2)
			typeIn(d, x.out)
		}
		in, out, ok, err := d.Lengths()
		if !in.Varies() {
			in = metrics.Lengths{}
		}
		if !out.Varies() {
			out = metrics.Lengths{}
		}
		w := d.Workload()
		if !ok || err != nil || in.String() != x.wantIn || out.String() != x.wantOut || w.InputTokens != x.input ||
			w.MaxTokens != x.output || w.Name != x.name {
			t.Errorf("%q / %q: %q, %q, %+v, %v", x.in, x.out, in, out, w, err)
		}
		_, run := d.Do(keys.Accept).(RunPrompt)
		testkit.That(t, run, "%q / %q cannot be run", x.in, x.out)
	}
}

// Unreadable lengths are not run. The wrong field gets the keys, and its row
// says why.
func TestWrongLengthsAreNotRun(t *testing.T) {
	for _, x := range []struct {
		field int
		typed string
		say   string
	}{
		{1, "many", `prompts: "many" is not a number`},
		{2, "400..100", "answers: 400..100: the second is below the first"},
		{2, "0", `answers: "0" is out of range: give 1 to 2,000,000 `},
		{1, "3000000", "is out of range: give 1 to 2,000,000 "},
	} {
		d := ofLoad()
		into(d, x.field)
		typeIn(d, x.typed)
		d.lengths.at = 0
		testkit.Is(t, d.Do(keys.Accept), nil, x.typed, "was run")
		testkit.Is(t, d.lengths.at, x.field, x.typed, "field … has the keys")
		if s := drawn(d, 120, 40); !strings.Contains(s, x.say) {
			t.Errorf("%q: no %q in\n%s", x.typed, x.say, s)
		}
	}
	for _, size := range [][2]int{{80, 24}, {100, 30}} {
		for _, x := range []struct {
			field       int // that has the keys
			typed, want string
		}{
			{0, "10004000", `prompts: "10004000" is out of range: give 1 to 2,000,000 `},
			{1, "10004000", `prompts: "10004000" is out of range: give 1 to 2,000,000 `},
			{0, "a thousand", `prompts: "athousand" is not a number from 1 to 2,000,000 `},
		} {
			d := ofLoad()
			into(d, 1)
			typeIn(d, x.typed)
			d.lengths.at = x.field
			if s := drawn(d, size[0], size[1]); !strings.Contains(s, x.want) {
				t.Errorf("%v, %q, field %d: no %q in\n%s", size, x.typed, x.field, x.want, s)
			}
		}
	}
}

// The person's own lengths follow the presets, which have their own. An
// edited text keeps them.
func TestOwnLengthsAreKept(t *testing.T) {
	d := ofLoad()
	into(d, 1)
	typeIn(d, "200..4000")
	d.Do(keys.NextPreset) // chat
	if in, _, _, _ := d.Lengths(); in.Varies() || d.Workload().Name != "chat" {
		t.Errorf("chat has the lengths %v", in)
	}
	d.Do(keys.PrevPreset)
	if in, _, _, _ := d.Lengths(); in.String() != "200..4000" {
		t.Errorf("one's own are lost: %v", in)
	}
	d.lengths.at = 0
	typeIn(d, " Be brief.")
	in, out, _, _ := d.Lengths()
	if in.String() != "200..4000" || !strings.HasSuffix(d.Workload().Prompt, " Be brief.") {
		t.Errorf("%v, %+v", in, d.Workload())
	}
	w := d.Workload()
	d.Load(prompts.Default()) // Live
	_, _, ok, _ := d.Lengths()
	testkit.That(t, !ok && !d.lengths.on, "a single request has lengths")
	d.LoadLengths(w, in, metrics.Lengths{})
	if again, o, _, _ := d.Lengths(); again.String() != "200..4000" || o.String() != out.String() || d.Workload() != w {
		t.Errorf("opened again: %v, %v, %+v", again, o, d.Workload())
	}
}

// Keys and clicks go to the visible caret.
func TestFieldsTakeTheKeys(t *testing.T) {
	d := ofLoad()
	prompt := d.Workload().Prompt
	drawn(d, 120, 40)
	box := d.lengths.all[1].box
	d.Click(box.X+1, box.Y)
	typeIn(d, "0")
	d.Do(keys.DeleteBack)
	d.Do(keys.LineStart)
	d.Type("1\n2 ", true) // a paste of two lines is one here
	if have := d.lengths.text()[1]; have != "12200" || d.Workload().Prompt != prompt {
		t.Errorf("the answer's field holds %q, the prompt is %q", have, d.Workload().Prompt)
	}
	drawn(d, 120, 40)
	x, y, ok := d.Caret()
	testkit.That(t, ok && y == box.Y && x == box.X+2, "the caret stands at %d, %d, %v; the field at %+v", x, y, ok, box)
	d.Do(keys.NewLine) // on to the text again
	d.Do(keys.NewLine)
	testkit.Has(t, d.Workload().Prompt, "\n")
	d.Do(keys.NextLength)
	d.Do(keys.Up)
	testkit.Is(t, d.lengths.at, 0, "up does not lead back to the text")
	testkit.That(t, keys.Find(d.Bindings(), "ctrl+t").Works(), "the footer does not know of the lengths")
}

// At every size a field shows its caret inside itself. With ASCII glyphs the
// editor's own words are ASCII.
func TestFieldsAtEverySize(t *testing.T) {
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 34; h += 4 {
			d := ofLoad()
			into(d, 1)
			typeIn(d, "100,1000,10000,100000,1000000,2,3,4,5,6,7,8,9")
			g := draw.New(w, h)
			d.Draw(g, g.Bounds(), themes.ASCIIGlyphs())
			s := g.Plain()
			testkit.Given(t, !strings.ContainsAny(s, "±²·"), "%dx%d: %s", w, h, s)
			if x, y, ok := d.Caret(); ok && !d.lengths.all[0].box.Contains(x, y) {
				t.Fatalf("%dx%d: the caret at %d, %d is outside of %+v", w, h, x, y, d.lengths.all[0].box)
			}
		}
	}
}
