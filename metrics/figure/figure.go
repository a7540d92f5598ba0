// Package figure is the one table of the figures of a request. A row says what
// every list of figures needs of one: its key in JSON, its names, its unit, which
// direction is better, where the panel of all figures has it, and its value in a
// record. Lists of figures elsewhere are slices of IDs.
//
// A figure is added in table.go with an ID and a row. Its value is the field of
// metrics.Figures that has the key as its tag, unless the row has a function for it, and
// ui/say has the words of its definition. It then stands on the
// panel of all figures of its Section, in JSON, in CSV where CSV is set, as a line
// of probe where Text is set. An ID before Kept is kept by the history, and filters,
// orders and conditions of --fail-if take its Name.
//
// The package has no text of more than a label, and no figure of a whole load but
// those that the history keeps of one.
package figure

import (
	"cmp"
	"reflect"

	"tokscope/metrics"
)

// Unit is what the value of a figure counts.
type Unit uint8

// The units.
const (
	Ms Unit = iota
	TokensPerSecond
	ChunksPerSecond
	Number  // of tokens, chunks, gaps or reads, whole
	Ratio   // of two numbers
	Times   // as often
	Share   // 0 to 1
	Percent // per 1000 tokens; it may be negative
	WordsPerMinute
	Money // in the currency of the endpoint's price
)

// Direction says which values of a figure are better.
type Direction uint8

// The directions.
const (
	Lower Direction = iota
	Higher
	Neither
)

// Section is a part of the panel of all figures, in the order of the panel.
type Section uint8

// The sections. Hidden figures are not on the panel.
const (
	Hidden Section = iota
	Firsts
	Speeds
	Gaps
	Counts
	Reader
	Server
	Connection
	Sections // their number, and that of Hidden
)

// Figure is a row of the table. Without a Unit it is a time in ms, and lower is better
// unless Better says otherwise.
type Figure struct {
	ID ID
	// Key is the name in JSON and CSV, with the unit; "" stands in neither.
	Key string
	// Name is the word in filters, orders, conditions and the history. Aliases are
	// further ones that filters and conditions take.
	Name    string
	Aliases []string
	// Label is the name on screen and in text. Row is that on the panel, where the
	// section says a part of it; the table leaves it out where it is the Label.
	Label, Row string
	Unit       Unit
	Better     Direction
	Section    Section
	// Part is the part of the wait that the figure is, by its name in
	// metrics.Figures.Wait; "" is none.
	Part string
	// Counted is set where the value rests on the count of tokens, and is an estimate
	// where that is one.
	Counted bool
	// CSV makes it a column of probe's CSV, and Text a line of probe.
	CSV, Text bool
	// of is a value that is not the field of a record, and ofStream one that needs the
	// stream as well.
	of       func(*metrics.Figures) metrics.Value
	ofStream func(*metrics.Stream, *metrics.Figures) metrics.Value
	// value and dist are the field. A figure of several requests has neither.
	value func(*metrics.Figures) *metrics.Value
	dist  func(*metrics.Figures) *metrics.Dist
}

// Of returns the row of a figure below Count.
func Of(id ID) *Figure { return &table[at[id]] }

// All returns the table in the order of the panel. It is shared: read only.
func All() []Figure { return table[:] }

// Named returns the figure of a Name or an alias.
func Named(name string) (id ID, ok bool) {
	for i := range table {
		if f := &table[i]; f.Name == name {
			return f.ID, true
		}
		for _, alias := range table[i].Aliases {
			if alias == name {
				return table[i].ID, true
			}
		}
	}
	return 0, false
}

// String returns the Name.
func (id ID) String() string { return Of(id).Name }

// Label returns the name on screen and in text.
func (id ID) Label() string { return Of(id).Label }

// Timed reports whether the figure is a time in ms.
func (id ID) Timed() bool { return Of(id).Unit == Ms }

// Value returns the figure of a request: the median of a distribution. It is
// unknown for a figure of several requests.
func (f *Figure) Value(s *metrics.Stream, g *metrics.Figures) metrics.Value {
	switch {
	case f.of != nil:
		return f.of(g)
	case f.ofStream != nil:
		return f.ofStream(s, g)
	case f.value != nil:
		return *f.value(g)
	case f.dist != nil:
		return f.dist(g).P50
	}
	return metrics.Unknown(metrics.WhyNotMeasured)
}

// Dist returns the distribution in g, nil where the figure is none.
func (f *Figure) Dist(g *metrics.Figures) *metrics.Dist {
	if f.dist == nil {
		return nil
	}
	return f.dist(g)
}

// at is where each figure stands in the table.
var at = func() (at [Count]int) {
	for i := range table {
		f := &table[i]
		at[f.ID], f.Row = i, cmp.Or(f.Row, f.Label)
		f.value, f.dist = field[metrics.Value](f.Key), field[metrics.Dist](f.Key)
	}
	return at
}()

// field returns the field of a record that has key as its tag, nil where it has none of
// that type.
func field[T any](key string) func(*metrics.Figures) *T {
	record := reflect.TypeFor[metrics.Figures]()
	for i := range record.NumField() {
		if f := record.Field(i); key != "" && f.Tag.Get("json") == key && f.Type == reflect.TypeFor[T]() {
			return func(g *metrics.Figures) *T { return reflect.ValueOf(g).Elem().Field(i).Addr().Interface().(*T) }
		}
	}
	return nil
}

// The table has a row for each figure: it does not compile with one too many or one
// too few, and a test holds that none has two.
var _ [Count]Figure = table
