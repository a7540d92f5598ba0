package explain

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/ui/uitest"
)

// allScenes are the scenes of Explain.
var allScenes = []string{"empty", "decode", "chunk", "slow",
	"many", "preempt", "pools", "past", "dataflow", "hybrid",
	"phases", "seesaw", "goodput", "uses", "busy", "refused", "broken"}

// momentNow is the time of every scene, on the clock of the stamps.
const momentNow = metrics.Stamp(40e9)

// momentOf is a scene with a client's measurements. The caller owns the steps; what they
// point to is shared.
func momentOf(name string) serving.View {
	v := *uitest.Scene(name)
	v.Now, v.Steps = momentNow, slices.Clone(v.Steps)
	v.Observer = metrics.Observer{LateP50: 40e3, LateP99: 110e3, N: 900}
	f := &v.Figures
	f.ClientTTFT, f.ClientTPOT = f.TTFT, f.TPOT
	if f.TTFT.OK {
		f.ClientTTFT.V, f.ClientTPOT.V = f.TTFT.V+0.1, f.TPOT.V+0.01
	}
	t := &v.Tour
	t.Rows, t.Curve = slices.Clone(t.Rows), slices.Clone(t.Curve)
	v.Watched = heardOf(&v)
	return v
}

// answer is the text of every watched request, repeated.
var answer = []string{"A ", "server ", "reads ", "every ", "weight ", "once ", "for ", "all ", "of ", "its ", "users, ",
	"so ", "that ", "the ", "second ", "one ", "is ", "nearly ", "free: ", "that ", "is ", "why ", "batching ", "pays. "}

// heardOf is the watched request of v as its client sees it. Its chunks have
// the delay of a local connection.
func heardOf(v *serving.View) serving.Watched {
	w := v.Watched
	s := metrics.NoStream(v.Now)
	s.ID, s.State = 4, metrics.Decoding
	if len(w.Steps) == 0 {
		if w.User = max(w.User, 1); !w.TrueTTFT.OK {
			w.TrueTTFT = metrics.Unknown(metrics.WhyTokenToCome)
			w.EngineTTFT = w.TrueTTFT
		}
		s.State = metrics.Waiting
		w.Stream = s
		return w
	}
	for n, number := range w.Steps {
		st := &v.Steps[number-v.Steps[0].Number]
		at := v.Now - metrics.Stamp((v.Clock-st.End)/v.Knobs.Time*1e9)
		late := metrics.Stamp(70e3 + n*37%50*1000)
		s.Text = append(s.Text, answer[n%len(answer)]...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at + late, User: at + late,
			Read: int32(n), Event: int32(n), TextEnd: int32(len(s.Text)), Tokens: 1})
		w.True = append(w.True, at)
	}
	s.Marks.Sent = s.Chunks[0].At - metrics.Stamp(w.TrueTTFT.V*1e6) - 100e3
	s.LastData = s.Chunks[len(s.Chunks)-1].At
	w.Stream = s
	return w
}
