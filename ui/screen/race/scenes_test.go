package race

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit/example"
	"tokscope/themes"
)

// contestants of the scenes: TTFT, TPOT in ms, and how much they vary.
var contestants = []struct {
	label            string
	ttft, tpot, vary float64
}{
	{"groq#llama-3.3-70b", 182, 7.1, 0.02},
	{"fireworks", 300, 9.9, 0.05},
	{"together", 210, 7.12, 0.01},
	{"work", 240, 12, 0.1},
	{"work+direct", 220, 12, 0.1},
	{"llama-3.1-8b@h100", 31, 6.7, 0.01},
}

const answerText = "Between your question and the first word of the answer, the language model reads. It takes the " +
	"whole question at once, turns it into small pieces, and sends all of them through its layers together, the way " +
	"you might look at a page before you speak about it."

// request is an ended request of a lane, of so many tokens.
func request(r *rand.Rand, first, lane, tokens int) metrics.Stream {
	c := contestants[lane+first]
	vary := func() float64 { return math.Exp(r.NormFloat64() * c.vary) }
	s := metrics.Stream{ID: lane + 1, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		LiveTokens: -1}
	s.Marks.Start, s.Marks.Sent = 0, 0
	at := c.ttft * vary()
	words := strings.SplitAfter(answerText, " ")
	for i := range tokens {
		s.Text = append(s.Text, words[i%len(words)]...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: metrics.Stamp(at * 1e6), User: metrics.Stamp(at * 1e6), Read: int32(i),
			Event: int32(i), Bytes: 90, TextEnd: int32(len(s.Text)), Tokens: 1, Kernel: true})
		s.Marks.End = metrics.Stamp(at * 1e6)
		at += c.tpot * vary()
		if i == 20 && lane+first == 1 {
			at += 120
		}
	}
	s.Reads, s.Events = tokens, tokens
	s.Marks.FirstByte, s.Marks.FirstEvent = s.Chunks[0].At, s.Chunks[0].At
	s.Usage.Prompt, s.Usage.Completion, s.TokensFrom = 31, tokens, metrics.TokensUsage
	return s
}

// scene is a race of so many lanes after so many pairs, and the streams of its last
// round. failing is a lane that fails, -1 for none.
func scene(lanes, pairs, failing int) (*View, []metrics.Stream) {
	return sceneFrom(0, lanes, pairs, failing)
}

// sceneFrom is scene with the contestants from number first on.
func sceneFrom(first, lanes, pairs, failing int) (*View, []metrics.Stream) {
	rng := rand.New(rand.NewPCG(uint64(lanes), uint64(pairs)))
	v := &View{Figure: figure.TTFT, Glyphs: themes.UnicodeGlyphs()}
	r, streams, spent := &v.Race, make([]metrics.Stream, lanes), racestat.Spent{Currency: "USD"}
	*r = *example.Race(lanes, pairs+1, func(round *racestat.Round, lane int) {
		if lane == 0 {
			round.Order = rng.Perm(lanes)
		}
		s := &streams[lane]
		*s = request(rng, first, lane, 48)
		if lane == failing && round.N%3 > 0 {
			s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultRateLimit,
				Message: "the server answers 429: too many requests", Next: "try again in 7 s"}
			s.Chunks, s.Text = nil, nil
		}
		f := metrics.Measure(s, metrics.Options{})
		result := racestat.ResultOf(s, &f)
		spent.Tokens += result.Prompt + result.Output
		spent.Time += time.Duration(s.Marks.End - s.Marks.Start)
		round.Results[lane] = result
	})
	spent.Billed, spent.Money = spent.Tokens, metrics.Known(spent.Tokens*0.6e-6, 0)
	r.Running, r.Ended, r.Bounds, r.Spent, r.Observer = true, racestat.NotEnded, racestat.DefaultBounds, spent,
		metrics.Observer{}
	r.Work, r.Phases = metrics.Workload{Name: "chat", Prompt: "x", MaxTokens: 48}, make([]racestat.Phase, lanes)
	for i := range r.Lanes {
		l := &r.Lanes[i]
		l.Label, l.Endpoint, l.Proto, l.Late = contestants[i+first].label, metrics.Endpoint{}, "", 0
	}
	return v, streams
}

// ended ends the race of v for that reason.
func ended(v *View, code racestat.EndCode) {
	r := &v.Race
	r.Running, r.Ended = false, code
	for i := range r.Verdicts {
		if w := &r.Verdicts[i]; !w.State.Settled() {
			w.State, w.Forecast = racestat.Undecided, 0
		}
	}
}

// swapScene is a race of two settings after so many of 12 blocks: waiting for the model,
// measuring, judged, or with a restart that failed. In block 3 most requests failed.
func swapScene(blocks int, name string) *View {
	v, streams := scene(2, 0, -1)
	live(v, streams, 1, 200*time.Millisecond)
	r := &v.Race
	r.Bounds = racestat.Bounds{}
	r.Rounds, r.Lanes[0].Label, r.Lanes[1].Label = nil, "off", "on"
	r.Swap = &racestat.Swap{Command: []string{"./serve.sh", "{lane}"}, Blocks: 6, Requests: 3}
	r.BlockOrder, r.Alpha = []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0}, racestat.SwapAlpha(2)
	r.Spent.Time = time.Duration(blocks) * time.Minute
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= blocks; n++ {
		b := racestat.Block{N: n, Lane: r.BlockOrder[n-1], Began: time.Duration(n) * time.Minute,
			Ready: time.Duration(n)*time.Minute + 21*time.Second}
		for range 3 {
			s := request(rng, 0, b.Lane, 48)
			f := metrics.Measure(&s, metrics.Options{})
			res := racestat.ResultOf(&s, &f)
			if n == 3 {
				res.Fault = &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection was reset"}
			}
			b.Results = append(b.Results, res)
		}
		b.Sum()
		r.Blocks = append(r.Blocks, b)
	}
	if blocks < 12 {
		r.Block, r.Step, r.Now = racestat.Block{N: blocks + 1, Lane: r.BlockOrder[blocks], Began: 60 * time.Second},
			racestat.Waiting, 68*time.Second
	}
	r.Verdicts = r.Swap.Verdicts(r.Blocks, 2, r.Band, false)
	switch name {
	case "swap waiting":
		v.Tracks = make([]Track, 2)
	case "swap":
		r.Step, r.Block.Results = racestat.Measuring, make([]racestat.Result, 1)
	case "swap judged":
		whole(v, streams)
		ended(v, racestat.EndBlocks)
	case "swap failed":
		whole(v, streams)
		r.Block.Fault = &metrics.Fault{Kind: metrics.FaultConfig,
			Message: "./serve.sh ended with exit status 3: no such model: llama-3.1-9b", Next: "start it by hand to see why"}
		ended(v, racestat.EndRestart)
	}
	return v
}

// swapSix is a race of six settings after 30 of 42 blocks.
func swapSix() *View {
	v, streams := scene(6, 0, -1)
	whole(v, streams)
	r := &v.Race
	r.Rounds, r.Bounds, r.Swap = nil, racestat.Bounds{}, &racestat.Swap{Command: []string{"./serve.sh", "{lane}"},
		Blocks: 7, Requests: 1}
	for n := range 42 {
		r.BlockOrder = append(r.BlockOrder, n*5%6)
	}
	for n, lane := range r.BlockOrder[:30] {
		b := racestat.Block{N: n + 1, Lane: lane, Results: make([]racestat.Result, 1)}
		b.Results[0].Values[figure.TTFT], b.Results[0].Values[figure.TPOT] = metrics.Known(200+20*float64(lane)+float64(n%7),
			1), metrics.Known(7, 1)
		b.Sum()
		r.Blocks = append(r.Blocks, b)
	}
	r.Verdicts = r.Swap.Verdicts(r.Blocks, 6, r.Band, false)
	return v
}

// sceneOf are the moments of the golden files.
func sceneOf(name string) *View {
	switch name {
	case "none":
		return &View{Figure: figure.TTFT, Glyphs: themes.UnicodeGlyphs(), Race: racestat.View{Began: metrics.NoStamp,
			Failing: -1}}
	case "waiting":
		v, _ := scene(2, 0, -1)
		v.Race = racestat.View{Began: metrics.NoStamp, Lanes: v.Race.Lanes, Phases: v.Race.Phases, Work: v.Race.Work,
			Bounds: racestat.DefaultBounds, Failing: -1}
		v.Tracks, v.Proposed = make([]Track, 2), racestat.LastOther
		return v
	case "racing": // B is live, A is shown again beside it
		v, s := scene(2, 4, -1)
		live(v, s, 1, 500*time.Millisecond)
		return v
	case "open":
		v, s := scene(3, 14, -1)
		live(v, s, 2, 100*time.Millisecond)
		return v
	case "paused":
		v, s := scene(2, 4, -1)
		live(v, s, 1, 500*time.Millisecond)
		v.Race.Holding = true
		return v
	case "decided":
		v, s := scene(2, 12, -1)
		whole(v, s)
		ended(v, racestat.EndSettled)
		return v
	case "replay": // the one nearest to the medians, at the end
		v, s := scene(2, 12, -1)
		for i := range s {
			v.Tracks = append(v.Tracks, trackOf(new(metrics.Meter), &s[i], false, false, 600*time.Millisecond))
		}
		ended(v, racestat.EndSettled)
		v.Heat = Heat{Pair: 7, Slow: 3, Nearest: true}
		return v
	case "statistics":
		v, s := scene(2, 12, -1)
		whole(v, s)
		ended(v, racestat.EndSettled)
		v.Statistics = true
		return v
	case "undecided":
		v, s := sceneFrom(3, 2, 30, -1)
		whole(v, s)
		ended(v, racestat.EndPairs)
		return v
	case "failing":
		v, s := scene(2, 9, 1)
		live(v, s, 0, 300*time.Millisecond)
		v.Tracks[1] = trackOf(new(metrics.Meter), &s[1], false, true, 0)
		return v
	case "six":
		v, s := scene(6, 20, -1)
		live(v, s, 3, 300*time.Millisecond)
		v.Reference = 2
		return v
	}
	if after, ok := map[string]int{"swap waiting": 0, "swap": 7, "swap judged": 12, "swap failed": 5}[name]; ok {
		return swapScene(after, name)
	}
	panic(fmt.Sprintf("unknown scene %q", name))
}

// live makes a lane live so long after it was sent; those before it are recorded,
// those after it have not run.
func live(v *View, streams []metrics.Stream, lane int, after time.Duration) {
	v.Tracks = make([]Track, len(streams))
	for i := range streams {
		switch {
		case i < lane:
			v.Tracks[i] = trackOf(new(metrics.Meter), &streams[i], false, false, after)
			v.Race.Phases[i] = racestat.Recorded
		case i == lane:
			s := streams[i]
			s.State, s.Now = metrics.Decoding, metrics.Stamp(after)
			s.Chunks = s.Chunks[:trackOf(new(metrics.Meter), &streams[i], false, false, after).Chunks]
			text := int32(0)
			if n := len(s.Chunks); n > 0 {
				text = s.Chunks[n-1].TextEnd
			}
			s.Text = s.Text[:text]
			s.Usage = metrics.NoUsage()
			v.Tracks[i] = trackOf(new(metrics.Meter), &s, true, false, 0)
			v.Race.Phases[i] = racestat.Running
		}
	}
}

func whole(v *View, streams []metrics.Stream) {
	v.Tracks = make([]Track, len(streams))
	for i := range streams {
		v.Tracks[i] = trackOf(new(metrics.Meter), &streams[i], false, true, 0)
	}
}
