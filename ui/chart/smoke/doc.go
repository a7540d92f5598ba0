// Package smoke draws a figure over hours or weeks: nested quantile bands of
// slots of time, failures, a baseline and change points, on a UTC axis.
//
// A column shows the slots at its middle. A slot narrower than a column belongs
// to the column of its own middle, so none is left out. One slot is drawn with
// its quantiles; several are mixed first: history.Mix.
//
// The middle half needs four values; fewer show the median and all alone.
//
// Every quantile is drawn in the cell that holds it. A value outside the axis
// lies in the outermost cell, which is then an arrow. Guides and words use
// cells that the bands leave free.
//
// Where to look: columns in columns.go, both axes in axis.go, the drawing in
// smoke.go, words and marks above it in marks.go.
package smoke
