// Package load is the Load screen: many users on one endpoint, and the effect
// of more of them on each. Screen drives the load and keeps a View, which the
// picture turns into cells. It has no goroutine, and no clock but the view's.
//
// Lanes are drawn in every frame. Numbers and charts change four times a
// second (picture.go): a figure that changes faster cannot be read, and a
// chart is expensive to draw. The layout depends on the size, and on whether all
// lanes have room beside a sentence of two rows.
//
// Where to look, and where to add what:
//   - what the screen needs of the measuring side, and its input: backend.go; what its keys and
//     clicks do: screen.go, to the load itself drive.go; a key: a line in keys.go
//   - a recorded load, which nothing changes: recorded.go
//   - a user's stream, lent to Live: lanes.go
//   - the list of ended requests, here and in a recording: keys.go; the panel is ui/screen/listing
//   - the order of drawing, what panels draw with, and the click targets: picture.go, ui/draw
//   - the place of each panel at each size, or alone: layout.go; without boxes: picture.go
//   - the slider, the number of users at a column, and the big figures: head.go
//   - the charts, one function a kind: charts.go, curve.go with the points that count, timeline.go
//   - the panel of the lanes, and all of them together: lanes.go; a row of one user, or of
//     several: lanerow.go
//   - requests by the length of their prompts, their chart and its table: lengths.go
//   - goodput and its objectives: goodput.go; distributions, errors, lag: comparison.go
package load
