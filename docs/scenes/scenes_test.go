package scenes

import (
	"path/filepath"
	"testing"
	"time"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/explain/lessons"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// knobs are the engine's default knobs, changed.
func knobs(change func(k *serving.Knobs)) serving.Knobs {
	k := explain.Default()
	change(&k)
	return k
}

// after reports that n steps have happened.
func after(n int) func([]serving.EngineStep) bool {
	return func(s []serving.EngineStep) bool { return len(s) >= n }
}

// afterPrompt reports that n steps have happened, and that the last decodes
// of them had no prompt, after one that had.
func afterPrompt(n, decodes int) func([]serving.EngineStep) bool {
	return func(s []serving.EngineStep) bool {
		if len(s) < n+decodes || s[len(s)-decodes-1].Prefilled == 0 {
			return false
		}
		for i := range decodes {
			if s[len(s)-1-i].Prefilled > 0 {
				return false
			}
		}
		return true
	}
}

// afterPreemption reports that n steps have happened, and that the third from
// the end preempted a request.
func afterPreemption(n int) func([]serving.EngineStep) bool {
	return func(s []serving.EngineStep) bool { return len(s) >= n && s[len(s)-3].Preempted > 0 }
}

// played holds the knobs of each scene, its end, the number of last steps
// kept, and how many of these keep their requests.
var played = map[string]struct {
	knobs       serving.Knobs
	enough      func([]serving.EngineStep) bool
	steps, rows int
}{
	"decode":   {knobs(func(k *serving.Knobs) { k.Prompt, k.Output, k.Time = 32, 2000, 0.1 }), after(170), 170, 60},
	"chunk":    {knobs(func(k *serving.Knobs) { k.Prompt, k.Budget, k.Time = 2000, 519, 0.1 }), afterPrompt(1500, 9), 120, 120},
	"many":     {knobs(func(k *serving.Knobs) { k.Users, k.Output, k.Time = 64, 120, 1 }), after(900), 200, 10},
	"preempt":  {knobs(func(k *serving.Knobs) { k.Hardware, k.Users, k.Prompt, k.Output, k.Time = "rtx4090", 60, 600, 500, 0.1 }), afterPreemption(300), 120, 60},
	"pools":    {knobs(func(k *serving.Knobs) { k.Mode, k.Users, k.Prompt, k.Time = "disaggregated", 12, 1600, 0.1 }), after(300), 140, 60},
	"dataflow": {knobs(func(k *serving.Knobs) { k.Model, k.Hardware, k.Output, k.Time = "llama-3.3-70b", "cerebras", 300, 1 }), after(900), 300, 40},
	"hybrid": {knobs(func(k *serving.Knobs) {
		k.Model, k.Precision, k.Hardware, k.TP, k.Sharing, k.KV, k.Time = "qwen3-next-80b-a3b", "fp8", "h200", 2, "expert", "fp8", 0.1
	}), afterPrompt(900, 17), 120, 40},
	// Scenes that the tests' backend repeats.
	"loop-bf16-1":  {knobs(func(k *serving.Knobs) { k.Users = 1 }), after(640), 200, 200},
	"loop-bf16-8":  {knobs(func(k *serving.Knobs) {}), after(640), 200, 200},
	"loop-bf16-64": {knobs(func(k *serving.Knobs) { k.Users = 64 }), after(900), 60, 60},
	"loop-q4-1":    {knobs(func(k *serving.Knobs) { k.Users, k.Precision = 1, "q4" }), after(640), 200, 200},
}

// TestRecordings compares the recordings with the engine.
func TestRecordings(t *testing.T) {
	all := map[string]*uitest.Recording{}
	for name, s := range played {
		r := newFilm(t, s.knobs).play(t, s.enough).scene(t, s.steps, s.rows)
		before := s.knobs
		before.Users = max(s.knobs.Users/2, 1)
		if before.Users != s.knobs.Users {
			r.View.Previous = predict(t, before)
		}
		all[name] = r
	}
	for name, r := range all {
		keep(t, name, "", r)
	}
	chunk := all["chunk"].View

	empty := chunk
	empty.Steps, empty.Watched, empty.Clock = nil, serving.Watched{}, 0
	empty.Figures = newFilm(t, chunk.Knobs).rec.Figures().EngineFigures
	keep(t, "empty", "", &uitest.Recording{View: empty})

	busy := chunk
	busy.Knobs.Precision, busy.Busy = "q4", true
	last := all["chunk"].Steps[len(all["chunk"].Steps)-1]
	busy.Marks = []serving.EngineMark{{Step: last.Number + 1, At: last.End, From: chunk.Knobs, To: busy.Knobs}}
	keep(t, "busy", "chunk", &uitest.Recording{View: busy})

	refused := chunk
	refused.Present = predict(t, knobs(func(k *serving.Knobs) { k.Model, k.TP = "llama-3.3-70b", 1 }))
	keep(t, "refused", "chunk", &uitest.Recording{View: refused})

	slow := newFilm(t, slowly(chunk.Knobs))
	slow.play(t, afterPrompt(1500, 2))
	r := slow.scene(t, 120, 120)
	r.View.Previous = chunk.Previous
	r.Doing = slow.plan
	r.Doing.Machine = nil
	r.View.Clock = r.Doing.Start + 0.43*(r.Doing.End-r.Doing.Start)
	keep(t, "slow", "", r)

	for name, l := range map[string]struct{ lesson, shown int }{"phases": {1, 1}, "seesaw": {4, 2}, "goodput": {10, 1}, "uses": {11, 1}} {
		v := chunk
		v.Tour = lesson(t, l.lesson, l.shown)
		keep(t, name, "chunk", &uitest.Recording{View: v})
	}
}

func keep(t *testing.T, name, like string, r *uitest.Recording) {
	t.Helper()
	golden.File(t, filepath.Join("..", "..", "ui", "uitest", "testdata", "explain", name+".json"), string(r.Encode(like)))
}

func slowly(k serving.Knobs) serving.Knobs {
	k.Time = 0.01
	return k
}

// lesson is lesson n after that many stages were shown to their end, while
// the next one is shown.
func lesson(t *testing.T, n, shown int) serving.TourView {
	t.Helper()
	computed := make(chan struct{}, 16)
	tr := lessons.New("", func() { computed <- struct{}{} })
	defer tr.Wait()
	k, ok := tr.Go(n)
	if !ok {
		t.Fatalf("there is no lesson %d", n)
	}
	for !tr.View().Ready {
		select {
		case <-computed:
		case <-time.After(time.Minute):
			t.Fatalf("lesson %d is never computed", n)
		}
	}
	for i := 0; ; i++ {
		config, err := explain.NewEngineConfig(k)
		if err != nil {
			t.Fatal(err)
		}
		f, err := config.Measure(t.Context(), tr.Objectives())
		if err != nil {
			t.Fatal(err)
		}
		if i == shown { // running: a part of it is measured
			f.Complete, f.Progress = false, 0.4
			tr.Observe(k, f)
			return tr.View()
		}
		tr.Observe(k, f)
		if i+1 == len(tr.View().Lesson.Stages) {
			return tr.View()
		}
		k, _ = tr.Stage(i + 1)
	}
}
