// Package chart turns data into pictures made of cells. It is the one adapter
// to ntcharts: axes, labels, lines and points are drawn on its canvas, and the
// canvas is then read cell by cell; the place of a cell is its role.
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
// # What ntcharts draws, and what it does not
//
// At v2.0.3, the axes and their labels are drawn on the canvas of ntcharts. Lines
// and points are ours, by a measurement of a curve with a point a column on 200x50
// cells, drawn and read cell by cell, on a busy machine with two cores: a whole
// frame may take 1 ms and 200 allocations, on a calm one.
//
//	                                          time    memory  allocations
//	ours, in braille                        0.19 ms       0 B            0
//	its braille grid, drawn on its canvas    5.5 ms    7.3 MB        1,183
//	its sparkline in braille                 6.9 ms   14.2 MB        1,235
//	its line chart, line by line             217 ms   63.0 MB      161,563
//	its View of an empty canvas               59 ms    10 kB            1
//
// What is missing beside speed: a role for each cell of a curve, ASCII letters, and
// lines that are broken at a point without a value.
//
// Where to look: axes with their ticks, round numbers and the scale of scope and smoke
// in axis.go, what is to be drawn and the kept picture in chart.go, the drawing in
// draw.go, marks and words above it in overlay.go.
package chart
