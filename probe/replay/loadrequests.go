package replay

import (
	"cmp"
	"slices"
	"sort"

	"tokscope/metrics"
	requests "tokscope/metrics/request"
	"tokscope/probe/record"
)

// endedRow is a request of a load that has ended, as a list shows it.
type endedRow struct {
	at     metrics.Stamp // of the recording
	row    requests.Row
	events bool // they are recorded, or some of them
}

// row returns the request as a list shows it; ok is false when the recording ends
// before it. Its number is that in the file, its ID that in this program.
func (it *item) row(say record.Sentences) (e endedRow, ok bool) {
	end := it.Recorded.End
	if end == nil {
		return endedRow{}, false
	}
	e = endedRow{it.Last(), requests.RowOf(it.Recorded.ID, 0, &it.run.Stream, &it.run.Figures),
		it.Missing != metrics.ReplayNoEvents}
	if it.Missing != metrics.ReplayWhole { // its events give no figures, or other ones
		end.Figures.RestoreRow(&e.row, say)
	}
	return e, true
}

// list puts the ended requests among items into the load they belong to, in the
// order of their ends.
func (l *loadItem) list(items []item, say record.Sentences) {
	for i := range items {
		if items[i].Recorded.Load != l.Recorded.ID {
			continue
		}
		l.recorded++
		if e, ok := items[i].row(say); ok {
			l.ended = append(l.ended, e)
		}
	}
	slices.SortStableFunc(l.ended, func(a, b endedRow) int { return cmp.Compare(a.at, b.at) })
}

// LoadRequests returns the recorded requests of the load that had ended at the
// player's moment: of more than requests.Figures the last ones.
func (p *Player) LoadRequests() (v requests.View) {
	p.withLoad(func(t metrics.Stamp, l *loadItem) {
		n := sort.Search(len(l.ended), func(i int) bool { return l.ended[i].at > t-l.shift })
		ended := l.ended[max(n-requests.Figures, 0):n]
		rows, events := make([]requests.Row, len(ended)), map[int]bool{}
		for i := range ended {
			rows[i] = ended[i].row
			events[rows[i].ID] = ended[i].events
		}
		v = requests.ViewOfSome(l.Begin(), rows, func(r *requests.Row) bool { return events[r.ID] })
		v.Ended = n
	})
	return v
}

// LoadRequest returns a request to its end, by its number in this program, and
// what the recording lacks of it. ok is false without one of that number.
func (p *Player) LoadRequest(id int) (v metrics.Stream, missing metrics.ReplayMissing, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.items {
		if it := &p.items[i]; it.id == id {
			return it.run.Stream, it.Missing, true
		}
	}
	return metrics.Stream{}, "", false
}
