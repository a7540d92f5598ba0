package explain

import (
	"regexp"
	"testing"

	"tokscope/metrics/serving"
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
		"linear attention": {func(k *serving.Knobs) { k.Model, k.Precision, k.Hardware = "qwen3-30b-a3b", "fp8", "h200" }, func(k *serving.Knobs) { k.Model = "qwen3-next-80b-a3b" },
			`states +464 MB(?s:.*)24\.6 kB.*token, 77\.3 MB.*user`, `states +[▏▎]`},
		"windows": {func(k *serving.Knobs) { k.Model, k.Prompt = "qwen3-14b", 8000 }, func(k *serving.Knobs) { k.Model = "gemma-3-12b" },
			`65\.5 kB.*token, 336 MB.*user`, `gemma-3-12b(?s:.*)/200 +8\d\d `},
		"sparse attention": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.TP, k.Prompt, k.Users = "deepseek-v3.1", "fp8", "h200", 8, 32000, 16
		}, func(k *serving.Knobs) { k.Model = "deepseek-v3.2" }, `78\.3 kB a token`, `deepseek-v3\.2`},
		"KV format":       {none, func(k *serving.Knobs) { k.KV = "fp8" }, `65\.5 kB a token(?s:.*)(room for|users that fit) +743`, `KV fp8`},
		"expert parallel": {func(k *serving.Knobs) { k.Model, k.Precision, k.Hardware, k.TP = "deepseek-r1", "fp8", "h200", 8 }, func(k *serving.Knobs) { k.Sharing = "expert" }, `\(expert\)(?s:.*)exchange +▒`, `sharing expert(?s:.*)exchange +▒`},
		"pipeline":        {func(k *serving.Knobs) { k.Hardware, k.TP, k.Precision = "rtx4090", 4, "bf16" }, func(k *serving.Knobs) { k.Sharing = "pipeline" }, `\(pipeline\)(?s:.*)exchange +[▒▏]`, `sharing pipeline(?s:.*)exchange +[▒▏]`},
		"CPU experts": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.Software = "qwen3-30b-a3b", "q4", "rtx4090", "llama.cpp"
		}, func(k *serving.Knobs) { k.CPULayers = 24 }, `\+ CPU(?s:.*)CPU experts +1\.03 GB`, `CPU experts 24(?s:.*)CPU experts +█`},
		"async scheduling": {none, func(k *serving.Knobs) { k.Async = true }, `async on`, `async on`},
		"EAGLE-3":          {none, func(k *serving.Knobs) { k.DraftK, k.DraftHead, k.Accept = 3, "eagle3", 0.7 }, `draft model +[0-9.]+ GB`, `eagle3(?s:.*)draft model +█`},
	} {
		before, after := uitest.Decoding(c.from), uitest.Decoding(c.from, c.to)
		for size, want := range map[[2]int]string{{80, 24}: c.tiny, {120, 40}: c.large, {200, 50}: c.large} {
			was, is := shot(before, size[0], size[1]), shot(after, size[0], size[1])
			re := regexp.MustCompile(want)
			if re.MatchString(was) || !re.MatchString(is) {
				t.Errorf("%s, %v: want %s in the second alone:\n%s\n%s", name, size, want, was, is)
			}
		}
	}
}

// The host's time shows as a part of the step, unless it is hidden.
func TestAsyncSchedulingLeavesNoEngineTime(t *testing.T) {
	engine := regexp.MustCompile(`engine +[▒▏]`)
	off := shot(uitest.Decoding(), 120, 40)
	on := shot(uitest.Decoding(func(k *serving.Knobs) { k.Async = true }), 120, 40)
	if !engine.MatchString(off) || engine.MatchString(on) {
		t.Errorf("%s\n%s", off, on)
	}
}
