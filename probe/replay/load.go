package replay

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/record"
)

// Bounds of the lanes of a replayed load.
const (
	sliceLen   = metrics.Stamp(100 * time.Millisecond) // as long as those of a load that runs
	slicesKept = 600
	mostLanes  = 1024
)

// Load is one recorded load: what its view was at every moment. It never
// changes. Stamps are those of the recording.
type Load struct {
	Recorded *record.RecordedLoad

	begin   loadstat.View
	path    []loadstat.Point
	at      []metrics.Stamp // when each of path was taken, rising
	changes []loadSLO       // of the objectives, by rising time
	marks   []loadstat.Mark // of all that a person changed, by rising time
	driven  bool            // a mark changes users or rate: the file has the way of the slider
	setups  []loadstat.Setting
	last    metrics.Stamp
	lanes   [][]*Stream // each in the order of its begins, none at the same time
	events  int         // requests with recorded events
}

// loadPoint is a finished window, known from at on.
type loadPoint struct {
	at metrics.Stamp
	loadstat.Point
}

// loadSLO are the objectives from at on.
type loadSLO struct {
	at   metrics.Stamp
	slos []slo.Objective
}

// LoadOf returns the load of q. Its requests are those of requests that belong to
// it. say reads the reasons of unknown figures.
func LoadOf(q *record.RecordedLoad, requests []*Stream, say record.Sentences) *Load {
	l := &Load{Recorded: q, begin: q.Begin(), last: q.At}
	var points []loadPoint
	for i := range q.Points {
		p, err := q.Points[i].Point(say)
		if err != nil { // objectives of a later version
			p.Misses = nil
		}
		at := q.PointAt[i]
		if !at.Known() {
			at = p.To
		}
		if !at.Known() {
			continue
		}
		points = append(points, loadPoint{at, p})
		l.last = max(l.last, at)
	}
	slices.SortStableFunc(points, func(a, b loadPoint) int { return cmp.Compare(a.at, b.at) })
	for _, p := range points {
		l.path, l.at = append(l.path, p.Point), append(l.at, p.at)
	}
	for _, c := range q.Changes {
		if c.At.Known() {
			l.changes = append(l.changes, loadSLO{c.At, record.Objectives(c.SLO)})
			l.last = max(l.last, c.At)
		}
	}
	l.marks, l.setups = q.Restore()
	for i := range l.marks {
		m := &l.marks[i]
		l.last = max(l.last, m.At)
		l.driven = l.driven || !loadstat.SameDrive(m.From, m.To)
	}
	slices.SortStableFunc(l.changes, func(a, b loadSLO) int { return cmp.Compare(a.at, b.at) })
	l.last = max(l.last, q.EndAt)
	l.arrange(requests)
	return l
}

// arrange puts each request with events on the first lane that is free when it
// begins: the recording does not say whose it was.
func (l *Load) arrange(requests []*Stream) {
	var ours []*Stream
	for _, s := range requests {
		if s.Recorded.Load != l.Recorded.ID {
			continue
		}
		if l.Recorded.End == nil {
			l.last = max(l.last, s.Last())
		}
		if s.Recorded.Detailed {
			ours = append(ours, s)
		}
	}
	l.events = len(ours)
	slices.SortStableFunc(ours, func(a, b *Stream) int { return cmp.Compare(a.Begin(), b.Begin()) })
	for _, s := range ours {
		i := slices.IndexFunc(l.lanes, func(lane []*Stream) bool { return lane[len(lane)-1].Last() <= s.Begin() })
		switch {
		case i >= 0:
			l.lanes[i] = append(l.lanes[i], s)
		case len(l.lanes) < mostLanes:
			l.lanes = append(l.lanes, []*Stream{s})
		}
	}
}

// Begin returns when the load began, Last the last moment that is known of it.
func (l *Load) Begin() metrics.Stamp { return l.begin.Began }

// Last returns the last moment that is known of the load.
func (l *Load) Last() metrics.Stamp { return l.last }

// next returns the first moment after now at which a point was taken,
// something was changed or the load ended; before for by < 0 the last one before.
// Without one it returns the end, or the begin.
func (l *Load) next(now metrics.Stamp, by int) metrics.Stamp {
	to := l.last
	if by < 0 {
		to = l.Begin()
	}
	see := func(at metrics.Stamp) {
		if by > 0 && at > now && at < to || by < 0 && at < now && at > to {
			to = at
		}
	}
	for _, at := range l.at {
		see(at)
	}
	for i := range l.changes {
		see(l.changes[i].at)
	}
	for i := range l.marks {
		see(l.marks[i].At)
	}
	return to
}

// At returns the view as it was at now, as far as it was recorded, and what the
// recording lacks of it. Of a figure that changes, it has the one of the last
// point.
func (l *Load) At(now metrics.Stamp) (loadstat.View, loadstat.Replay) {
	q := l.Recorded
	v := l.begin
	r := loadstat.Replay{
		Load: q.ID, At: time.Duration(min(max(now, l.Begin()), l.last) - l.Begin()),
		Length: time.Duration(l.last - l.Begin()),
		NoEnd:  q.End == nil, WithEvents: l.events, Sent: -1,
	}
	v.Now, v.SliceLen = min(max(now, l.Begin()), l.last), time.Duration(sliceLen)
	l.markedAt(&v, now)
	n := sort.Search(len(l.at), func(i int) bool { return l.at[i] > now })
	v.Path = l.path[:n:n]
	v.Live = unknownPoint(v.Users)
	if n > 0 && v.Path[n-1].Setup == v.Setup {
		v.Live, v.Stamps = v.Path[n-1], v.Path[n-1].Stamps
		v.Users = v.Live.Users
	}
	for i := range v.Path {
		if p := &v.Path[i]; p.Setup == v.Setup && p.Steady && p.Users == 1 && p.Asked == 0 {
			v.Alone = p
		}
	}
	for i := range l.path { // a later point says what was asked for in its window
		if p := &l.path[i]; p.From.Known() && p.From <= now && now <= l.at[i] {
			v.Users, r.Known = p.Users, true
			break
		}
	}
	if v.Target = v.Users; l.driven {
		l.drivenAt(&v, now)
		r.Known = true
	}
	for i := range l.changes {
		if l.changes[i].at <= now {
			v.SLOs = l.changes[i].slos
		}
	}
	v.Lanes = l.lanesAt(now)
	if q.End != nil {
		r.Sent, r.PointsLeft = q.End.Sent, q.End.LeftOut
	}
	if now >= l.last {
		v.Running, v.Lanes, v.Users, v.Target = false, nil, 0, 0
		if q.End != nil {
			q.End.Restore(&v)
			r.Totals, r.Stopped, r.Broken = true, q.End.Stopped, q.End.Broken
		}
	}
	return v, r
}

// markedAt writes into v what the load sent at now, and the marks until then.
func (l *Load) markedAt(v *loadstat.View, now metrics.Stamp) {
	n := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].At > now })
	v.Marks, v.Setups = l.marks[:n:n], l.setups
	if n == 0 {
		return
	}
	to := l.marks[n-1].To
	v.Work, v.Input, v.Output, v.Endpoint = to.Work, to.Input, to.Output, to.Endpoint
	v.Setup, _ = loadstat.IndexOfWork(l.setups, to)
}

// drivenAt writes into v what was asked for at now, of which the marks have each
// change. The users of an open loop are those of the last window.
func (l *Load) drivenAt(v *loadstat.View, now metrics.Stamp) {
	v.Drive = l.begin.Drive
	for i := range v.Marks {
		if m := &v.Marks[i]; !loadstat.SameDrive(m.From, m.To) {
			v.Drive = m.To.Drive.After(time.Duration(now - m.At))
		}
	}
	v.Rate, v.Target = v.Drive.Rate, 0
	if !v.Drive.Open() {
		v.Target, v.Users = v.Drive.Users, v.Drive.Users
	}
}

// unknownPoint is the state of a load before its first point.
func unknownPoint(users int) loadstat.Point {
	none := metrics.Unknown(metrics.WhyJustBegun)
	d := metrics.Dist{Min: none, P50: none, P90: none, P95: none, P99: none, Max: none, Mean: none, StdDev: none}
	return loadstat.Point{
		Users: users, Speed: none, SpeedP5: none, Total: none, TTFT: d, TPOT: d,
		Gaps: d, FromIntended: d, Running: none, Prefill: none, Waiting: none,
		Peak: none, SpeedInterval: loadstat.NoInterval(metrics.WhyJustBegun),
		TotalInterval: loadstat.NoInterval(metrics.WhyJustBegun),
		GoodRate:      none, GoodShare: none, GoodTokens: none, Rate: none,
	}
}

// lanesAt returns the lanes that had a request until now.
func (l *Load) lanesAt(now metrics.Stamp) []loadstat.Lane {
	var lanes []loadstat.Lane
	for i, requests := range l.lanes {
		n := sort.Search(len(requests), func(i int) bool { return requests[i].Begin() > now })
		if n == 0 {
			continue // a later lane may have begun
		}
		lane := loadstat.Lane{User: i + 1, Stream: requests[n-1].Recorded.ID,
			Since: requests[n-1].Begin(), TTFT: metrics.Unknown(metrics.WhyNoChunk)}
		for _, s := range requests[:n] {
			if s.Last() <= now {
				if s.final.State == metrics.Done {
					lane.Done++
				} else {
					lane.Failed++
				}
			}
		}
		requests[n-1].laneAt(now, &lane)
		l.past(requests[:n], now, &lane)
		lanes = append(lanes, lane)
	}
	return lanes
}

// laneAt writes into lane what s did at now.
func (s *Stream) laneAt(now metrics.Stamp, lane *loadstat.Lane) {
	v := s.At(now)
	lane.Since = v.Marks.Start
	switch {
	case now >= s.Last():
		lane.State, lane.Since = loadstat.LaneIdle, s.Last()
	case len(v.Chunks) > 0:
		last := len(v.Chunks) - 1
		lane.State, lane.Since = loadstat.LaneDecoding, v.Chunks[0].At
		if last > 0 && v.Chunks[last].At > v.Chunks[last-1].At {
			lane.Gap = float64(v.Chunks[last].At-v.Chunks[last-1].At) / 1e6
		}
	case v.Marks.Sent.Known():
		lane.State, lane.Since = loadstat.LanePrefill, v.Marks.Sent
		if v.Queue == metrics.QueueWaiting {
			lane.State = loadstat.LaneWaiting
		}
	default:
		lane.State = loadstat.LaneConnecting
	}
}

// past writes into lane the finished slices before now, at most slicesKept. They
// never change as time goes on.
func (l *Load) past(requests []*Stream, now metrics.Stamp, lane *loadstat.Lane) {
	end := int((now - l.Begin()) / sliceLen)
	first := max(int((requests[0].Begin()-l.Begin())/sliceLen), end-slicesKept, 0)
	if first >= end {
		lane.Offset = end
		return
	}
	lane.Offset, lane.Past = first, make([]loadstat.Slice, end-first)
	from, to := l.Begin()+metrics.Stamp(first)*sliceLen, l.Begin()+metrics.Stamp(end)*sliceLen
	for _, s := range requests {
		if s.Last() > from && s.Begin() < to {
			s.slices(l.Begin(), first, lane.Past)
		}
	}
}

// slices writes the states of s into past, whose first slice has the number first
// since began.
func (s *Stream) slices(began metrics.Stamp, first int, past []loadstat.Slice) {
	index := func(at metrics.Stamp) int { return int((at-began)/sliceLen) - first }
	mark := func(from, to metrics.Stamp, state loadstat.LaneState) {
		for i := max(index(from), 0); i <= index(to) && i < len(past); i++ {
			if rank(state) > rank(past[i].State) {
				past[i].State = state
			}
		}
	}
	f := &s.final
	sent, chunk := f.Marks.Sent, s.Last()
	if len(f.Chunks) > 0 {
		chunk = f.Chunks[0].At
		mark(chunk, s.Last(), loadstat.LaneDecoding)
	}
	if !sent.Known() || sent > chunk {
		mark(s.Begin(), chunk, loadstat.LaneConnecting)
		return
	}
	mark(s.Begin(), sent, loadstat.LaneConnecting)
	mark(sent, chunk, loadstat.LanePrefill)
	from := sort.Search(len(f.Chunks), func(i int) bool { return index(f.Chunks[i].At) >= 0 })
	for k := max(from, 1); k < len(f.Chunks); k++ {
		i := index(f.Chunks[k].At)
		if i >= len(past) {
			break
		}
		if gap := float32(f.Chunks[k].At-f.Chunks[k-1].At) / 1e6; i >= 0 && gap > past[i].Gap {
			past[i].Gap = gap
		}
	}
}

// rank orders the states by which one a slice shows, as in a load that runs.
func rank(s loadstat.LaneState) int {
	switch s {
	case loadstat.LanePrefill, loadstat.LaneWaiting:
		return 3
	case loadstat.LaneConnecting:
		return 2
	case loadstat.LaneDecoding:
		return 1
	}
	return 0
}
