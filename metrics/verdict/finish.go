package verdict

import (
	"math"
	"slices"

	"tokscope/metrics"
)

// finishGrades are the finish reasons that a person must know of. A model that ends
// its answer, and a limit that a request sets, are as they should be.
var finishGrades = map[metrics.FinishKind]Grade{
	metrics.FinishFilter: Bad, metrics.FinishMissing: Notable, metrics.FinishOther: Notable,
	metrics.FinishPause: Notable,
}

// finish says how an answer ended that ended well, and whether it shows anything.
func (r *rules) finish() {
	s, f := r.Stream, r.Figures
	reason := s.FinishReason()
	grade, named := finishGrades[metrics.FinishKindOf(reason)]
	c := Finding{Code: Finish, Grade: grade, Evidence: ByMarks, Part: reason, N: f.Chunks, Chunks: true}
	if f.Tokens.OK {
		c.N, c.Chunks, c.About = int(math.Round(f.Tokens.V)), false, f.TokenSource == metrics.TokensEstimated
	}
	switch {
	case f.Unseen(s):
		c.Code, c.Grade, c.Evidence, c.Mixed = Unseen, Bad, ByText|ByMarks, f.Answer.Chunks > 0
	case named && s.State == metrics.Done:
	case f.Refused(s):
		c.Code, c.Grade, c.Evidence = Refused, Notable, ByText
	default:
		return
	}
	r.add(c)
}

// finishes says the same of several requests, of which good ended well: a finding for
// each reason, the most frequent first.
func finishes(s *metrics.Summary, good []*metrics.Run) (found []Finding) {
	for _, reason := range metrics.Frequent(s.Unseen) {
		blank := slices.ContainsFunc(good, func(r *metrics.Run) bool {
			return r.Figures.Unseen(&r.Stream) && r.Stream.FinishReason() == reason && r.Figures.Answer.Chunks > 0
		})
		found = append(found, Finding{Code: Unseen, Grade: Bad, Evidence: ByText | ByMarks, Part: reason,
			Having: s.Unseen[reason], Among: s.Done, Mixed: blank})
	}
	for _, reason := range metrics.Frequent(s.Finishes) {
		if grade, named := finishGrades[metrics.FinishKindOf(reason)]; named {
			found = append(found, Finding{Code: Finish, Grade: grade, Evidence: ByMarks, Part: reason,
				Having: s.Finishes[reason], Among: s.Done})
		}
	}
	if s.Refused > 0 {
		found = append(found, Finding{Code: Refused, Grade: Notable, Evidence: ByText, Having: s.Refused, Among: s.Done})
	}
	return found
}
