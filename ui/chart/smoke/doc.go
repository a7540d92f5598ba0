// Package smoke draws a figure over hours or weeks: nested quantile bands of
// slots of time, failures, a baseline and change points, on a UTC axis.
//
// The chart is braille, two columns and four rows of dots a cell. A column of dots
// shows the slots at its middle. A slot narrower than it belongs to the column of
// its own middle, so none is left out. One slot is drawn with its quantiles;
// several are mixed first: history.Mix.
//
// The middle half needs four values; fewer show the median and all alone.
//
// Every quantile is drawn in the row of dots that holds it. A cell with a median
// has medians alone, in the color of how far they are from what is usual. A value
// below the axis makes the lowest cell an arrow. The baseline and the marks beside the
// numbers are dots too, so that equal values are at equal height; guides use cells that
// the bands leave free.
//
// Where to look: both axes, and the words and marks above it, in axis.go; columns and the
// drawing in smoke.go.
package smoke
