package verdict

import (
	"cmp"

	"tokscope/metrics"
)

// doubtGrades are the doubts that a verdict names, how much they matter and
// what they rest on. A doubt without a line here stays among the notes.
// SuspectTruncated is the state itself.
var doubtGrades = map[metrics.SuspectCode]struct {
	grade Grade
	by    Evidence
}{
	metrics.SuspectBuffered:      {Spoils, ByReads | ByGaps},
	metrics.SuspectTerminalBurst: {Spoils, ByReads},
	metrics.SuspectHeld:          {Spoils, ByReads | ByGaps},
	metrics.SuspectHeldDecode:    {Spoils, ByServerTimes | ByGaps},
	metrics.SuspectOneChunk:      {Notable, ByReads},
	metrics.SuspectWithheld:      {Notable, ByGaps | ByText},
	metrics.SuspectSilence:       {Notable, ByGaps},
	metrics.SuspectMultiToken:    {Notable, ByUsage},
	metrics.SuspectFirstChunk:    {Notable, ByUsage},
	metrics.SuspectFirstMean:     {Notable, ByUsage},
	metrics.SuspectFewTokens:     {Notable, ByUsage},
	metrics.SuspectUsageZero:     {Notable, ByUsage},
	metrics.SuspectUsageOver:     {Notable, ByUsage},
	metrics.SuspectUsageAsked:    {Notable, ByUsage},
	metrics.SuspectUsageUnder:    {Notable, ByUsage},
	metrics.SuspectUsageFell:     {Notable, ByUsage},
	metrics.SuspectPromptOver:    {Notable, ByUsage},
	metrics.SuspectPromptCut:     {Spoils, ByUsage},
	metrics.SuspectHidden:        {Notable, ByUsage},
	metrics.SuspectLeftOpen:      {Notable, ByMarks},
	metrics.SuspectCutOff:        {Notable, ByMarks},
	metrics.SuspectSummarized:    {Notable, ByUsage | ByText},
	metrics.SuspectUnsent:        {Notable, ByUsage | ByText},
	metrics.SuspectExcluded:      {Notable, ByUsage},
	metrics.SuspectCompressed:    {Notable, ByHeaders},
	metrics.SuspectLate:          {Spoils, ByLag},
	metrics.SuspectStopped:       {Spoils, ByLag},
	metrics.SuspectMixed:         {Notable, ByMarks},
	metrics.SuspectBody:          {Notable, ByMarks},
	metrics.SuspectClock:         {Spoils, ByLag},
	metrics.SuspectServer:        {Notable, ByServerTimes | ByMarks},
	metrics.SuspectCached:        {Spoils, ByUsage},
	metrics.SuspectChoices:       {Notable, ByText},
	metrics.SuspectOthers:        {Notable, ByName},
	metrics.SuspectOrder:         {Notable, ByMarks},
}

// doubts turns the doubts about the figures into findings, and adds those
// that need more than the figures.
func (r *rules) doubts() {
	s, f := r.Stream, r.Figures
	if metrics.CompareModels(s.Endpoint.Model, s.Model) == metrics.ModelOther {
		r.add(Finding{Code: OtherModel, Grade: Spoils, Evidence: ByName, Name: s.Model})
	}
	if was := s.Served.Otherwise(s.Asked); was != (metrics.Service{}) {
		r.add(Finding{Code: OtherTier, Grade: Spoils, Evidence: ByName,
			Name: cmp.Or(s.Served.Tier, s.Served.Speed), Part: cmp.Or(was.Tier, was.Speed)})
	}
	if s.Served.Attempts() {
		r.add(Finding{Code: Attempts, Grade: Spoils, Evidence: ByHeaders, N: s.Served.Fallbacks, Of: s.Served.Retries})
	}
	bundled := false
	for i := range f.Suspect {
		d := &f.Suspect[i]
		g, named := doubtGrades[d.Code]
		if !named {
			continue
		}
		grade, owner := g.grade, OwnerUndecided
		switch d.Code {
		case metrics.SuspectLate:
			if owner = OwnerTokscope; d.Delay.Code == metrics.DelayReads { // the stamps stand
				grade, bundled = Notable, true
			}
		case metrics.SuspectStopped:
			owner = OwnerTokscope
		}
		bundled = bundled || d.Code.Holds()
		r.add(Finding{Code: Code(d.Code), Grade: grade, Evidence: g.by, Owner: owner, Suspect: d})
	}
	if of := f.GapsUnknown + f.Gaps.N; !bundled && f.GapsUnknown > 0 && float64(f.GapsUnknown) >= sharedShare*float64(of) {
		r.add(Finding{Code: SharedReads, Grade: Notable, Evidence: ByReads, N: f.GapsUnknown, Of: of})
	}
	if s.State.Ended() && f.Tokens.OK && f.TokenSource == metrics.TokensEstimated {
		r.add(Finding{Code: Estimated, Grade: Notable, Evidence: ByText})
	}
}
