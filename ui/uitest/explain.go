package uitest

import (
	"fmt"
	"math"

	"tokscope/metrics"
)

// ExplainScenes are the names that Explain knows.
var ExplainScenes = []string{"empty", "decode", "chunk", "slow", "crowd", "preempt", "pools", "past", "dataflow",
	"phases", "seesaw", "goodput", "uses", "busy", "refused", "broken"}

// Explain is one moment of the Explain screen: an engine without a network,
// whose steps and figures follow from each other.
func Explain(scene string) metrics.ExplainView {
	e := newEngine(h100())
	k := metrics.Knobs{Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", TP: 1, Users: 8, Prompt: 1000, Output: 200,
		Mode: "continuous", Budget: 2048, Accept: 0.7, Time: 0.1}
	switch scene {
	case "empty":
		v := view(e, k)
		v.Running, v.Clock, v.Machine = true, 0, e.m
		return v
	case "decode":
		return view(users(e, 8, 32, 4000).run(170), k)
	case "chunk":
		return view(chunked(e), k)
	case "slow":
		k.Time = 0.01
		v := view(chunked(e), k)
		next := e.plan()
		v.Doing, v.Clock = &next, next.Start+(next.End-next.Start)*0.43
		return v
	case "crowd":
		k.Users, k.Time = 64, 1
		users(e, 64, 1000, 120)
		return view(e.run(900), k)
	case "preempt":
		k.Users, k.Prompt, k.Output = 24, 3000, 1500
		e.m.KVCapacity = 72_480
		e.blocks = e.m.KVCapacity / e.m.KVBlock
		users(e, 24, 3000, 1500)
		for range 120 {
			e.step()
		}
		for e.steps[len(e.steps)-1].Preempted == 0 {
			e.step()
		}
		v := view(e.run(2), k)
		v.Figures.Preempted = 7
		return v
	case "pools":
		k.Mode = "disaggregated"
		return pools(e, k)
	case "past":
		v := view(chunked(e), k)
		v.Paused = true
		return v
	case "dataflow":
		e.m.Name, e.m.Dataflow = "llama-3.3-70b bf16 on 4x Cerebras WSE-3", true
		k.Hardware, k.Model, k.Time = "cerebras", "llama-3.3-70b", 1
		return view(users(e, 8, 200, 300).run(600), k)
	case "phases", "seesaw", "goodput", "uses":
		v := view(chunked(e), k)
		v.Tour = tour(scene, v)
		return v
	case "busy":
		v := view(chunked(e), k)
		v.Knobs.Precision, v.Busy = "q4", true
		v.Marks = append(v.Marks, metrics.EngineMark{Step: e.number, At: e.clock - 0.002, What: "quantisation bf16 → q4"})
		return v
	case "refused":
		v := view(chunked(e), k)
		v.Present = metrics.Prediction{Knobs: k, Err: "141 GB of weights, 80 GB of memory: take more devices or fewer bits"}
		return v
	case "broken":
		v := view(users(e, 8, 32, 4000).run(40), k)
		v.Running, v.Broken = false, "the embedded endpoint's port is taken by another program: leave and open the screen again"
		return v
	}
	panic("explain scene " + scene + ": unknown")
}

// users lets n users ask, spread so that they do not start together.
func users(e *engine, n, prompt, output int) *engine {
	for u := 1; u <= n; u++ {
		e.arrive(u, prompt, output)
		e.requests[len(e.requests)-1].Out = u * 7 % max(output/2, 1)
	}
	return e
}

// chunked is seven users who decode while the eighth brings a long prompt.
func chunked(e *engine) *engine {
	users(e, 7, 180, 4000)
	e.run(90)
	e.budget = 519
	e.arrive(8, 2000, 300)
	return e.run(14)
}

// pools is an engine in two pools: steps of one prefill while those of the
// other decode.
func pools(e *engine, k metrics.Knobs) metrics.ExplainView {
	users(e, 6, 180, 4000)
	e.pool = "decode"
	e.run(60)
	all, from := e.steps, e.steps[20].Start
	a := newEngine(e.m)
	a.pool, a.clock, a.budget = "prefill", from, 1024
	for u := 7; u <= 12; u++ {
		a.arrive(u, 1600, 1)
	}
	for a.clock < e.clock-0.004 {
		a.step()
	}
	for i := range a.steps {
		for j := range a.steps[i].Batch {
			if q := &a.steps[i].Batch[j]; q.State == metrics.EngineDone {
				q.State = metrics.EngineMoving
			}
		}
	}
	merged := make([]metrics.EngineStep, 0, len(all)+len(a.steps))
	for i, j := 0, 0; i < len(all) || j < len(a.steps); {
		if j == len(a.steps) || i < len(all) && all[i].End < a.steps[j].End {
			merged, i = append(merged, all[i]), i+1
		} else {
			merged, j = append(merged, a.steps[j]), j+1
		}
		merged[len(merged)-1].Number = uint64(len(merged))
	}
	e.steps = merged
	return view(e, k)
}

// view puts the steps of e into a moment, with figures that follow from them.
func view(e *engine, k metrics.Knobs) metrics.ExplainView {
	v := metrics.ExplainView{Now: 40e9, Clock: e.clock, Running: true, Knobs: k, Machine: e.m, Steps: e.steps,
		Observer: metrics.Observer{LateP50: 40e3, LateP99: 110e3, N: 900}}
	before := k
	before.Users = max(k.Users/2, 1)
	v.Present, v.Previous = predict(e.m, k), predict(e.m, before)
	none := metrics.Unknown("no step has happened")
	v.Figures = metrics.EngineFigures{Since: 2, TTFT: none, TTFTP99: none, TPOT: none, Gap50: none, Gap99: none, MaxGap: none, Speed: none, Total: none, KV: none, PerStep: none}
	if n := len(e.steps); n > 0 {
		v.Clock += 0.0004
		f := &v.Figures
		tokens, kv, longest, sum, decodes := 0, 0.0, 0.0, 0.0, 0
		for i := range e.steps {
			st := &e.steps[i]
			tokens += st.Tokens
			kv = math.Max(kv, st.KV)
			if st.Decodes > 0 {
				longest = math.Max(longest, st.End-st.Start)
				sum += st.End - st.Start
				decodes++
			}
		}
		tpot := sum / float64(max(decodes, 1)) * 1e3
		f.Requests, f.Steps = 14, n
		f.TTFT, f.TPOT, f.Gap99, f.MaxGap = metrics.Known(v.Present.TTFT.V*1.06, 14), metrics.Known(tpot, 14), metrics.Known(longest*1e3, 900), metrics.Known(longest*1e3, 900)
		f.Speed, f.KV = metrics.Known(1000/tpot, 14), metrics.Known(kv, n)
		f.Total = metrics.Known(float64(tokens)/(e.clock-e.steps[0].Start), n)
		f.TTFTP99, f.ClientTTFT, f.ClientTPOT = metrics.Unknown("needs n ≥ 100"), metrics.Known(f.TTFT.V+0.1, 14), metrics.Known(tpot+0.01, 14)
		v.Marks = []metrics.EngineMark{{Step: e.steps[n/2].Number, At: e.steps[n/2].Start, What: fmt.Sprintf("users %d → %d", before.Users, k.Users)}}
		v.Watched = watched(e, k)
	}
	return v
}

// predict is what the arithmetic of the steps says of k.
func predict(m metrics.Machine, k metrics.Knobs) metrics.Prediction {
	e := newEngine(m)
	e.arrive(1, k.Prompt, 2)
	e.budget = max(k.Budget, 1)
	for e.requests[0].State != metrics.EngineDecode {
		e.step()
	}
	ttft := (e.clock - 12) * 1e3
	d := newEngine(m)
	d.budget = 1 << 20
	users(d, k.Users, k.Prompt+k.Output/2, 4000).run(2)
	last := d.steps[1]
	tpot := (last.End - last.Start) * 1e3
	users := float64(k.Users)
	return metrics.Prediction{Knobs: k, Machine: m, TTFT: metrics.Known(ttft, 1), TTFTP99: metrics.Known(ttft*2, 1), TPOT: metrics.Known(tpot, 1),
		Gap99: metrics.Known(ttft, 1), Speed: metrics.Known(1000/tpot, 1), Total: metrics.Known(users*1000/tpot, 1), Queue: metrics.Known(0, 1),
		KV: metrics.Known(math.Min(users*float64(k.Prompt+k.Output)/float64(m.KVCapacity), 1), 1), MostUsers: metrics.Known(float64(m.KVCapacity/(k.Prompt+k.Output)), 1),
		Ceiling: metrics.Known(m.Bandwidth/m.StepBytes, 0), Floor: metrics.Known(2*m.PromptParameters*float64(k.Prompt)/m.FormatPeak*1e3, 0)}
}

// watched is the stream of the first user: its chunks are as late as a local
// connection makes them.
func watched(v *engine, k metrics.Knobs) metrics.Watched {
	marks := metrics.NewMarks()
	w := metrics.Watched{User: 1, Request: 1, TrueTTFT: metrics.Known(6.9/k.Time, 1)}
	s := metrics.Stream{ID: 4, State: metrics.Decoding, Usage: metrics.NoUsage(), LiveTokens: -1, Now: 40e9, DataDeadline: metrics.NoStamp}
	words := []string{"A ", "server ", "reads ", "every ", "weight ", "once ", "for ", "all ", "of ", "its ", "users, ", "so ", "that ", "the ", "second ", "one ", "is ", "nearly ", "free: ", "that ", "is ", "why ", "batching ", "pays. "}
	n := 0
	for number := range v.steps {
		st := &v.steps[number]
		if st.Decodes == 0 || st.Pool == "prefill" {
			continue
		}
		at := metrics.Stamp(40e9 - (v.clock-st.End)/k.Time*1e9)
		w.Steps, w.True = append(w.Steps, st.Number), append(w.True, at)
		s.Text = append(s.Text, words[n%len(words)]...)
		late := metrics.Stamp(70e3 + n*37%50*1000)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at + late, User: at + late, Read: int32(n), Event: int32(n), TextEnd: int32(len(s.Text)), Tokens: 1})
		n++
	}
	if n > 0 {
		marks.Sent = s.Chunks[0].At - metrics.Stamp(7.0/k.Time*1e6)
		s.LastData = s.Chunks[n-1].At
	}
	s.Marks = marks
	w.Stream = s
	return w
}

// tour is a lesson as the tour would tell it of v.
func tour(scene string, v metrics.ExplainView) metrics.TourView {
	t := metrics.TourView{On: true, Ready: true, Lessons: 11, Seen: []bool{true, true, false, false}}
	known := func(v ...float64) (out []metrics.Value) {
		for _, f := range v {
			if f < 0 {
				out = append(out, metrics.Unknown("not shown yet"))
			} else {
				out = append(out, metrics.Known(f, 12))
			}
		}
		return out
	}
	switch scene {
	case "phases":
		t.Lesson = metrics.Lesson{Number: 1, Key: "two-phases", Title: "Two phases", Focus: "timeline",
			Claim:  "A request is first read in one go, then answered a token at a time.",
			Text:   []string{"The wide step is the prefill: all tokens of the prompt go through the weights together, and arithmetic is the limit.", "The narrow ones are decode: each needs all the weights again for one token, and memory is the limit."},
			Stages: []metrics.LessonStage{{Label: "1000 in"}, {Label: "4000 in", Turn: "make the prompt 4000 tokens"}},
			Try:    "Turn the prompt and watch the wide step grow.", Knobs: []metrics.Knob{metrics.KnobPrompt}}
		t.Rows = []metrics.LessonRow{{Label: "prefill", Unit: "ms", Predicted: known(24, 92), Measured: known(25.1, -1)}, {Label: "decode step", Unit: "ms", Predicted: known(6.7, 6.8), Measured: known(6.71, -1)}}
		t.Verdict, t.Holds, t.Progress = "It holds: reading 1000 tokens took 25 ms, writing one took 6.7 ms.", true, 1
	case "seesaw":
		t.Lesson = metrics.Lesson{Number: 4, Key: "batching", Title: "Batching pays: the seesaw", Focus: "seesaw",
			Claim:  "One user wastes the machine: 64 users get 28 times as much in total, and each is only 2.3 times slower.",
			Text:   []string{"The weights are read once for a step, however many users are in it."},
			Stages: []metrics.LessonStage{{Label: "1 user"}, {Label: "8 users", Turn: "8 users"}, {Label: "64 users", Turn: "64 users"}, {Label: "256 users", Turn: "256 users"}},
			Try:    "Turn the users.", Knobs: []metrics.Knob{metrics.KnobUsers}}
		t.Stage, t.Progress = 2, 0.4
		t.Rows = []metrics.LessonRow{{Label: "each", Unit: "tok/s", Predicted: known(149, 132, 65, 22), Measured: known(147, 131, -1, -1)}, {Label: "in all", Unit: "tok/s", Predicted: known(146, 1023, 4114, 5641), Measured: known(144, 1011, -1, -1)}}
		for i, p := range [][2]float64{{149, 146}, {145, 280}, {140, 540}, {132, 1023}, {118, 1820}, {93, 2906}, {65, 4114}, {40, 5062}, {22, 5641}} {
			t.Curve = append(t.Curve, metrics.CurvePoint{Users: 1 << i, Speed: metrics.Known(p[0], 9), Total: metrics.Known(p[1], 9), Measured: i < 4})
		}
	case "uses":
		t.Lesson = metrics.Lesson{Number: 11, Key: "uses", Title: "Which number matters", Focus: "lens",
			Claim:  "A voice waits for TTFT, an agent for TPOT: what is good for one can be bad for the other.",
			Text:   []string{"An agent of 20 steps pays its TPOT for every token of every step."},
			Stages: []metrics.LessonStage{{Label: "500 tokens"}, {Label: "8000 tokens", Turn: "send prompts of 8000 tokens"}}}
		t.Progress = 0.7
		t.Rows = []metrics.LessonRow{{Label: "silence", Unit: "ms", Predicted: known(109, 1502), Measured: known(110, -1)}}
	case "goodput":
		t.Lesson = metrics.Lesson{Number: 10, Key: "goodput", Title: "Goodput: two objectives, one curve", Focus: "seesaw",
			Claim:  "Throughput goes on rising where users are no longer served: only requests that meet both objectives count.",
			Stages: []metrics.LessonStage{{Label: "8 users"}, {Label: "64 users", Turn: "64 users"}}}
		t.Progress = 0.7
		t.Rows = []metrics.LessonRow{{Label: "meet both", Unit: "%", Predicted: known(100, 12), Measured: known(99, -1)}}
		for i, p := range [][2]float64{{1, 0.7}, {1, 1.4}, {1, 2.7}, {1, 5.1}, {0.99, 9}, {0.88, 12.8}, {0.12, 2.4}, {0, 0}, {0, 0}} {
			t.Curve = append(t.Curve, metrics.CurvePoint{Users: 1 << i, Good: metrics.Known(p[0], 90), GoodRate: metrics.Known(p[1], 90), Speed: metrics.Known(100, 9), Total: metrics.Known(1000, 9), Measured: i == 3})
		}
	}
	return t
}
