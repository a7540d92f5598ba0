package record

import (
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/probe/loadgen"
)

// maxLoadPoints bounds the recorded points of one load: with about 2 kB each
// at most 4 MB. The others are counted.
const maxLoadPoints = 2000

// LoadHead is how a load began.
type LoadHead struct {
	Wall     string   `json:"wall"` // wall clock, RFC 3339
	Endpoint Endpoint `json:"endpoint"`
	Workload Workload `json:"workload"`
	Input    string   `json:"input_tokens,omitempty"`  // drawn for each prompt, as --input-tokens takes them; absent when all are alike, as the workload says
	Output   string   `json:"output_tokens,omitempty"` // drawn bounds of answers, likewise
	Users    int      `json:"users"`                   // asked for at the beginning
	Rate     *float64 `json:"rate_per_s"`              // of an open loop; null in a closed one
	SLO      []string `json:"slo"`                     // the objectives, as --slo takes them
	Seed     string   `json:"seed"`                    // of lengths, nonces and arrivals
}

// LoadEnd is what a load came to.
type LoadEnd struct {
	Sent      int            `json:"sent"`
	Done      int            `json:"ended_well"`
	Failed    int            `json:"failed"`
	Cancelled int            `json:"cancelled"`        // by this program: neither well nor failed
	Faults    map[string]int `json:"faults,omitempty"` // by kind
	Received  *float64       `json:"output_tokens"`    // received by all requests
	Tokens    *float64       `json:"tokens_used"`      // prompt and output of everything sent
	Cost      *float64       `json:"cost"`             // null without prices
	Currency  string         `json:"cost_currency,omitempty"`
	Stopped   string         `json:"stopped,omitempty"` // why it ended by itself
	Broken    string         `json:"broken,omitempty"`  // why it was broken off
	Summary   string         `json:"summary"`           // the last figures in one sentence
	LeftOut   int            `json:"points_left_out"`   // points that were too many to record
}

// RecordedLoad is one load of a recording. End is nil when the program ended
// before the load.
type RecordedLoad struct {
	ID     int
	At     metrics.Stamp
	Head   LoadHead
	Points []SweepPoint
	SLO    []string // the last objectives
	End    *LoadEnd
}

// Load records a load: it is a load.Journal.
func (s *File) Load(v *metrics.View) loadgen.Entries {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	e := &loadEntries{file: s, id: s.loads}
	h := LoadHead{
		Wall: time.Now().UTC().Format(time.RFC3339Nano), Endpoint: endpointOf(v.Endpoint), Workload: workloadOf(v.Work),
		Input: drawn(v.Input), Output: drawn(v.Output), Users: v.Target, SLO: sloWords(v.SLOs), Seed: strconv.FormatUint(v.Seed, 10),
	}
	if v.Rate > 0 {
		h.Users, h.Rate = 0, finite(v.Rate)
	}
	s.l.begin("load")
	s.l.int("load", int64(e.id))
	s.l.stamp("at_ns", v.Began)
	s.l.any("head", h)
	s.write()
	s.flush()
	return e
}

// loadEntries are the lines of one load: a load.Entries.
type loadEntries struct {
	file    *File
	id      int
	points  int
	leftOut int
}

// Point implements load.Entries. The pictures of the distributions are left out.
func (e *loadEntries) Point(p *metrics.Point) {
	if e.points == maxLoadPoints {
		e.leftOut++
		return
	}
	e.points++
	point := SweepPointOf(p)
	point.GapBins, point.TTFTBins = nil, nil
	e.line("load_point", p.To, "point", point)
}

// Objectives implements load.Entries.
func (e *loadEntries) Objectives(at metrics.Stamp, slos []metrics.Objective) {
	if e.points == maxLoadPoints {
		return
	}
	e.points++ // they count against the same bound
	e.line("load_slo", at, "slo", sloWords(slos))
}

// End implements load.Entries.
func (e *loadEntries) End(v *metrics.View) {
	end := LoadEnd{
		Sent: v.Sent, Done: v.Done, Failed: v.Failed, Cancelled: v.Cancelled, Received: finite(v.TokensReceived),
		Tokens: finite(v.Budget.Tokens), Cost: value(v.Budget.Cost), Currency: v.Budget.Currency,
		Stopped: v.Stopped, Broken: v.Broken, Summary: metrics.LoadSentence(v), LeftOut: e.leftOut,
	}
	for _, f := range v.Faults {
		if end.Faults == nil {
			end.Faults = map[string]int{}
		}
		end.Faults[string(f.Kind)] += f.N
	}
	e.line("load_end", v.Now, "end", end)
}

// line writes one line and hands it to the system.
func (e *loadEntries) line(kind string, at metrics.Stamp, field string, v any) {
	s := e.file
	s.mu.Lock()
	defer s.mu.Unlock()
	s.l.begin(kind)
	s.l.int("load", int64(e.id))
	s.l.stamp("at_ns", at)
	s.l.any(field, v)
	s.write()
	s.flush()
}

// sloWords are the objectives as --slo takes them, none as an empty list.
func sloWords(slos []metrics.Objective) []string {
	out := []string{}
	for _, o := range slos {
		out = append(out, o.String())
	}
	return out
}

// takeLoad adds a line of a load to the recording; ours is false for any other.
func (rec *Recording) takeLoad(l *fileLine) (ours bool) {
	if l.Type == "load" {
		h := LoadHead{}
		if l.Head != nil {
			h = *l.Head
		}
		rec.Loads = append(rec.Loads, &RecordedLoad{ID: l.Load, At: metrics.Stamp(l.AtNs), Head: h, SLO: h.SLO})
		return true
	}
	var have *RecordedLoad
	for _, q := range rec.Loads {
		if q.ID == l.Load {
			have = q
		}
	}
	switch {
	case l.Type != "load_point" && l.Type != "load_slo" && l.Type != "load_end":
		return false
	case have == nil: // a line of a load that has not begun says nothing
	case l.Type == "load_point" && l.Point != nil:
		have.Points = append(have.Points, *l.Point)
	case l.Type == "load_slo":
		have.SLO = l.SLO
	case l.Type == "load_end":
		have.End = l.End
	}
	return true
}

// LoadDocumentOf is the document of a load on the screen: the one of a sweep,
// with a point for each stay at a number of users in place of its steps, the
// live window last.
func LoadDocumentOf(version string, began time.Time, v *metrics.View) Sweep {
	points := v.Path
	if live := &v.Live; live.Total.OK && (len(points) == 0 || points[len(points)-1].From != live.From) {
		points = append(points[:len(points):len(points)], *live)
	}
	d := SweepData{
		Started: began, Work: v.Work, Endpoint: v.Endpoint, Load: SweepLoad{Open: v.Rate > 0, Input: drawn(v.Input), Output: v.Output.String()}, SLOs: v.SLOs, Planned: len(points),
		Stopped: v.Stopped, Interrupted: v.Running, View: *v, Summary: metrics.LoadSentence(v), Knee: -1, Largest: -1, BreaksAt: -1,
		Seed: strconv.FormatUint(v.Seed, 10),
	}
	if v.Broken != "" {
		d.Stopped = v.Broken
	}
	of := func(users int, ok bool) int { // the last steady point at so many users
		for i := len(points) - 1; ok && i >= 0; i-- {
			if points[i].Users == users && points[i].Steady {
				return i
			}
		}
		return -1
	}
	for _, p := range points {
		d.Steps = append(d.Steps, SweepStepData{Point: p})
	}
	if i, ok := metrics.Knee(points); ok {
		d.Knee = i
	}
	if len(v.SLOs) > 0 {
		d.Largest = of(metrics.LargestMeeting(points, v.SLOs))
		name, users, ok := metrics.BreaksFirst(points, v.SLOs)
		d.Breaks, d.BreaksAt = name, of(users, ok)
	}
	return SweepOf(version, d)
}
