package comparison

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
)

// Point is something that must be equal for figures to be compared. Its values are
// those of --allow and of the JSON.
type Point string

// The points.
const (
	PointModel      Point = "model"
	PointWorkload   Point = "workload"   // prompt, lengths and settings
	PointConnection Point = "connection" // new or reused, version of HTTP, proxy
	PointUsers      Point = "users"      // requests at the same time, or the rate of an open loop
	PointStamps     Point = "stamps"     // who took the times of arrival
	// what a token is, by who counted them, and a value: of a request or a point of a load
	PointDefinition Point = "definition"
)

// Points are all points, the most important first.
var Points = []Point{PointModel, PointWorkload, PointConnection, PointUsers, PointStamps, PointDefinition}

// Drawn stands for lengths that differ from request to request.
const Drawn = -1

// Setup is how requests were made. An empty text or 0 is unknown, or not asked for.
type Setup struct {
	Model string `json:"model,omitempty"`
	// Workload is the preset's name or "custom", and Prompt tells custom ones apart.
	Workload string `json:"workload,omitempty"`
	Prompt   string `json:"prompt_digest,omitempty"`
	// Settings are the headers and fields of the body beyond the workload.
	Settings string `json:"settings,omitempty"`
	// InputTokens and MaxTokens are asked for; Drawn: not equal.
	InputTokens int `json:"input_tokens_asked,omitempty"`
	MaxTokens   int `json:"max_tokens,omitempty"`
	// Connection is "cold" for a new one each, else "reused".
	Connection string  `json:"connection,omitempty"`
	Proto      string  `json:"protocol,omitempty"`
	Proxy      string  `json:"proxy,omitempty"`
	Users      int     `json:"users"`                          // 0 in an open loop
	Rate       float64 `json:"rate_per_s,omitempty"`           // of an open loop; else 0
	Stamps     string  `json:"stamps,omitempty"`               // "kernel", "user", "body" or "mixed"
	Counted    string  `json:"output_tokens_source,omitempty"` // who counted tokens
	Each       string  `json:"value_of_each,omitempty"`        // what one value is of: EachRequest or EachPoint
}

// What one value of a figure is of.
const (
	EachRequest = "request"
	EachPoint   = "point" // the median of a point of a load
)

// Differs returns the points in which a and b are not equal. A text that one of
// them does not know differs in none.
func (a *Setup) Differs(b *Setup) []Point {
	text := func(x, y string) bool { return x != "" && y != "" && x != y }
	differ := map[Point]bool{
		PointModel: text(a.Model, b.Model),
		PointWorkload: text(a.Workload, b.Workload) || text(a.Prompt, b.Prompt) || a.Settings != b.Settings ||
			a.InputTokens != b.InputTokens || a.MaxTokens != b.MaxTokens,
		PointConnection: text(a.Connection, b.Connection) || text(a.Proto, b.Proto) || text(a.Proxy, b.Proxy),
		PointUsers:      a.Users != b.Users || a.Rate != b.Rate,
		PointStamps:     text(a.Stamps, b.Stamps),
		PointDefinition: text(a.Counted, b.Counted) || text(a.Each, b.Each),
	}
	return slices.DeleteFunc(slices.Clone(Points), func(p Point) bool { return !differ[p] })
}

// Group is the requests of one setup. It keeps their figures alone: a file may hold a
// million of them.
type Group struct {
	Setup
	// Medians are figures of which the source has no single values, with the
	// number of requests behind each: a document of a sweep.
	Medians history.Figures
	// Requests are those that nobody stopped, and Failed how many of them did not end
	// well. Suspect ones and Canceled ones have no values.
	Requests, Failed, Suspect, Canceled int

	values [history.NumFigures][]timed
	ids    []string // of entries of a history
}

// timed is a value of a figure.
type timed struct {
	at int64 // of its request, ns since 1970
	v  float64
}

// Add adds a request. A point of a load counts as one value, and as all of its requests.
func (g *Group) Add(e *history.Entry) {
	n, failed := Count(e)
	if e.ID != "" {
		g.ids = append(g.ids, e.ID)
	}
	if e.State == metrics.Cancelled {
		g.Canceled += n
		return
	}
	g.Requests += n
	g.Failed += failed
	switch {
	case failed >= n:
		return
	case e.Suspect:
		g.Suspect += n - failed
		return
	}
	for f, v := range e.Figures {
		if v.OK && v.V >= 0 && !math.IsInf(v.V, 0) {
			g.values[f] = append(g.values[f], timed{e.At.UnixNano(), v.V})
		}
	}
}

// Values returns those of a figure in the order of time.
func (g *Group) Values(f history.Figure) []float64 {
	slices.SortStableFunc(g.values[f], func(x, y timed) int { return cmp.Compare(x.at, y.at) })
	return pick.Each(g.values[f], func(x *timed) float64 { return x.v })
}

// join adds the requests of another group.
func (g *Group) join(o *Group) {
	g.Requests, g.Failed = g.Requests+o.Requests, g.Failed+o.Failed
	g.Suspect, g.Canceled = g.Suspect+o.Suspect, g.Canceled+o.Canceled
	for f := range g.values {
		g.values[f] = slices.Concat(g.values[f], o.values[f])
	}
	g.ids = slices.Concat(g.ids, o.ids)
}

// Kind says what a sample was read from.
type Kind string

// The kinds.
const (
	KindProbe    Kind = "probe"    // the document of `probe --json`
	KindLines    Kind = "lines"    // those of `probe --ndjson`
	KindSession  Kind = "session"  // a session file
	KindForeign  Kind = "foreign"  // a file of another program
	KindSweep    Kind = "sweep"    // the document of `sweep --json`
	KindRequests Kind = "requests" // the lines of `sweep --request-lines`
	KindBaseline Kind = "baseline" // of the history
	KindHistory  Kind = "history"  // what a filter matches
)

// Sample is one side of a comparison.
type Sample struct {
	Source    string             `json:"source"` // as typed
	Kind      Kind               `json:"kind"`
	Endpoints []metrics.Endpoint `json:"endpoints"`          // that were measured, without model and price
	Machines  []string           `json:"machines,omitempty"` // that measured, where the source says it
	Versions  []string           `json:"versions"`           // of tokscope
	// Foreign is what is known of the file of another program; nil for others.
	Foreign *metrics.ToolFile `json:"foreign,omitempty"`
	From    time.Time         `json:"from,omitzero"` // of its first request; zero if unknown
	To      time.Time         `json:"to,omitzero"`   // of its last request; likewise
	Groups  []Group
	// Unended requests have no end in the source, and LeftOut of its lines were
	// not written or not readable: neither is in the groups.
	Unended int `json:"requests_without_end"`
	LeftOut int `json:"lines_left_out"`
	// Changes are what a person changed of its load while it ran, with times since
	// the load began. ChangesLeftOut counts older ones that the source does not have.
	Changes        []loadstat.Mark
	ChangesLeftOut int `json:"marks_left_out,omitempty"`
	// Unsteady loads of a sweep were still drifting when they were measured.
	Unsteady int `json:"loads_not_steady"`

	at map[Setup]int // index in Groups of those of Of
}

// Of returns the group of a setup, a new one for a new setup.
func (s *Sample) Of(setup Setup) *Group {
	i, ok := s.at[setup]
	if !ok {
		if s.at == nil {
			s.at = map[Setup]int{}
		}
		i = len(s.Groups)
		s.at[setup] = i
		s.Groups = append(s.Groups, Group{Setup: setup})
	}
	return &s.Groups[i]
}

// N returns the number of requests.
func (s *Sample) N() (n int) {
	for i := range s.Groups {
		n += s.Groups[i].Requests + s.Groups[i].Canceled
	}
	return n
}

// Pair is two groups that can be compared, and what they show.
type Pair struct {
	A Setup `json:"a"`
	B Setup `json:"b"`
	Result
}

// Verdict is what a pair, or a race, says of a condition.
type Verdict struct {
	Condition condition.Condition `json:"condition"`
	Pair      int                 // its index
	Of, Than  int                 // the lanes of a race: see RaceLanes
	// Value lies in Low to High, in the limit's unit: a ratio, ms, tokens per second,
	// or a share of 1. NaN where nothing is known; an end that is not bounded is 0, or
	// infinite.
	Value   float64 `json:"value" form:"null=nan"`
	Low     float64
	High    float64           `json:"high" form:"null=nan"`
	Outcome condition.Outcome `json:"outcome"` // met: the whole interval lies beyond the limit
	// NoRatio reports that it asks for a ratio to 0, which nothing settles.
	NoRatio bool
}

// Comparison compares two samples, group by group.
type Comparison struct {
	A, B *Sample
	// Allowed are the points that differ in a pair and were allowed to.
	Allowed []Point
	Pairs   []Pair // by users
	// OnlyA and OnlyB have no counterpart in the other sample.
	OnlyA, OnlyB []Setup
	// Refused are the points in which the two groups differ that are most alike,
	// RefusedA and RefusedB. It is empty where there are pairs.
	Refused            []Point
	RefusedA, RefusedB Setup
	Verdicts           []Verdict
}

// Compare compares the groups of a and b whose setups differ in no other points
// than those of allow.
func Compare(a, b *Sample, allow []Point) *Comparison {
	c := &Comparison{A: a, B: b}
	alone, left := joined(a.Groups, allow), joined(b.Groups, allow)
	var pairs [][2]*Group
	// Those that are most alike first: at equal users even where others are allowed.
	for most := range len(Points) + 1 {
		alone = slices.DeleteFunc(alone, func(g *Group) bool {
			i := slices.IndexFunc(left, func(h *Group) bool {
				d := g.Differs(&h.Setup)
				return len(d) <= most && len(without(d, allow)) == 0
			})
			if i < 0 {
				return false
			}
			h := left[i]
			left = slices.Delete(left, i, i+1)
			for _, p := range g.Differs(&h.Setup) {
				c.Allowed = pick.Once(c.Allowed, p)
			}
			pairs = append(pairs, [2]*Group{g, h})
			return true
		})
	}
	for _, g := range alone {
		c.OnlyA = append(c.OnlyA, g.Setup)
	}
	for _, h := range left {
		c.OnlyB = append(c.OnlyB, h.Setup)
	}
	slices.SortStableFunc(pairs, func(x, y [2]*Group) int {
		return cmp.Or(cmp.Compare(x[0].Users, y[0].Users), cmp.Compare(x[0].Rate, y[0].Rate))
	})
	for _, p := range pairs {
		c.Pairs = append(c.Pairs, Pair{p[0].Setup, p[1].Setup, ofGroups(p[0], p[1])})
	}
	judge(c.Pairs)
	if len(c.Pairs) == 0 {
		c.refuse(allow)
	}
	return c
}

// joined returns groups in which those are one that differ in allowed points alone.
// Medians cannot be joined: such a group stays alone.
func joined(groups []Group, allow []Point) (out []*Group) {
	var none history.Figures
next:
	for i := range groups {
		g := groups[i]
		for _, have := range out {
			if have.Medians == none && g.Medians == none && len(without(have.Differs(&g.Setup), allow)) == 0 {
				have.join(&g)
				continue next
			}
		}
		out = append(out, &g)
	}
	return out
}

// without returns points without those of allow.
func without(points, allow []Point) []Point {
	return slices.DeleteFunc(points, func(p Point) bool { return slices.Contains(allow, p) })
}

// refuse fills in the points in which the two groups differ that are most alike.
func (c *Comparison) refuse(allow []Point) {
	for i := range c.A.Groups {
		for j := range c.B.Groups {
			x, y := &c.A.Groups[i].Setup, &c.B.Groups[j].Setup
			if d := without(x.Differs(y), allow); c.Refused == nil || len(d) < len(c.Refused) {
				c.Refused, c.RefusedA, c.RefusedB = d, *x, *y
			}
		}
	}
}

// Judge adds what every pair says of a condition, and reports whether one of them
// meets it. turned exchanges A and B.
func (c *Comparison) Judge(k condition.Condition, turned bool) (met bool) {
	for i := range c.Pairs {
		v := Verdict{Condition: k, Pair: i, NoRatio: c.Pairs[i].noRatio(&k, turned)}
		v.Value, v.Low, v.High = c.Pairs[i].Interval(&k, turned)
		v.Outcome = k.Judge(v.Low, v.High)
		met = met || v.Outcome == condition.Met
		c.Verdicts = append(c.Verdicts, v)
	}
	return met
}

// Different returns how many pairs differ in any figure or in failures.
func (c *Comparison) Different() int {
	return pick.Count(c.Pairs, func(p *Pair) bool { return p.Different() })
}

// Common returns how many requests stand on both sides, by their IDs. What is
// compared with itself shows less than has changed.
func Common(a, b *Sample) (n int) {
	seen := map[string]bool{}
	for i := range a.Groups {
		for _, id := range a.Groups[i].ids {
			seen[id] = true
		}
	}
	for i := range b.Groups {
		n += pick.Count(b.Groups[i].ids, func(id *string) bool { return seen[*id] })
	}
	return n
}
