package loadgen

import (
	"tokscope/metrics"
	requests "tokscope/metrics/request"
)

// list is the ended requests of a load, one by one. Its owner is the load,
// under the load's mutex.
type list struct{ log *requests.Log } // nil: none is kept

// newList returns an empty list; one that keeps nothing unless wanted.
func newList(wanted bool, began metrics.Stamp) list {
	if !wanted {
		return list{}
	}
	return list{requests.NewLog(began)}
}

// listRow is an ended request on its way into the list.
type listRow struct {
	row    requests.Row
	packed *requests.Packed
}

// rowOf prepares the n-th request of the load for the list. It is called without
// mu: packing costs 10 ns a chunk.
func (l list) rowOf(u *user, n int, v *metrics.Stream, f *metrics.Figures) listRow {
	if l.log == nil {
		return listRow{}
	}
	return listRow{requests.RowOf(n, u.id, v, f), requests.Pack(v)}
}

// add adds a request.
func (l list) add(r listRow) {
	if l.log != nil {
		l.log.Add(r.row, r.packed)
	}
}

// Requests are the ended requests of a load, see RequestsOf. They are safe for
// concurrent use.
type Requests struct{ load *Load }

// RequestsOf returns the ended requests of a load with Config.List; without it
// they are none.
func RequestsOf(l *Load) Requests { return Requests{l} }

// View returns their figures. It is immutable.
func (r Requests) View() requests.View {
	l := r.load
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list.log == nil {
		return requests.View{}
	}
	return l.list.log.View()
}

// Stream returns the stream of an ended request, in new memory; false when only
// its figures are kept.
func (r Requests) Stream(id int) (metrics.Stream, bool) {
	p := r.packed(id)
	if p == nil {
		return metrics.Stream{}, false
	}
	return p.Stream(), true
}

// packed returns the stream of an ended request; nil when it is not kept.
func (r Requests) packed(id int) *requests.Packed {
	l := r.load
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list.log == nil {
		return nil
	}
	return l.list.log.Packed(id)
}
