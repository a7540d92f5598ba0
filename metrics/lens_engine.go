package metrics

import "strconv"

// LensOfEngine returns the figures of an engine since its last turn, as its own
// clock counted them: slow motion and the way to the client are not in them.
// output is the length of every answer, in tokens.
//
// Of the engine's requests the mean is judged, because that is what the Explain
// screen shows of them and what the model predicts; the gap is the longest that
// any of them had, since no figure of single requests is kept. The time of a
// whole request follows from the means:
//
//	total = TTFT + (output − 1)·TPOT
func LensOfEngine(f *EngineFigures, output int) LensFigures {
	none := Unknown("an engine keeps no p95 of it")
	mean := func(v, p95 Value) LensFigure {
		if !v.OK && f.Requests == 0 {
			v = Unknown("no request ended yet") // since the turn: Name says it of all
		}
		return LensFigure{Typical: v, Tail: p95, What: "mean"}
	}
	name := "mean of " + strconv.Itoa(f.Requests) + " requests"
	switch f.Requests {
	case 0:
		name = "not measured yet"
	case 1:
		name = "one request"
	}
	return LensFigures{
		TTFT: mean(f.TTFT, f.TTFTP95), TPOT: mean(f.TPOT, f.TPOTP95), Speed: mean(f.Speed, inverse(f.TPOTP95)), Gap: LensFigure{Typical: f.MaxGap, Tail: none, What: "longest"},
		Total: mean(whole(f.TTFT, f.TPOT, output), none), Throughput: LensFigure{Typical: f.Total, Tail: none, What: "mean"}, Requests: f.Requests, Kind: name, Waited: Unknown("an engine serves many"),
	}
}

// LensOfPrediction returns the same as the model predicts it; Name is "" where
// it predicts nothing. Its longest gap is unknown: it has a p99.
func LensOfPrediction(p *Prediction) LensFigures {
	if p.Err != "" || p.Knobs.Users == 0 {
		return LensFigures{}
	}
	none := Unknown("the model predicts no such figure")
	one := func(v Value) LensFigure { return LensFigure{Typical: v, Tail: none, What: "mean"} }
	return LensFigures{
		TTFT: one(p.TTFT), TPOT: one(p.TPOT), Speed: one(p.Speed), Gap: one(none), Total: one(whole(p.TTFT, p.TPOT, p.Knobs.Output)),
		Throughput: one(p.Total), Requests: 1, Kind: "predicted", Waited: none,
	}
}

// whole is the time of a request with an answer of so many tokens, ms. One of a
// single token has no TPOT and needs none.
func whole(ttft, tpot Value, output int) Value {
	if output <= 1 {
		return ttft
	}
	return AgentTask{Steps: 1, Tokens: output - 1}.Time(ttft, tpot)
}
