// Package explain is the Explain screen: the open engine of the embedded
// endpoint, beside the measurements of a client. Screen drives the engine and
// keeps a View, which the picture turns into cells. It has no goroutine, and
// no clock but the view's.
//
// The timeline is drawn in every frame. Numbers change four times a second
// (picture.go), and at once when a person chooses another step. The layout
// depends on the size and on whether a tour is on, never on figures.
//
// Where to look, and where to add what:
//   - what the screen needs of the measuring side, and its input: view.go; what its keys and
//     clicks do: screen.go, to knobs, time and the tour controls.go; a key: a line in keys.go
//   - the order of drawing, what panels draw with, and the click targets: picture.go, ui/draw
//   - the place of each panel at each size, and bounds with their reasons: layout.go;
//     without boxes: picture.go
//   - knobs and the names of their positions: knobs.go; state and figures: head.go
//   - engine steps over time: timeline.go; one of them, or many a column: block.go;
//     the chunks of the client below them: arrivals.go
//   - one step in parts: step.go; the roofline and the chart of a lesson: charts.go
//   - requests and the cache: batch.go; the client's side: client.go
//   - predictions: whatif.go; the tour and its figures: tour.go
//   - the workload lens, as a panel, a box or a line: layout.go
package explain
