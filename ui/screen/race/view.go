package race

import (
	"context"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
)

// View is the input of the picture.
type View struct {
	Race   racestat.View
	Tracks []Track // of the lanes
	Glyphs *themes.Glyphs
	By     report.Origin // of the statistics
	// Heat is the round that is shown again, all lanes from the same start; its zero value
	// is none.
	Heat Heat
	// Proposed says why these contestants are proposed; NotProposed where they were named.
	Proposed racestat.Proposal
	// Statistics shows what qualifies the verdicts in place of lanes and pairs.
	Statistics bool
	// Reference is the lane that ratios compare with. Figure is that of the table of
	// pairs.
	Reference int
	Figure    figure.ID
	// Last is how many rounds the table ends after; 0 is all, also those to come.
	Last int
}

// Track is what a lane shows of its request.
type Track struct {
	// Has is false while the lane has not run in this round.
	Has bool
	// Live: its request runs. Else it is shown as it was recorded.
	Live bool
	// After is the time since it was sent up to which it is shown; All: the whole
	// request.
	After time.Duration
	All   bool
	// Text is what had arrived by then, harmless; Chunks its number of chunks. Before is the
	// text of the round before, until there is a first one.
	Text   string
	Before string
	Chunks int
	// TTFT is unknown before the first chunk, Speed while it is not measured.
	TTFT, Speed, Total metrics.Value
	Gaps               []Gap
	Fault              *metrics.Fault
	// Late: tokscope's own lateness affects its figures.
	Late bool
}

// Gap is the wait before a chunk: from and to are ms after the request was sent.
type Gap struct {
	From, To float64
	Stall    bool
}

// textMost is the largest number of characters of a lane's text.
const textMost = 6000

// trackOf returns what a lane shows of s. live reports that it runs. A recorded one
// shows what had arrived so long after it was sent; all shows the whole.
// m measures this lane alone, so that it pays for new chunks only.
func trackOf(m *metrics.Meter, s *metrics.Stream, live, all bool, after time.Duration) Track {
	f := m.Measure(s, metrics.Options{})
	t := Track{Has: true, Live: live, After: after, All: all,
		TTFT: f.TTFT, Speed: f.Speed, Total: f.Total, Late: f.Delay.Code != ""}
	if live {
		t.Total = metrics.Unknown(metrics.WhyNotEnded)
		if d, ok := s.Now.Sub(s.Marks.Sent); ok {
			t.After = d
		}
	} else if s.Fault != nil && s.Fault.Kind != metrics.FaultCancelled {
		t.Fault = s.Fault
	}
	stall := map[int]bool{}
	for _, x := range f.Stalls {
		stall[x.Chunk] = true
	}
	last, text := 0.0, 0
	for i := range s.Chunks {
		d, ok := s.Chunks[i].At.Sub(s.Marks.Sent)
		if !ok || d > after && !live && !all {
			break
		}
		at := float64(d) / 1e6
		t.Gaps = append(t.Gaps, Gap{last, at, stall[i]})
		last, t.Chunks, text = at, i+1, int(s.Chunks[i].TextEnd)
	}
	t.Text = textOf(s, text)
	if t.over() && metrics.FinishKindOf(s.Finish) == metrics.FinishLimit {
		t.Text += "…" // the server cut it
	}
	return t
}

// textOf is the first n bytes of the text of s, harmless.
func textOf(s *metrics.Stream, n int) string {
	text := strings.ToValidUTF8(string(s.Text[:min(n, len(s.Text))]), "")
	return strings.TrimSpace(sanitize.Line(text, textMost))
}

// over reports whether all of its request is shown.
func (t *Track) over() bool { return t.Total.OK && (t.All || float64(t.After)/1e6 >= t.Total.V) }

// span returns the length of the common time axis, ms: the longest request that is
// shown, or that a lane usually takes.
func (v *View) span() float64 {
	span := 0.0
	for i := range v.Tracks {
		t := &v.Tracks[i]
		live := format.Either(t.Live, float64(t.After)/1e6, 0)
		span = max(span, t.Total.V, live, v.Race.Median(figure.Total, i).V*1.1)
	}
	return span
}

// ratio is that of the chosen figure of a lane to that of the chosen lane in a pair. ok is false
// where the pair has none, or is dropped.
func (v *View) ratio(round *racestat.Round, lane int) (ratio float64, ok bool) {
	x, of := &round.Results[lane], &round.Results[v.Reference]
	a, b := x.Values[v.Figure], of.Values[v.Figure]
	return a.V / b.V, lane != v.Reference && !round.Dropped && !x.Failed() && !of.Failed() && a.OK && b.OK
}

// label returns the label of a lane, harmless and at most w wide.
func (v *View) label(lane, w int) string { return format.Name(v.Race.Lanes[lane].Label, max(w, 1)) }

// Backend is the measuring side as the Race screen uses it. The screen exists only
// for a backend that implements it. All methods but RaceWait and RacePropose may be called from the
// UI's goroutine at any time and return at once.
type Backend interface {
	// Endpoint is the endpoint in use.
	Endpoint() metrics.Endpoint
	// RaceContest are the contestants as they were typed, without a target before any.
	RaceContest() racestat.Contest
	// RaceSet makes c the contestants of the next race, and ends the one before.
	RaceSet(c racestat.Contest) error
	// RaceStart starts a race and replaces a running one. round may be nil.
	RaceStart(p racestat.Plan, round func(racestat.View)) error
	// RaceHold lets no further request begin, or lets them begin again.
	RaceHold(on bool)
	// RaceStop ends the race; what is known stays.
	RaceStop()
	// RaceWait returns once the race has ended. The end of ctx stops it.
	RaceWait(ctx context.Context)
	// RaceView is the race now, or its final state.
	RaceView() racestat.View
	// RaceVersion changes whenever RaceView or RaceStream would differ by more
	// than the clock.
	RaceVersion() uint64
	// RaceStream is the request of a lane in the present or last round.
	RaceStream(lane int) (metrics.Stream, bool)
	// RaceHeat is all requests of a whole round, by lane: of the newest, or of the one
	// nearest to the medians. number is 0 before any. It changes with each round.
	RaceHeat(nearest bool) (number int, streams []metrics.Stream)
	// RacePropose says what to race where nobody has said it, and why. It may ask the
	// endpoint in use for its models until ctx ends: it runs off the UI's goroutine.
	RacePropose(ctx context.Context) (racestat.Contest, racestat.Proposal)
	// RaceSave writes the race beside the session's recording and returns the
	// path.
	RaceSave(ctx context.Context) (path string, err error)
}
