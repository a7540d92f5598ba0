package result

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// LoadMark is the JSON form of loadstat.Mark: what a person changed while the
// load ran. From and To hold only what differs.
type LoadMark struct {
	What string      `json:"what"` // "endpoint", "model", "workload", "rate", "users" or "objectives"
	Undo bool        `json:"undo"` // it took back an earlier change
	From LoadSetting `json:"from"`
	To   LoadSetting `json:"to"`
}

// LoadSetting is what a load sends, as far as a mark says. Absent fields did not
// change.
type LoadSetting struct {
	Endpoint *metrics.Endpoint `json:"endpoint,omitempty"`
	Workload *metrics.Workload `json:"workload,omitempty"`
	// Input and Output go with the workload: drawn for each prompt, in the form of
	// --input-tokens; "" when all are equal, as in the workload.
	Input        *string `json:"input_tokens,omitempty"`
	Output       *string `json:"output_tokens,omitempty"` // drawn output limits, likewise
	SharedPrefix *bool   `json:"shared_prefix,omitempty"` // goes with the workload
	// the objectives, in the form of --slo; with what "objectives" absent means none
	SLO []string `json:"slo,omitempty"`
	// Drive is absent where it did not change. It has the begin of a ramp, or what is left
	// of one.
	Drive *loadstat.Drive `json:"drive,omitempty"`
}

// LoadMarkOf returns the JSON form of m.
func LoadMarkOf(m *loadstat.Mark) LoadMark {
	return LoadMark{What: string(m.Kind), Undo: m.Undo, From: settingOf(m.From, m.To), To: settingOf(m.To, m.From)}
}

// settingOf returns what s has and other has not.
func settingOf(s, other *loadstat.Setting) (out LoadSetting) {
	if !loadstat.SameModel(s, other) {
		e := s.Endpoint
		out.Endpoint = &e
	}
	if !loadstat.SamePrompts(s, other) {
		w, in, to, shared := s.Work, Drawn(s.Input), Drawn(s.Output), s.SharedPrefix
		out.Workload, out.Input, out.Output, out.SharedPrefix = &w, &in, &to, &shared
	}
	if !slices.Equal(s.SLOs, other.SLOs) {
		out.SLO = SLOWords(s.SLOs)
	}
	if !loadstat.SameDrive(s, other) {
		d := s.Drive
		d.Poisson = d.Poisson && d.Open()
		if !d.Ramps() {
			d.To, d.Within = 0, 0
		}
		out.Drive = &d
	}
	return out
}

// On returns s with what l holds.
func (l *LoadSetting) On(s loadstat.Setting, kind loadstat.MarkKind) loadstat.Setting {
	if l.Endpoint != nil {
		s.Endpoint = *l.Endpoint
	}
	if l.Workload != nil {
		s.Work, s.Input, s.Output, s.SharedPrefix = *l.Workload,
			metrics.Lengths{}, metrics.Lengths{}, l.SharedPrefix != nil && *l.SharedPrefix
		if l.Input != nil {
			s.Input = DrawnLengths(*l.Input)
		}
		if l.Output != nil {
			s.Output = DrawnLengths(*l.Output)
		}
	}
	if l.SLO != nil || kind == loadstat.MarkObjectives {
		s.SLOs = Objectives(l.SLO)
	}
	if l.Drive != nil {
		s.Drive = possible(*l.Drive)
	}
	return s
}

// RestoreMarks returns the marks of a load that began with now, in order, and
// its works. What a mark does not hold is as before it.
func RestoreMarks(now loadstat.Setting, recorded []SweepChange) (marks []loadstat.Mark, setups []loadstat.Setting) {
	setups = []loadstat.Setting{now}
	for i := range recorded {
		r := &recorded[i]
		if !r.At.Known() {
			continue
		}
		kind := loadstat.MarkKind(r.What)
		from, to := r.From.On(now, kind), r.To.On(now, kind)
		if kind = loadstat.Difference(&from, &to); kind == "" {
			continue // of a later version
		}
		marks = append(marks, loadstat.Mark{At: r.At, Kind: kind, From: &from, To: &to, Undo: r.Undo})
		_, setups = loadstat.IndexOfWork(setups, &to)
		now = to
	}
	return marks, setups
}

// SweepChange is a mark of a load, or of a recording, with its time.
type SweepChange struct {
	At    metrics.Stamp `json:"at_ns"`             // on the clock of the points
	After *float64      `json:"after_s,omitempty"` // seconds since the load began
	LoadMark
}

// SweepEarlier is the points of a work that a load measured before another.
type SweepEarlier struct {
	Setup    int              `json:"setup"` // as of its points
	Workload metrics.Workload `json:"workload"`
	Endpoint metrics.Endpoint `json:"endpoint"`
	Input    string           `json:"input_tokens,omitempty"`  // drawn for each prompt, as in load
	Output   string           `json:"output_tokens,omitempty"` // drawn output limits, likewise
	Points   []SweepPoint     `json:"points"`
}

// changesOf returns the marks of v, nil without any.
func changesOf(v *loadstat.View) (all []SweepChange) {
	for i := range v.Marks {
		m := &v.Marks[i]
		c := SweepChange{At: m.At, LoadMark: LoadMarkOf(m)}
		if d, ok := m.At.Sub(v.Began); ok {
			c.After = finite(time.Duration(d).Seconds())
		}
		all = append(all, c)
	}
	return all
}

// mostSeconds is the latest time of a mark that a reader accepts: 30 years.
const mostSeconds = 1e9

// Changes returns the marks of the document, with their times since the load began. One
// without a time is left out.
func (s *Sweep) Changes() []loadstat.Mark {
	timed := slices.Clone(s.Marks[:min(len(s.Marks), MaxLoadPoints)])
	for i := range timed {
		c := &timed[i]
		if c.At = metrics.NoStamp; c.After != nil && *c.After >= 0 && *c.After < mostSeconds {
			c.At = metrics.Stamp(*c.After * float64(time.Second))
		}
	}
	marks, _ := RestoreMarks(loadstat.Setting{Work: s.Workload, Endpoint: s.Endpoint, SLOs: Objectives(s.SLO)}, timed)
	return marks
}

// earlierOf returns the points of the works other than the present one, nil
// without any.
func earlierOf(v *loadstat.View, say Sentences) (all []SweepEarlier) {
	for i := range v.Setups {
		s := &v.Setups[i]
		e := SweepEarlier{Setup: i, Workload: s.Work,
			Endpoint: s.Endpoint, Input: Drawn(s.Input), Output: Drawn(s.Output)}
		for k := range v.Path {
			if p := &v.Path[k]; p.Setup == i && i != v.Setup {
				e.Points = append(e.Points, SweepPointOf(p, say))
			}
		}
		if len(e.Points) > 0 {
			all = append(all, e)
		}
	}
	return all
}
