package history

import (
	"cmp"
	"encoding/hex"
	"iter"
	"math"
	"slices"
	"time"
	"unsafe"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// id is the ID of an entry: 48 bits of milliseconds since 1970, then 80 bits that
// no other request has.
type id [16]byte

// parseID returns the ID of its text, 32 hexadecimal digits in lower case.
func parseID(text string) (out id, ok bool) {
	if len(text) != 2*len(out) {
		return id{}, false
	}
	_, err := hex.Decode(out[:], []byte(text))
	return out, err == nil && out.String() == text
}

// String returns the text of the ID.
func (key id) String() string { return hex.EncodeToString(key[:]) }

// row is an entry, with the numbers of its texts and of its series. It has one size
// and no pointer, so that 100,000 of them are read by one copy and cost the garbage
// collector nothing.
type row struct {
	id     id
	at     int64                           // ns since 1970
	values [history.NumFigures + 2]float64 // the figures, then the tokens of prompt and output: see packed
	series uint32
	texts  [7]uint32 // kind, group, answered, fault, session, version, end marker missing
	// status, stalls, n, failed and request are those of the entry.
	status, stalls, n, failed, request uint32

	state   metrics.State
	suspect uint8 // 1: it is
}

const rowSize = int(unsafe.Sizeof(row{}))

// bytesOf returns the memory of rows.
func bytesOf(rows []row) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows)*rowSize)
}

// notANumber are the bits of what stands for an unknown value, above its reason.
const notANumber = 0x7ff8 << 48

// packed returns v as one number: that of a known value, which is never NaN, else NaN
// with the reason.
func packed(v metrics.Value) float64 {
	if v.OK {
		return v.V
	}
	return math.Float64frombits(notANumber | uint64(v.Why))
}

// unpacked returns the value of a number of packed, of n requests.
func unpacked(v float64, n int) metrics.Value {
	if math.IsNaN(v) {
		return metrics.Unknown(metrics.Why(math.Float64bits(v)))
	}
	return metrics.Known(v, n)
}

// numbered gives values their numbers, from 0 on.
type numbered[T comparable] struct {
	list    []T
	numbers map[T]uint32
}

func numberedOf[T comparable](list ...T) numbered[T] {
	n := numbered[T]{list, make(map[T]uint32, len(list))}
	for i, v := range list {
		n.numbers[v] = uint32(i)
	}
	return n
}

// of returns the number of v, a new one for a new value.
func (n *numbered[T]) of(v T) uint32 {
	i, ok := n.numbers[v]
	if !ok {
		i = uint32(len(n.list))
		n.list, n.numbers[v] = append(n.list, v), i
	}
	return i
}

// table holds entries as rows. Texts and series stand beside them once.
type table struct {
	rows   []row
	texts  numbered[string]
	series numbered[history.Series]
	// order holds the rows by moment and ID, without doubles.
	order []int32
}

func (t *table) reset() {
	*t = table{texts: numberedOf(""), series: numberedOf[history.Series]()}
}

// at returns the moment of row i, ns since 1970, and moment the same as a time.
func (t *table) at(i int32) int64 { return t.rows[i].at }

func (t *table) moment(i int32) time.Time { return time.Unix(0, t.at(i)).UTC() }

// compare orders rows by moment, then ID.
func (t *table) compare(a, b int32) int {
	x, y := &t.rows[a], &t.rows[b]
	return cmp.Or(cmp.Compare(x.at, y.at), slices.Compare(x.id[:], y.id[:]))
}

// add adds the row of e, whose ID must be one, not yet to the order.
func (t *table) add(e *history.Entry) {
	key, _ := parseID(e.ID)
	count := func(n int) uint32 { return uint32(min(max(n, 0), math.MaxInt32)) }
	r := row{
		id: key, at: e.At.UnixNano(), series: t.series.of(e.Series), state: e.State,
		status: count(e.Status), stalls: count(e.Stalls), n: count(e.N), failed: count(e.Failed), request: count(e.Request),
	}
	for i, s := range [len(r.texts)]string{string(e.Kind), e.Group, e.Answered, string(e.Fault), e.Session, e.Version,
		string(e.Unended)} {
		r.texts[i] = t.texts.of(s)
	}
	if e.Suspect {
		r.suspect = 1
	}
	for i, v := range e.Figures {
		r.values[i] = packed(v)
	}
	r.values[history.NumFigures], r.values[history.NumFigures+1] = packed(e.Prompt), packed(e.Output)
	t.rows = append(t.rows, r)
}

// entry fills e with row i, without its ID, which takes time.
func (t *table) entry(i int32, e *history.Entry) {
	r := &t.rows[i]
	n := int(r.n)
	text := func(k int) string { return t.texts.list[r.texts[k]] }
	*e = history.Entry{
		At: t.moment(i), Series: t.series.list[r.series], State: r.state, Suspect: r.suspect == 1,
		Kind: history.Kind(text(0)), Group: text(1), Answered: text(2), Fault: metrics.FaultKind(text(3)),
		Session: text(4), Version: text(5), Unended: metrics.SuspectCode(text(6)),
		Status: int(r.status), Stalls: int(r.stalls), N: n, Failed: int(r.failed), Request: int(r.request),
		Prompt: unpacked(r.values[history.NumFigures], n), Output: unpacked(r.values[history.NumFigures+1], n),
	}
	for k := range e.Figures {
		e.Figures[k] = unpacked(r.values[k], n)
	}
}

// entries yields rows, each until the next one.
func (t *table) entries(rows []int32) iter.Seq[*history.Entry] {
	return func(yield func(*history.Entry) bool) {
		var e history.Entry
		for _, i := range rows {
			if t.entry(i, &e); !yield(&e) {
				return
			}
		}
	}
}

// tableOf returns a table of the rows of t that stay, and of no text of another one.
func tableOf(t *table, stays map[id]bool) (out table) {
	out.reset()
	for _, i := range t.order {
		r := t.rows[i]
		if !stays[r.id] {
			continue
		}
		r.series = out.series.of(t.series.list[r.series])
		for k, n := range r.texts {
			r.texts[k] = out.texts.of(t.texts.list[n])
		}
		out.order = append(out.order, int32(len(out.rows)))
		out.rows = append(out.rows, r)
	}
	return out
}

// arrange brings the rows from number from on into the order. It returns those
// that are new, ascending, and whether all of them came behind the others.
func (t *table) arrange(from int) (added []int32, atEnd bool) {
	for i := from; i < len(t.rows); i++ {
		added = append(added, int32(i))
	}
	slices.SortFunc(added, t.compare)
	added = slices.CompactFunc(added, func(a, b int32) bool { return t.compare(a, b) == 0 })
	added = slices.DeleteFunc(added, func(i int32) bool {
		_, double := slices.BinarySearchFunc(t.order, i, t.compare)
		return double
	})
	if len(added) == 0 {
		return nil, true
	}
	atEnd = len(t.order) == 0 || t.compare(t.order[len(t.order)-1], added[0]) < 0
	t.order = append(t.order, added...)
	if !atEnd {
		slices.SortFunc(t.order, t.compare)
	}
	return added, atEnd
}

// since returns the place in rows, which are in order, of the first at that
// moment or later.
func (t *table) since(rows []int32, ns int64) int {
	at, _ := slices.BinarySearchFunc(rows, ns, func(i int32, ns int64) int { return cmp.Compare(t.at(i), ns) })
	return at
}

// within returns those of rows, which are in order, from one moment until another, zero
// for none.
func (t *table) within(rows []int32, from, to time.Time) []int32 {
	if !to.IsZero() {
		rows = rows[:t.since(rows, to.UnixNano())]
	}
	if !from.IsZero() {
		rows = rows[t.since(rows, from.UnixNano()):]
	}
	return rows
}
