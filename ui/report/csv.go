package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/sanitize"
)

// csvColumn is a column of CSV: its heading, which holds the unit, and the cell of
// a row: a string, which may come from outside, a number, a bool, or a
// metrics.Value, which is an empty cell where it is unknown.
type csvColumn[R any] struct {
	name string
	of   func(R) any
}

// itself makes a row of an element.
func itself[E any](e *E) *E { return e }

// writeCSV writes the headings and a line a row.
func writeCSV[R any](w io.Writer, columns []csvColumn[R], rows []R) error {
	c := csv.NewWriter(w)
	cells := pick.Each(columns, func(c *csvColumn[R]) string { return c.name })
	_ = c.Write(cells) // Error has its error, and that of the lines
	for _, r := range rows {
		for i := range columns {
			cells[i] = csvCell(columns[i].of(r))
		}
		_ = c.Write(cells)
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
