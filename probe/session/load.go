package session

import (
	"strconv"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/result"
)

// Bounds of the recorded requests of one load. The load's first line reports
// them.
const (
	// maxLoadRequests is the number of recorded requests: with 7 kB each at
	// most 7 MB.
	maxLoadRequests = 1000
	// maxLoadDetailed is the number of simultaneous requests with recorded
	// events. After maxLoadBytes bytes of events and reads, new requests are
	// recorded without events.
	maxLoadDetailed, maxLoadBytes = 16, 64 << 20
)

// LoadRequests holds the bounds of a load's recorded requests.
type LoadRequests struct {
	Requests int `json:"requests"`        // the first ones of the load
	AtOnce   int `json:"with_events"`     // simultaneous requests with recorded events
	Bytes    int `json:"bytes_of_events"` // after this many bytes of events, new requests have none recorded
}

// LoadHead describes the begin of a load.
type LoadHead struct {
	Wall     string           `json:"wall"` // wall clock, RFC 3339
	Endpoint metrics.Endpoint `json:"endpoint"`
	Workload metrics.Workload `json:"workload"`
	// drawn for each prompt, in the form of --input-tokens; absent when all are equal, as in the workload
	Input   string   `json:"input_tokens,omitempty"`
	Output  string   `json:"output_tokens,omitempty"`     // drawn output limits, likewise
	Users   int      `json:"users"`                       // initial number of users
	Rate    float64  `json:"rate_per_s" form:"null=zero"` // of an open loop; null in a closed one
	Poisson bool     `json:"poisson,omitempty"`           // the arrivals of an open loop are random
	SLO     []string `json:"slo"`                         // the objectives, in the form of --slo
	Seed    string   `json:"seed"`                        // of lengths, nonces and arrivals

	Recorded LoadRequests `json:"recorded_up_to"`
}

// LoadEnd holds the results of a load.
type LoadEnd struct {
	*loadstat.View
	Stopped string `json:"stopped,omitempty"` // why it ended by itself
	Broken  string `json:"broken,omitempty"`  // why the breaker stopped it
	Summary string `json:"summary"`           // the last figures in one sentence
	// who took those of all requests: "kernel", "user", "body", "mixed", "none"
	Stamps     string     `json:"stamps,omitempty"`
	Lag        result.Lag `json:"lag"`
	LeftOut    int        `json:"points_left_out"`   // points not recorded, beyond the bound
	Unrecorded int        `json:"requests_left_out"` // requests not recorded, beyond the bound
}

// RecordedLoad is one load of a recording. End is nil when the program ended
// before the load.
type RecordedLoad struct {
	ID       int
	At, Last metrics.Stamp // of its begin, and of the latest of its lines
	Head     LoadHead
	Points   []result.SweepPoint
	SLO      []string             // the last objectives
	Marks    []result.SweepChange // of all that a person changed, in order
	End      *LoadEnd
}

// Load records one load: a loadgen.Entries, once begun. It is safe for concurrent use.
type Load struct {
	file *File
	id   int

	requests atomic.Int64 // begun so far, including unrecorded ones

	// Under the file's lock.
	points, pointsLeft int // recorded, beyond the bound
	detailed           int // running requests with recorded events
	bytes              int // of their events and reads
}

// NewLoad returns the recording of a new load, numbered from 1, before its
// Begin.
func (s *File) NewLoad() *Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &Load{file: s, id: len(s.loads) + 1}
	s.loads = append(s.loads, e)
	return e
}

// Begin records the begin of the load: v is its first view.
func (e *Load) Begin(v *loadstat.View) {
	h := LoadHead{
		Wall: time.Now().UTC().Format(time.RFC3339Nano), Endpoint: v.Endpoint, Workload: v.Work,
		Input: result.Drawn(v.Input), Output: result.Drawn(v.Output), Users: v.Target,
		SLO: result.SLOWords(v.SLOs), Seed: strconv.FormatUint(v.Seed, 10),
		Recorded: LoadRequests{maxLoadRequests, maxLoadDetailed, maxLoadBytes},
	}
	if v.Rate > 0 {
		h.Users, h.Rate, h.Poisson = 0, v.Rate, v.Drive.Poisson
	}
	e.line("load", v.Began, "head", h)
}

// Request is called before each request of the load. It returns the load's
// number if the request is recorded, 0 beyond the bound. It takes no lock, so
// a request never waits for the recording.
func (e *Load) Request() int {
	if e.requests.Add(1) > maxLoadRequests {
		return 0
	}
	return e.id
}

// wantsEvents reports whether to record the events of v, which begins: s.mu is held.
func (s *File) wantsEvents(v *metrics.Stream) bool {
	if v.Load == 0 {
		return v.Work.Concurrency <= maxDetailed
	}
	if v.Load > len(s.loads) {
		return false
	}
	e := s.loads[v.Load-1]
	if e.detailed == maxLoadDetailed || e.bytes >= maxLoadBytes {
		return false
	}
	e.detailed++
	s.parts[v.ID] = e
	return true
}

// forgetPart removes request id, which has ended: s.mu is held.
func (s *File) forgetPart(id int) {
	if e := s.parts[id]; e != nil {
		e.detailed--
		delete(s.parts, id)
	}
}

// Point implements loadgen.Entries. The histograms are omitted.
func (e *Load) Point(p *loadstat.Point) {
	if !e.room() {
		e.file.mu.Lock()
		e.pointsLeft++
		e.file.mu.Unlock()
		return
	}
	point := result.SweepPointOf(p, e.file.Sentences)
	point.GapBins, point.TTFTBins = nil, nil
	e.line("load_point", p.To, "point", point)
}

// Objectives implements loadgen.Entries. They count against the bound of points.
func (e *Load) Objectives(at metrics.Stamp, slos []slo.Objective) {
	if e.room() {
		e.line("load_slo", at, "slo", result.SLOWords(slos))
	}
}

// room reports whether the bound allows one more point.
func (e *Load) room() bool {
	e.file.mu.Lock()
	defer e.file.mu.Unlock()
	if e.points == result.MaxLoadPoints {
		return false
	}
	e.points++
	return true
}

// Mark implements loadgen.Entries. Marks count against the bound of points.
func (e *Load) Mark(m *loadstat.Mark) {
	if e.room() {
		e.line("load_mark", m.At, "mark", result.LoadMarkOf(m))
	}
}

func (e *Load) End(v *loadstat.View) {
	end := LoadEnd{
		View: v, Stamps: loadstat.StampsOf(v.Path, v.Stamps),
		Lag:     result.Lag{Observer: v.Observer, Delay: v.Live.Delay},
		Stopped: e.file.Sentences.Ending(v.Stopped),
		Broken:  e.file.Sentences.Ending(v.Broken), Summary: e.file.Sentences.One(v),
	}
	e.file.mu.Lock()
	end.LeftOut, end.Unrecorded = e.pointsLeft, max(0, int(e.requests.Load())-maxLoadRequests)
	e.file.mu.Unlock()
	e.line("load_end", v.Now, "end", end)
}

// line writes one line of the load.
func (e *Load) line(kind string, at metrics.Stamp, field string, v any) {
	s := e.file
	s.mu.Lock()
	defer s.mu.Unlock()
	j := &s.journal
	j.begin(kind)
	j.int("load", int64(e.id))
	j.stamp("at_ns", at)
	j.any(field, v)
	j.firm()
}

// loadLines are the types of the lines of loads.
var loadLines = []string{"load", "load_point", "load_slo", "load_mark", "load_end"}

// takeLoad adds a line of a load to the recording. One of a load without a begin is
// ignored.
func (rec *Recording) takeLoad(l *fileLine, loads map[int]*RecordedLoad) (err error) {
	have := loads[l.Load]
	if l.Type == "load" {
		have = &RecordedLoad{ID: l.Load, At: l.at(), Last: l.at()}
		rec.Loads, loads[l.Load] = append(rec.Loads, have), have
	}
	if have == nil {
		return nil
	}
	have.Last = max(have.Last, l.at())
	var point *result.SweepPoint
	var mark *result.LoadMark
	switch l.Type {
	case "load":
		err = readField(l.Head, &have.Head)
		have.SLO = have.Head.SLO
	case "load_point":
		if err = readField(l.Point, &point); point != nil {
			have.Points = append(have.Points, *point)
		}
	case "load_slo":
		have.SLO = l.SLO
	case "load_mark":
		if err = readField(l.Mark, &mark); mark != nil && len(have.Marks) < result.MaxLoadPoints {
			have.Marks = append(have.Marks, result.SweepChange{At: l.at(), LoadMark: *mark})
		}
	case "load_end":
		err = readField(l.End, &have.End)
	}
	return err
}
