package result

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// SweepPoint is the JSON form of loadstat.Point: the state of a load over one
// window at a constant number of users, or at a constant rate.
type SweepPoint struct {
	*loadstat.Point
	Why    string `json:"why_not_steady,omitempty"` // as a sentence; not_steady is the same for a program
	Failed int    `json:"failed"`
	// Faults are those that failed, by kind. Outside is the part of failed and faults
	// that failed outside the window of a sweep's step, such as before it. All other
	// figures are those of the window.
	Faults []metrics.FaultCount `json:"faults,omitempty"`
}

// SweepPointOf returns the JSON form of p.
func SweepPointOf(p *loadstat.Point, say Sentences) SweepPoint {
	all, faults := p.Failures()
	return SweepPoint{p, say.One(p.Why), all, faults}
}

// Measured returns the point from which s was made. It fills in what JSON does
// not carry: the N of single figures is the number of requests.
func (s *SweepPoint) Measured() (loadstat.Point, error) {
	if s.Point == nil {
		return loadstat.Point{}, errors.New("a point is missing")
	}
	p := *s.Point
	p.Failed = s.Failed
	for _, f := range s.Faults {
		outside := 0
		if i := slices.IndexFunc(s.Outside, func(o metrics.FaultCount) bool { return o.Kind == f.Kind }); i >= 0 {
			outside = min(max(s.Outside[i].N, 0), max(f.N, 0))
		}
		p.Failed -= min(outside, max(p.Failed, 0))
		if f.N > outside {
			p.Faults = metrics.AddFaults(p.Faults, metrics.FaultCount{Kind: f.Kind, N: f.N - outside})
		}
	}
	for _, v := range []*metrics.Value{&p.Speed, &p.SpeedP5, &p.Total, &p.Peak, &p.GoodTokens, &p.Running,
		&p.Prefill, &p.Waiting, &p.Rate, &p.GoodRate} {
		if v.OK {
			v.N = s.Requests
		}
	}
	switch seconds := float64(p.To-p.From) / 1e9; {
	case p.Asked == 0:
		p.Arrived, p.Backlog = metrics.Value{}, metrics.Value{}
	case p.Arrived.OK:
		p.Arrived.N = int(math.Round(p.Arrived.V * seconds))
	default:
		p.Arrived, p.Backlog = metrics.Unknown(metrics.WhyJustBegun), metrics.Unknown(metrics.WhyJustBegun)
	}
	if f := p.Fit; f != nil {
		for _, v := range []*metrics.Value{&f.A, &f.B, &f.Off, &f.R2, &f.Longest} {
			if v.OK {
				v.N = f.N
			}
		}
	}
	for _, m := range p.Misses {
		if m.SLO == (slo.Objective{}) {
			return p, errors.New("an objective of another version")
		}
	}
	return p, nil
}

// ServerStep is the JSON form of loadstat.ServerStep: the server's own counts
// before and after a step. They include the time in which users join, and the
// requests of the server's other clients.
type ServerStep struct {
	// whose names the page uses: "vllm", "sglang", "llamacpp" or "tgi"; "" when nothing was read
	Names string `json:"names"`
	*loadstat.ServerStep
}

// serverStepOf returns the JSON form of s; nil where nothing was to be read.
func serverStepOf(s *loadstat.ServerStep) *ServerStep {
	if s.Before.From == "" && s.After.From == "" && s.Why == "" {
		return nil
	}
	return &ServerStep{cmp.Or(s.Before.From, s.After.From), s}
}

// Lengths is the JSON form of loadstat.Lengths: mean lengths of the requests
// of a step that ended well. A mean without a request is null.
type Lengths struct {
	Prompts       int           `json:"prompts"` // with an asked length and a count by the server
	PromptAsked   metrics.Value `json:"prompt_tokens_asked"`
	PromptCounted metrics.Value `json:"prompt_tokens_by_server"`
	Answers       int           `json:"answers"` // with a limit and a count by the server
	AnswerAsked   metrics.Value `json:"output_limit"`
	AnswerCounted metrics.Value `json:"output_tokens_by_server"`
}

// lengthsOf returns the JSON form of l; nil without a request.
func lengthsOf(l *loadstat.Lengths) *Lengths {
	if l.Prompts.N+l.Answers.N == 0 {
		return nil
	}
	promptAsked, promptCounted := l.Prompts.Means()
	answerAsked, answerCounted := l.Answers.Means()
	return &Lengths{l.Prompts.N, promptAsked, promptCounted, l.Answers.N, answerAsked, answerCounted}
}
