// Package chart turns data into pictures made of cells. It is the one adapter
// to ntcharts: axes, labels, lines and points are drawn on its canvas, and the
// canvas is then read cell by cell, with roles in place of styles.
//
// A drawing costs tens of microseconds and its canvas most of a megabyte (a cell
// of ntcharts is 656 bytes), so a Chart keeps both: it draws anew only when the
// data, the size or the glyphs have changed, a few times a second and without
// an allocation, while frames are copies. The View of ntcharts, which renders a
// style a cell, is never called.
//
// What ntcharts must never see is kept away from it here: sizes below 2x2,
// numbers that are none, and text of more than one byte a column in labels.
//
// Where to look: axes and their ticks in axis.go, what is to be drawn in
// plot.go, the drawing in draw.go, marks and words above it in overlay.go, the
// kept picture in chart.go.
package chart
