// Package format turns figures into text. It is the only place of the program
// that does. Screens, reports, the headless commands, lessons and the sentences
// of package say call it, so that a figure prints the same everywhere.
//
// The rules:
//
//   - A measured figure has three significant digits: "7.10 ms", "276 ms",
//     "4,110 tok/s". Below 0.001 it is "<0.001".
//   - A count is exact: "12,345". A setting or a limit is exact too, and has no
//     zeros at its end: "0.5", "450 ms".
//   - The unit stands on every figure, or once in the heading of its column.
//   - Rounding never claims too much: "<1 %" is not 0 %, ">99 %" not 100 %.
//   - An unknown figure is "–", with its reason where that fits.
//   - No text holds "NaN", "Inf" or an exponent.
//
// Functions named Append write into a slice and do not allocate; the 30 Hz
// path uses them. No text of a figure is wider than its function says, so that a
// field of that width never moves.
//
// number.go has numbers and counts, duration.go times, share.go percentages and ratios,
// unit.go amounts with a unit. value.go has a figure by its row of metrics/figure, and
// those that may be unknown or have a bound, reason.go why one is unknown. text.go has
// functions on finished texts: wrap, plural, ASCII.
package format
