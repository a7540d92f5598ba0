package dialog

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
)

func TestEditorGoesThroughThePresets(t *testing.T) {
	d := NewEditor(prompts.Default())
	for _, p := range append(prompts.All(), prompts.All()[0]) {
		if w := d.Workload(); w.Name != p.Name || w.Prompt != p.Work.Prompt || w.InputTokens != p.Work.InputTokens ||
			w.MaxTokens != p.Work.MaxTokens {
			t.Errorf("got %q, want %q", w.Name, p.Name)
		}
		d.Do(keys.NextPreset)
	}
}

func TestAnEditedPresetIsOnesOwnAndIsKept(t *testing.T) {
	d := NewEditor(prompts.Default())
	d.Do(keys.NextPreset) // 1k in
	typeIn(d, " Be brief.")
	w := d.Workload()
	testkit.Given(t, w.Name == prompts.Custom && w.InputTokens == 1000 && strings.HasSuffix(w.Prompt, " Be brief."),
		"got %+v", w)
	d.Do(keys.NextPreset)
	if d.Workload().Name != prompts.Default().Name {
		t.Fatalf("tab after one's own: %+v", d.Workload())
	}
	d.Do(keys.PrevPreset)
	testkit.Is(t, d.Workload(), w, "one's own text is lost")
	testkit.Is[Act](t, d.Do(keys.Accept), RunPrompt{w}, "run")
	d.Load(w)
	testkit.Is(t, d.Workload(), w, "opened again")
}

func TestAnEmptyPromptIsNotRun(t *testing.T) {
	d := NewEditor(prompts.Default())
	d.Do(keys.Clear)
	testkit.Is(t, d.Do(keys.Accept), nil)
	testkit.Has(t, drawn(d, 80, 24), "an empty prompt cannot be sent")
	d.Do(keys.Undo)
	testkit.Is(t, d.Workload().Prompt, prompts.Default().Prompt, "undo does not bring it back")
}

// TestEditorNamesTheLengthThatIsSent opens the editor with a preset whose output
// limit a flag or the first minute has changed.
func TestEditorNamesTheLengthThatIsSent(t *testing.T) {
	now := prompts.Default()
	now.MaxTokens = 3000
	d := NewEditor(now)
	for _, c := range []struct {
		name, want string
		do         func()
	}{
		{"unchanged", "up to 3,000 tokens out", func() {}},
		{"edited", "up to 3,000 tokens out", func() { typeIn(d, " Be brief.") }},
		{"a preset with a length of its own", "up to " + format.Count(d.presets[1].Work.MaxTokens) + " tokens out",
			func() { d.Load(now); d.Do(keys.NextPreset) }},
	} {
		c.do()
		kept := now
		_, _, _, err := d.Keep(&kept)
		testkit.Given(t, err == nil, "%v", err)
		if s := drawn(d, 100, 30); !strings.Contains(s, c.want) || !strings.Contains(c.want, format.Count(kept.MaxTokens)) {
			t.Errorf("%s: want %q, %d are sent:\n%s", c.name, c.want, kept.MaxTokens, s)
		}
	}
}

func TestEditorWithAnUnknownWorkload(t *testing.T) {
	d := NewEditor(metrics.Workload{Name: "custom", Prompt: "mine", MaxTokens: 77})
	w := d.Workload()
	testkit.That(t, w.Prompt == "mine" && w.MaxTokens == 77, "got %+v", w)
	testkit.Has(t, drawn(d, 80, 24), "yours")
}

func TestEditorByMouse(t *testing.T) {
	d := NewEditor(prompts.Default())
	s := drawn(d, 100, 30)
	x, y := find(t, s, "code")
	d.Click(x+1, y)
	testkit.Need(t, d.Workload().Name, "code", "the tab shows")
	x, y = find(t, drawn(d, 100, 30), "merges")
	d.Click(x, y)
	typeIn(d, "quickly ")
	testkit.Has(t, d.Workload().Prompt, "quickly merges")
	testkit.Is[Act](t, d.Click(0, 0), Closed{}, "a click beside the box")
}

func TestWideCharactersAndTheCaret(t *testing.T) {
	d := NewEditor(metrics.Workload{Prompt: "日本語"})
	drawn(d, 80, 24)
	x0, _, _ := d.Caret()
	d.Do(keys.Left)
	drawn(d, 80, 24)
	x, _, ok := d.Caret()
	testkit.That(t, ok && x == x0-2, "the caret went from %d to %d", x0, x)
}

func TestAboutTokens(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{{"", 0}, {"a", 1}, {"The quick brown fox.", 5}, {"日本語", 3}, {"naïve", 2}} {
		testkit.Is(t, AboutTokens(c.s), c.want, c.s)
	}
}

// TestEditorKeepsMessages: a conversation is sent until what stands for it is edited.
func TestEditorKeepsMessages(t *testing.T) {
	w := metrics.Workload{Name: "custom", Messages: `[{"content":"a"},{"content":"b"}]`, Tools: `[{}]`}
	d := NewEditor(w)
	testkit.Is(t, d.buf.String(), "2 messages, 1 tool, 37 B", "shows")
	testkit.Is(t, d.Workload(), w, "unchanged")
	now := w
	if _, _, _, err := d.Keep(&now); err != nil || now != w {
		t.Errorf("kept: %+v %v", now, err)
	}
	d.Type("x", false)
	got := d.Workload()
	testkit.That(t, got.Messages == "" && got.Tools == "" && got.Prompt != "", "edited: %+v", got)
	d.Load(w)
	d.LoadLengths(w, testkit.Must(metrics.ParseLengths("10..50"))(t), metrics.Lengths{})
	if _, _, _, err := d.Lengths(); err == nil {
		t.Error("a length of messages is accepted")
	}
}
