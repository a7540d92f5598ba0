package slo

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// LensOfEngine returns the figures of an engine since the last change of its
// knobs, in engine time. They exclude slow motion and the path to the client.
// output is the length of every answer, in tokens.
//
// The lens judges the mean of the engine's requests, because the Explain
// screen shows it and the model predicts it. The gap is the longest of all
// requests, since single requests are not kept. The time of a whole request
// follows from the means:
//
//	total = TTFT + (output − 1)·TPOT
func LensOfEngine(f *serving.EngineFigures, output int) LensFigures {
	none := metrics.Unknown(metrics.WhyEngineP95)
	mean := func(v, p95 metrics.Value) LensFigure {
		if !v.OK && f.Requests == 0 {
			v = metrics.Unknown(metrics.WhyNoneEndedYet) // since the change: Kind and Requests say this for all figures
		}
		return LensFigure{Typical: v, Tail: p95, What: "mean"}
	}
	return LensFigures{
		TTFT: mean(f.TTFT, f.TTFTP95), TPOT: mean(f.TPOT, f.TPOTP95), Speed: mean(f.Speed, inverse(f.TPOTP95)),
		Gap:   LensFigure{Typical: f.MaxGap, Tail: none, What: "longest"},
		Total: mean(whole(f.TTFT, f.TPOT, output), none), Throughput: LensFigure{Typical: f.Total, Tail: none, What: "mean"},
		Requests: f.Requests, Kind: FiguresMeans, Waited: metrics.Unknown(metrics.WhyEngineServesMany),
	}
}

// LensOfPrediction returns the same figures as the model predicts them, the
// zero LensFigures without a prediction. The longest gap is unknown: the model predicts
// a p99.
func LensOfPrediction(p *serving.Prediction) LensFigures {
	if p.Err != "" || p.Knobs.Users == 0 {
		return LensFigures{}
	}
	none := metrics.Unknown(metrics.WhyNotPredicted)
	one := func(v metrics.Value) LensFigure { return LensFigure{Typical: v, Tail: none, What: "mean"} }
	return LensFigures{
		TTFT: one(p.TTFT), TPOT: one(p.TPOT), Speed: one(p.Speed),
		Gap: one(none), Total: one(whole(p.TTFT, p.TPOT, p.Knobs.Output)),
		Throughput: one(p.Total), Requests: 1, Kind: FiguresPredicted, Waited: none,
	}
}

// whole returns the time of a request with output tokens, ms. A request of a
// single token has no TPOT and needs none.
func whole(ttft, tpot metrics.Value, output int) metrics.Value {
	if output <= 1 {
		return ttft
	}
	return AgentTask{Steps: 1, Tokens: output - 1}.Time(ttft, tpot)
}
