package session

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	requests "tokscope/metrics/request"
	"tokscope/probe/result"
)

// load is one recorded load as it ended, or as far as the recording goes, and its
// requests. It never changes. Stamps are those of the recording.
type load struct {
	view  loadstat.View
	about loadstat.Replay
	ended []endedRow // the requests with an end, by its time
}

// endedRow is a request of a load that has ended, as a list shows it.
type endedRow struct {
	at     metrics.Stamp
	row    requests.Row
	events bool // they are recorded, or some of them
}

// loadsOf returns the loads of rec with their requests. It leaves out those whose
// times are not those of a session.
func loadsOf(rec *Recording, items []item) (all []load) {
	single := pick.Count(items, func(it *item) bool { return it.Recorded.Load == 0 })
	for _, q := range rec.Loads {
		if !q.At.Known() || q.At < 0 || q.At > longest {
			continue
		}
		l := load{view: q.View(), about: loadstat.Replay{Load: q.ID, File: rec.Name, Newer: rec.Newer != "",
			Requests: single, NoEnd: q.End == nil, Sent: -1}}
		if e := q.End; e != nil {
			l.about.Sent, l.about.PointsLeft = e.Sent, e.LeftOut
			l.about.Stopped, l.about.Broken = e.Stopped, e.Broken
		}
		if l.list(items, q); l.view.Now <= longest {
			all = append(all, l)
		}
	}
	return all
}

// View returns the load as it ended, or as far as the recording goes. Sentences are not
// in it.
func (q *RecordedLoad) View() loadstat.View {
	h := &q.Head
	v := loadstat.View{Now: q.Last, Began: q.At, SLOs: result.Objectives(q.SLO),
		Waiting: metrics.Unknown(metrics.WhyNotRecorded)}
	v.Seed, _ = strconv.ParseUint(h.Seed, 10, 64)
	for i := range q.Points {
		p, err := q.Points[i].Measured()
		if err != nil { // objectives of a later version
			p.Misses = nil
		}
		if p.To.Known() {
			v.Path = append(v.Path, p)
		}
	}
	slices.SortStableFunc(v.Path, func(a, b loadstat.Point) int { return cmp.Compare(a.To, b.To) })
	now := loadstat.Setting{Work: h.Workload, Endpoint: h.Endpoint, SLOs: result.Objectives(h.SLO),
		Input: result.DrawnLengths(h.Input), Output: result.DrawnLengths(h.Output),
		Drive: loadstat.Drive{Users: h.Users, Rate: h.Rate, Poisson: h.Poisson}}
	v.Marks, v.Setups = result.RestoreMarks(now, q.Marks)
	v.Drive = now.Drive
	for i := range v.Marks {
		m := &v.Marks[i]
		if now = *m.To; !loadstat.SameDrive(m.From, m.To) {
			v.Drive = now.Drive.After(time.Duration(v.Now - m.At))
		}
	}
	v.Work, v.Endpoint, v.Input, v.Output, v.Rate = now.Work, now.Endpoint, now.Input, now.Output, v.Drive.Rate
	v.Setup, _ = loadstat.IndexOfWork(v.Setups, &now)
	lastPoint(&v)
	if e := q.End; e != nil {
		v.Sent, v.Done, v.Failed, v.Cancelled, v.Retried = e.Sent, e.Done, e.Failed, e.Cancelled, e.Retried
		v.Finishes = e.Finishes
		v.TokensReceived, v.Faults, v.LastFault, v.Budget = e.TokensReceived, e.Faults, e.LastFault, e.Budget
		if v.Budget.Cost.N = e.Sent; !v.Budget.Cost.OK {
			v.Budget.Cost = metrics.Unknown(metrics.WhyNotRecorded)
		}
		v.Stamps, v.Observer = e.Stamps, e.Lag.Observer
	}
	return v
}

// lastPoint makes the last point of v the one whose figures are shown, if it is of
// the last work, and finds that of one user alone.
func lastPoint(v *loadstat.View) {
	v.Live = noPoint()
	for i := range v.Path {
		p := &v.Path[i]
		if p.Setup == v.Setup && p.Steady && p.Users == 1 && p.Asked == 0 {
			v.Alone = p
		}
	}
	if n := len(v.Path); n > 0 && v.Path[n-1].Setup == v.Setup {
		v.Live, v.Stamps = v.Path[n-1], v.Path[n-1].Stamps
	}
}

// noPoint is that of a load without a finished window.
func noPoint() loadstat.Point {
	none := metrics.Unknown(metrics.WhyJustBegun)
	d := metrics.Dist{Min: none, P50: none, P90: none, P95: none, P99: none, Max: none, Mean: none, StdDev: none}
	return loadstat.Point{
		Speed: none, SpeedP5: none, Total: none, TTFT: d, TPOT: d,
		Gaps: d, FromIntended: d, Running: none, Prefill: none, Waiting: none,
		Peak: none, SpeedInterval: loadstat.NoInterval(metrics.WhyJustBegun),
		TotalInterval: loadstat.NoInterval(metrics.WhyJustBegun),
		GoodRate:      none, GoodShare: none, GoodTokens: none, Rate: none,
	}
}

// list keeps the requests among items that belong to q, in the order of their
// ends. Without an end of the load, it lasts as long as they do.
func (l *load) list(items []item, q *RecordedLoad) {
	for i := range items {
		it := &items[i]
		if it.Recorded.Load != q.ID {
			continue
		}
		l.about.Recorded++
		if l.about.NoEnd {
			l.view.Now = max(l.view.Now, it.Last())
		}
		if e, ok := it.row(); ok {
			l.ended = append(l.ended, e)
		}
	}
	slices.SortStableFunc(l.ended, func(a, b endedRow) int { return cmp.Compare(a.at, b.at) })
}

// row returns the request as a list shows it; ok is false when the recording ends
// before it. Its number is that in the file, its ID that in this program.
func (it *item) row() (e endedRow, ok bool) {
	end := it.Recorded.End
	if end == nil {
		return endedRow{}, false
	}
	f := &it.run.Figures
	if it.Missing != metrics.ReplayWhole { // its events give no figures, or other ones
		recorded := end.Figures
		f, recorded.Delay = &recorded, end.Lag.Delay
	}
	row := requests.RowOf(it.Recorded.ID, 0, &it.run.Stream, f)
	return endedRow{it.Last(), row, it.Missing != metrics.ReplayNoEvents}, true
}

// LoadReplay returns the chosen load, at first the first one, to its end. ok is false
// when the recordings hold no load, or one request is played.
func (p *Player) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.loads) == 0 {
		return v, r, false
	}
	l := &p.loads[p.load]
	r = l.about
	r.Index, r.Count = p.load+1, len(p.loads)
	return l.view, r, true
}

// LoadReplayNext chooses the load by further on. It reports whether there is one.
func (p *Player) LoadReplayNext(by int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := p.load + by
	if to < 0 || to >= len(p.loads) {
		return false
	}
	p.load, p.version = to, p.version+1
	return true
}

// LoadReplayRequests returns the recorded requests of the chosen load that have ended:
// of more than requests.Figures the last ones.
func (p *Player) LoadReplayRequests() requests.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.loads) == 0 {
		return requests.View{}
	}
	l := &p.loads[p.load]
	ended := l.ended[max(len(l.ended)-requests.Figures, 0):]
	rows, events := make([]requests.Row, len(ended)), map[int]bool{}
	for i := range ended {
		rows[i] = ended[i].row
		events[rows[i].ID] = ended[i].events
	}
	v := requests.ViewOfSome(l.view.Began, rows, func(r *requests.Row) bool { return events[r.ID] })
	v.Ended = len(l.ended)
	return v
}

// LoadReplayRequest returns a request to its end, by its number in this program, and
// what the recording lacks of it. ok is false without one of that number.
func (p *Player) LoadReplayRequest(id int) (v metrics.Stream, missing metrics.ReplayMissing, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.items {
		if it := &p.items[i]; it.id == id {
			return it.run.Stream, it.Missing, true
		}
	}
	return metrics.Stream{}, "", false
}
