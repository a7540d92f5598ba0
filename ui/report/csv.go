package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// csvLine is a line of CSV. Every line of a file has the same names, which are its head.
type csvLine struct{ names, cells []string }

// add adds a cell: the name of its column, which holds the unit, and its value: a string,
// which may come from outside, a number, a bool, or a metrics.Value, which is an empty cell
// where it is unknown.
func (l *csvLine) add(name string, v any) {
	l.names, l.cells = append(l.names, name), append(l.cells, csvCell(v))
}

// fields adds fields of the struct that of points to, by their names in JSON, and in lower
// case where they have none. Column is the name of the column, with "*" for that of the
// field. The cells are empty where of is nil.
func (l *csvLine) fields(column string, of any, names ...string) {
	at := reflect.ValueOf(of)
	all := reflect.VisibleFields(at.Type().Elem())
	for _, name := range names {
		f := all[slices.IndexFunc(all, func(f reflect.StructField) bool {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return name == cmp.Or(tag, strings.ToLower(f.Name))
		})]
		var v any = ""
		if !at.IsNil() {
			v = at.Elem().FieldByIndex(f.Index).Interface()
		}
		l.add(strings.Replace(column, "*", name, 1), v)
	}
}

// writeCSV writes the head, and a line for each row, to which line adds its cells.
func writeCSV[R any](w io.Writer, rows []R, line func(*csvLine, *R)) error {
	c := csv.NewWriter(w)
	var head csvLine
	line(&head, new(R))
	_ = c.Write(head.names) // Error has its error, and that of the lines
	for i := range rows {
		var l csvLine
		line(&l, &rows[i])
		_ = c.Write(l.cells)
	}
	c.Flush()
	return c.Error()
}

// csvCell writes a cell. No spreadsheet runs one as a formula.
func csvCell(v any) string {
	switch v := v.(type) {
	case string:
		return sanitize.CSV(v)
	case metrics.Value:
		return csvNumber(v)
	case float64:
		return csvNumber(metrics.Known(v, 0))
	}
	return fmt.Sprint(v)
}

// csvNumber writes v with six figures, "" when it is unknown.
func csvNumber(v metrics.Value) string {
	if !v.OK || math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		return ""
	}
	if v.V == math.Trunc(v.V) && math.Abs(v.V) < 1e15 {
		return strconv.FormatFloat(v.V, 'f', 0, 64)
	}
	return strconv.FormatFloat(v.V, 'g', 6, 64)
}
