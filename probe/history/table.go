package history

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"time"

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
	return out, err == nil && hex.EncodeToString(out[:]) == text
}

// table holds entries as rows of one size in one block of memory, so that 100,000
// of them are read by one copy and cost the garbage collector nothing. Texts and
// series stand beside them once.
type table struct {
	rows    []byte
	texts   []string
	textOf  map[string]uint32
	series  []history.Series
	serieOf map[history.Series]uint32
	// order holds the rows by moment and ID, without doubles.
	order []int32
}

// numTexts is the number of texts in a row.
const numTexts = 7

// numValues is the number of values in a row: the figures, then the tokens of
// prompt and output.
const numValues = int(history.NumFigures) + 2

// Places in a row. A value is its bits, or those of its reason where the bit of
// known is not set. known has a bit for each value, in as many bytes as that takes.
const (
	rowID      = 0
	rowAt      = 16
	rowSeries  = 24
	rowTexts   = 28 // kind, group, answered, fault, session, version, end marker missing
	rowNumbers = 56 // status, stalls, n, failed, request
	rowState   = 76
	rowSuspect = 77
	rowKnown   = 78
	rowValues  = rowKnown + (numValues+7)/8
	rowSize    = rowValues + 8*numValues
)

var order = binary.LittleEndian

func (t *table) reset() {
	*t = table{textOf: map[string]uint32{}, serieOf: map[history.Series]uint32{}}
	t.text("")
}

func (t *table) text(s string) uint32 {
	n, ok := t.textOf[s]
	if !ok {
		n = uint32(len(t.texts))
		t.texts = append(t.texts, s)
		t.textOf[s] = n
	}
	return n
}

func (t *table) seriesNumber(s history.Series) uint32 {
	n, ok := t.serieOf[s]
	if !ok {
		n = uint32(len(t.series))
		t.series = append(t.series, s)
		t.serieOf[s] = n
	}
	return n
}

// len returns the number of rows.
func (t *table) len() int { return len(t.rows) / rowSize }

func (t *table) row(i int32) []byte { return t.rows[int(i)*rowSize:][:rowSize] }

// at returns the moment of row i, ns since 1970.
func (t *table) at(i int32) int64 { return int64(order.Uint64(t.rows[int(i)*rowSize+rowAt:])) }

func (t *table) seriesAt(i int32) uint32 { return order.Uint32(t.rows[int(i)*rowSize+rowSeries:]) }

// compare orders rows by moment, then ID.
func (t *table) compare(a, b int32) int {
	if x, y := t.at(a), t.at(b); x != y {
		if x < y {
			return -1
		}
		return 1
	}
	return slices.Compare(t.row(a)[:rowAt], t.row(b)[:rowAt])
}

// add adds a row, not yet to the order. It returns false if the ID of e is not
// one.
func (t *table) add(e *history.Entry) bool {
	key, ok := parseID(e.ID)
	if !ok {
		return false
	}
	t.rows = append(t.rows, make([]byte, rowSize)...)
	r := t.row(int32(t.len() - 1))
	copy(r, key[:])
	order.PutUint64(r[rowAt:], uint64(e.At.UnixNano()))
	order.PutUint32(r[rowSeries:], t.seriesNumber(e.Series))
	for i, s := range [numTexts]string{string(e.Kind), e.Group, e.Answered, string(e.Fault), e.Session, e.Version,
		string(e.Unended)} {
		order.PutUint32(r[rowTexts+4*i:], t.text(s))
	}
	for i, n := range [...]int{e.Status, e.Stalls, e.N, e.Failed, e.Request} {
		order.PutUint32(r[rowNumbers+4*i:], uint32(min(max(n, 0), math.MaxInt32)))
	}
	r[rowState] = byte(e.State)
	if e.Suspect {
		r[rowSuspect] = 1
	}
	set := func(i int, v metrics.Value) {
		bits := uint64(v.Why)
		if v.OK {
			r[rowKnown+i/8] |= 1 << (i % 8)
			bits = math.Float64bits(v.V)
		}
		order.PutUint64(r[rowValues+8*i:], bits)
	}
	for i, v := range e.Figures {
		set(i, v)
	}
	set(numValues-2, e.Prompt)
	set(numValues-1, e.Output)
	return true
}

// entry fills e with row i, without its ID, and without texts that are not of the
// series: that saves time where only figures matter.
func (t *table) entry(i int32, e *history.Entry) {
	r := t.row(i)
	n := func(k int) int { return int(order.Uint32(r[rowNumbers+4*k:])) }
	*e = history.Entry{
		At: time.Unix(0, t.at(i)).UTC(), Series: t.series[t.seriesAt(i)],
		State: metrics.State(r[rowState]), Suspect: r[rowSuspect] == 1,
		Status: n(0), Stalls: n(1), N: n(2), Failed: n(3), Request: n(4),
	}
	get := func(k int) metrics.Value {
		bits := order.Uint64(r[rowValues+8*k:])
		if r[rowKnown+k/8]&(1<<(k%8)) == 0 {
			return metrics.Unknown(metrics.Why(bits))
		}
		return metrics.Known(math.Float64frombits(bits), e.N)
	}
	for k := range e.Figures {
		e.Figures[k] = get(k)
	}
	e.Prompt, e.Output = get(numValues-2), get(numValues-1)
}

// addTexts adds the texts of row i to e.
func (t *table) addTexts(i int32, e *history.Entry) {
	r := t.row(i)
	text := func(k int) string { return t.texts[order.Uint32(r[rowTexts+4*k:])] }
	e.Kind, e.Group, e.Answered, e.Fault, e.Session, e.Version, e.Unended = history.Kind(text(0)),
		text(1), text(2), metrics.FaultKind(text(3)), text(4), text(5), metrics.SuspectCode(text(6))
}

// key returns the ID of row i, and idOf its text.
func (t *table) key(i int32) id { return id(t.row(i)[:rowAt]) }

func (t *table) idOf(i int32) string {
	key := t.key(i)
	return hex.EncodeToString(key[:])
}

// tableOf returns a table of the rows of t that stay, and of no text of another one.
func tableOf(t *table, stays map[id]bool) (out table) {
	out.reset()
	out.rows = make([]byte, 0, len(t.rows))
	for _, i := range t.order {
		if !stays[t.key(i)] {
			continue
		}
		out.order = append(out.order, int32(out.len()))
		out.rows = append(out.rows, t.row(i)...)
		r := out.row(int32(out.len() - 1))
		order.PutUint32(r[rowSeries:], out.seriesNumber(t.series[t.seriesAt(i)]))
		for k := range numTexts {
			text := r[rowTexts+4*k:]
			order.PutUint32(text, out.text(t.texts[order.Uint32(text)]))
		}
	}
	return out
}

// arrange brings the rows from number from on into the order. It returns those
// that are new, ascending, and whether all of them came behind the others.
func (t *table) arrange(from int) (added []int32, atEnd bool) {
	for i := from; i < t.len(); i++ {
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
	at, _ := slices.BinarySearchFunc(rows, ns, func(i int32, ns int64) int {
		switch v := t.at(i); {
		case v < ns:
			return -1
		case v > ns:
			return 1
		}
		return 0
	})
	return at
}
