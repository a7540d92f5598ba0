package uitest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/explain/lessons"
	"tokscope/ui/format"
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
		from := len(s) - decodes
		return from >= n && s[from-1].Prefilled > 0 &&
			!slices.ContainsFunc(s[from:], func(s serving.EngineStep) bool { return s.Prefilled > 0 })
	}
}

// Decoding is the sixth decode after a prompt on the default engine with other
// knobs. It is played at every call.
func Decoding(change ...func(*serving.Knobs)) serving.View {
	k := explain.Default()
	for _, c := range change {
		c(&k)
	}
	return *play(k, afterPrompt(40, 6)).scene(200, 60)
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
	"decode": {knobs(func(k *serving.Knobs) { k.Prompt, k.Output, k.Time = 32, 2000, 0.1 }), after(170), 170, 60},
	"chunk": {knobs(func(k *serving.Knobs) { k.Prompt, k.Budget, k.Time = 2000, 519, 0.1 }),
		afterPrompt(1500, 9), 120, 120},
	"slow": {knobs(func(k *serving.Knobs) { k.Prompt, k.Budget, k.Time = 2000, 519, 0.01 }),
		afterPrompt(1500, 2), 120, 120},
	"many": {knobs(func(k *serving.Knobs) { k.Users, k.Output, k.Time = 64, 120, 1 }), after(900), 200, 10},
	"preempt": {knobs(func(k *serving.Knobs) {
		k.Hardware, k.Users, k.Prompt, k.Output, k.Time = "rtx4090", 60, 600, 500, 0.1
	}), afterPreemption(300), 120, 60},
	"pools": {knobs(func(k *serving.Knobs) { k.Mode, k.Users, k.Prompt, k.Time = "disaggregated", 12, 1600, 0.1 }),
		after(300), 140, 60},
	"dataflow": {knobs(func(k *serving.Knobs) {
		k.Model, k.Hardware, k.Output, k.Time = "llama-3.3-70b", "cerebras", 300, 1
	}), after(900), 300, 40},
	"hybrid": {knobs(func(k *serving.Knobs) {
		k.Model, k.Precision, k.Hardware, k.TP = "qwen3-next-80b-a3b", "fp8", "h200", 2
		k.Sharing, k.KV, k.Time = "expert", "fp8", 0.1
	}), afterPrompt(900, 17), 120, 40},
	// Scenes that the tests' backend repeats.
	"loop-1":  {knobs(func(k *serving.Knobs) { k.Users = 1 }), after(640), 200, 200},
	"loop-8":  {knobs(func(*serving.Knobs) {}), after(640), 200, 200},
	"loop-64": {knobs(func(k *serving.Knobs) { k.Users = 64 }), after(900), 60, 60},
}

// toured holds the lesson of each scene of the tour, and how many of its stages
// were shown to their end.
var toured = map[string]struct{ lesson, shown int }{
	"phases": {1, 1}, "seesaw": {4, 2}, "goodput": {10, 1}, "uses": {11, 1},
}

var (
	scenesMu sync.Mutex
	scenes   = map[string]*serving.View{}
)

// Scene is the moment of that name on the engine's clock. Its slices are shared
// and read-only.
func Scene(name string) *serving.View {
	scenesMu.Lock()
	defer scenesMu.Unlock()
	return filmed(name)
}

// filmed is Scene with scenesMu held. A scene is played at its first use.
func filmed(name string) *serving.View {
	v := scenes[name]
	if v == nil {
		if s, ok := played[name]; ok {
			v = filmOf(name, play(s.knobs, s.enough), s.steps, s.rows)
		} else {
			of := format.Either(name == "broken", "decode", "chunk")
			changed := likeOther(name, *filmed(of))
			v = &changed
		}
		scenes[name] = v
	}
	return v
}

// filmOf is the end of a film with the prediction for half the users, and at 0.01
// times the speed with a step that is not yet over.
func filmOf(name string, f *film, steps, rows int) *serving.View {
	v := f.scene(steps, rows)
	before := v.Knobs
	if name == "slow" {
		before.Time = played["chunk"].knobs.Time
		v.Doing = f.rec.Look().Doing
		v.Clock = v.Doing.Start + 0.43*(v.Doing.End-v.Doing.Start)
	}
	if before.Users = max(before.Users/2, 1); before.Users != v.Knobs.Users {
		v.Previous = predict(before)
	}
	return v
}

// likeOther is a scene with the steps of another one.
func likeOther(name string, v serving.View) serving.View {
	if l, ok := toured[name]; ok {
		v.Tour = lesson(l.lesson, l.shown)
		return v
	}
	switch name {
	case "empty":
		config := must(explain.NewEngineConfig(nil, v.Knobs))
		v.Figures = explain.NewRecorder(config.Setup, v.Knobs.Users, explain.Objectives{}).Figures().EngineFigures
		v.Steps, v.Watched, v.Clock = nil, serving.Watched{}, 0
	case "busy":
		was, last := v.Knobs, v.Steps[len(v.Steps)-1]
		v.Knobs.Precision, v.Busy = "q4", true
		v.Marks = []serving.EngineMark{{Step: last.Number + 1, At: last.End, From: was, To: v.Knobs}}
	case "past":
		v.Paused = true
	case "broken":
		v.Running, v.Broken = false, metrics.NotBegun(
			errors.New("the embedded endpoint's port is taken by another program: leave and open the screen again"))
	case "refused":
		v.Present = predict(knobs(func(k *serving.Knobs) { k.Model, k.TP = "llama-3.3-70b", 1 }))
	default:
		panic(fmt.Sprintf("there is no scene %q", name))
	}
	return v
}

// lesson is lesson n after that many stages were shown to their end, while
// the next one is shown.
func lesson(n, shown int) serving.TourView {
	computed := make(chan struct{}, 1)
	tour := lessons.New("", func() { computed <- struct{}{} })
	k, ok := tour.Go(n)
	if !ok {
		panic(fmt.Sprintf("there is no lesson %d", n))
	}
	<-computed
	tour.Wait()
	for i := 0; ; i++ {
		f := measured(k, tour.Objectives())
		if i == shown { // running: a part of it is measured
			f.Complete, f.Progress = false, 0.4
		}
		tour.Observe(k, f)
		if i == shown || i+1 == len(tour.View().Lesson.Stages) {
			return tour.View()
		}
		k, _ = tour.Stage(i + 1)
	}
}

// measured is what the engine measures of some knobs.
func measured(k serving.Knobs, o explain.Objectives) explain.Measured {
	return must(explain.Play(context.Background(), k, o)).Measured
}
