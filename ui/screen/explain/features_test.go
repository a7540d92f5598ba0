package explain

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/ui/say"
	"tokscope/ui/uitest"
)

// shot is the screen of an engine at that moment, on a terminal of w by h.
func shot(e serving.View, w, h int) string {
	return frame(&View{Explain: e, Knob: serving.KnobHardware}, w, h).Plain()
}

// TestEveryFeatureIsOnTheScreen draws Explain with and without each feature. What
// a feature changes is in view at every size: a part of the step, the cache of a
// token or of a user, or its own position.
func TestEveryFeatureIsOnTheScreen(t *testing.T) {
	none := func(*serving.Knobs) {}
	for name, c := range map[string]struct {
		from, to    func(*serving.Knobs)
		large, tiny string // seen with the feature only: from 120x40 on, and at 80x24
	}{
		"linear attention": {func(k *serving.Knobs) { k.Model, k.Precision, k.Hardware = "qwen3-30b-a3b", "fp8", "h200" },
			func(k *serving.Knobs) { k.Model = "qwen3-next-80b-a3b" },
			`states +464 MB(?s:.*)24\.6 kB.*token, 77\.3 MB.*user`, `states +[▏▎]`},
		"windows": {func(k *serving.Knobs) { k.Model, k.Prompt = "qwen3-14b", 8000 },
			func(k *serving.Knobs) { k.Model = "gemma-3-12b" },
			`65\.5 kB.*token, 336 MB.*user`, `gemma-3-12b(?s:.*)/200 +8\d\d `},
		"sparse attention": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.TP, k.Prompt, k.Users = "deepseek-v3.1", "fp8", "h200", 8, 32000, 16
		}, func(k *serving.Knobs) { k.Model = "deepseek-v3.2" }, `78\.3 kB a token`, `deepseek-v3\.2`},
		"KV format": {none, func(k *serving.Knobs) { k.KV = "fp8" },
			`65\.5 kB a token(?s:.*)(room for|users that fit) +743`, `KV fp8`},
		"expert parallel": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.TP = "deepseek-r1", "fp8", "h200",
				8
		}, func(k *serving.Knobs) { k.Sharing = "expert" }, `\(expert\)(?s:.*)exchange +▒`,
			`sharing expert(?s:.*)exchange +▒`},
		"pipeline": {func(k *serving.Knobs) { k.Hardware, k.TP, k.Precision = "rtx4090", 4, "bf16" },
			func(k *serving.Knobs) { k.Sharing = "pipeline" }, `\(pipeline\)(?s:.*)exchange +[▒▏]`,
			`sharing pipeline(?s:.*)exchange +[▒▏]`},
		"CPU experts": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.Software = "qwen3-30b-a3b", "q4", "rtx4090", "llama.cpp"
		}, func(k *serving.Knobs) { k.CPULayers = 24 }, `\+ CPU(?s:.*)CPU experts +1\.03 GB`,
			`CPU experts 24(?s:.*)CPU experts +█`},
		"async scheduling": {none, func(k *serving.Knobs) { k.Async = true }, `async on`, `async on`},
		"EAGLE-3": {none, func(k *serving.Knobs) { k.DraftK, k.DraftHead, k.Accept = 3, "eagle3", 0.7 },
			`draft model +[0-9.]+ GB`, `eagle3(?s:.*)draft model +█`},
	} {
		before, after := uitest.Decoding(c.from), uitest.Decoding(c.from, c.to)
		for size, want := range map[[2]int]string{{80, 24}: c.tiny, {120, 40}: c.large, {200, 50}: c.large} {
			was, is := shot(before, size[0], size[1]), shot(after, size[0], size[1])
			re := regexp.MustCompile(want)
			testkit.That(t, !re.MatchString(was) && re.MatchString(is),
				"%s, %v: want %s in the second alone:\n%s\n%s", name, size, want, was, is)
		}
	}
}

// The host's time shows as a part of the step, unless it is hidden.
func TestAsyncSchedulingLeavesNoEngineTime(t *testing.T) {
	engine := regexp.MustCompile(`engine +[▒▏]`)
	off := shot(uitest.Decoding(), 120, 40)
	on := shot(uitest.Decoding(func(k *serving.Knobs) { k.Async = true }), 120, 40)
	testkit.That(t, engine.MatchString(off) && !engine.MatchString(on), "%s\n%s", off, on)
}

// stepOf is a step with these terms: a name and seconds, in turn.
func stepOf(m *serving.Machine, terms ...any) (st serving.EngineStep) {
	for i := 0; i < len(terms); i += 2 {
		st.Terms[st.NumTerms] = serving.StepTerm{Name: terms[i].(string), Seconds: terms[i+1].(float64)}
		st.NumTerms++
	}
	st.Machine = m
	return st
}

// TestRowsShowWhatMatters: where rows are few, the least parts share one. What
// an option adds keeps its row however short it is, what is long is never "the
// rest", and what only another machine had has no row.
func TestRowsShowWhatMatters(t *testing.T) {
	now, before := &serving.Machine{Name: "now"}, &serving.Machine{Name: "before"}
	for _, c := range []struct {
		what string
		st   serving.EngineStep
		n    int
		want []string
	}{
		{"experts on two devices", stepOf(now, "projections", 2.17, "experts", 15.7, "KV read", 0.21, "exchange", 0.08,
			"kernels", 7.9, "engine", 0.3, "activations", 0.1), 6,
			[]string{"weights", "experts", "exchange", "kernels", "engine", "the rest"}},
		{"a pipeline", stepOf(now, "projections", 176.0, "KV read", 0.25, "prompt attention", 4.3, "exchange", 0.081,
			"kernels", 6.0, "engine", 0.4, "activations", 6.1), 5,
			[]string{"weights", "exchange", "kernels", "activations", "the rest"}},
		{"fixed times", stepOf(now, "projections", 0.63, "experts", 5.1, "KV read", 0.17, "prompt attention", 0.01,
			"all-reduce", 0.76, "kernels", 11.0, "engine", 0.3), 5,
			[]string{"weights", "experts", "all-reduce", "kernels", "the rest"}},
		{"a draft head", stepOf(now, "projections", 5.24, "KV read", 0.42, "draft", 0.01, "kernels", 1.11, "engine", 0.38,
			"activations", 0.1), 4,
			[]string{"weights", "draft model", "kernels", "the rest"}},
		{"experts on the CPU", stepOf(now, "projections", 5.0, "experts", 3.0, "CPU experts", 0.1, "KV read", 0.4, "kernels",
			1.0, "activations", 0.1), 4,
			[]string{"weights", "experts", "CPU experts", "the rest"}},
		{"linear attention", stepOf(now, "projections", 5.0, "experts", 3.0, "states", 0.1, "KV read", 0.4, "kernels", 1.0,
			"activations", 0.1), 4,
			[]string{"weights", "experts", "linear states", "the rest"}},
		{"enough rows", stepOf(now, "projections", 5.0, "KV read", 0.4, "kernels", 1.0), 6, []string{"weights", "KV read",
			"kernels"}},
	} {
		old := stepOf(before, "projections", 9.0, "all-reduce", 5.0, "engine", 5.0)
		steps := []serving.EngineStep{old, old, c.st, c.st}
		of := sharesOf(steps, now)
		var got []string
		for _, r := range rowsOf(nil, &c.st, &of, c.n) {
			got = append(got, groups[r.group].name)
		}
		testkit.That(t, slices.Equal(got, c.want), "%s: %q, want %q", c.what, got, c.want)
	}
}

// TestEveryKnobCanBeClicked checks that each knob has a click target, and
// that a glyph also marks the selected one.
func TestEveryKnobCanBeClicked(t *testing.T) {
	for _, size := range sizes {
		for k := range serving.NumKnobs {
			v := sceneOf("chunk")
			v.Knob, v.Explain.Knobs.DraftK = k, 3
			_, g := drawn(v, size)
			found := map[serving.Knob]bool{}
			for what, r := range uitest.Targets(g) {
				if got, ok := what.(onKnob); ok {
					found[serving.Knob(got)] = true
					mark, _ := g.At(r.X, r.Bottom()-1)
					if (mark == "▸") != (serving.Knob(got) == k) {
						t.Errorf("%v: %s is selected, before %s stands %q", size, say.Knob(k), say.Knob(serving.Knob(got)), mark)
					}
				}
			}
			if !found[k] {
				t.Errorf("%v: %s is selected and not in view", size, say.Knob(k))
			}
			want := serving.Options
			if k >= serving.Options {
				want = serving.NumKnobs
			}
			testkit.That(t, len(found) == int(want) || size[0] < 100, "%v: %d knobs are in view", size, len(found))
		}
	}
}

// TestNoKnobIsCut checks that every knob shown in a narrow row is whole, and
// that the selected one is among them.
func TestNoKnobIsCut(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 8
	}
	for w := 60; w < 100; w += step {
		size := [2]int{w, 24}
		for k := range serving.NumKnobs {
			for _, mode := range []string{"continuous", "prefill-first", "disaggregated"} {
				v := sceneOf("phases")
				v.Knob, v.Explain.Knobs.Mode, v.Explain.Knobs.DraftK = k, mode, 3
				_, g := drawn(v, size)
				for what, r := range uitest.Targets(g) {
					knob, ok := what.(onKnob)
					if !ok || r.H > 1 {
						continue
					}
					got, want := "", say.KnobPosition(serving.Knob(knob), &v.Explain.Knobs)
					for x := r.X; x < r.Right(); x++ {
						text, _ := g.At(x, r.Y)
						got += text
					}
					if !strings.HasSuffix(strings.TrimSpace(got), want) {
						t.Errorf("%v, %s selected: %q, want %q", size, say.Knob(k), got, want)
					}
				}
			}
		}
	}
}
