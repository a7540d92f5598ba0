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
//   - what the screen needs of the measuring side: backend.go; what its keys and
//     clicks do: screen.go, to knobs and time controls.go, to the tour lessons.go;
//     a key: a line in keys.go
//   - the order of drawing, and the click targets: picture.go
//   - the place of each panel at each size: layout.go; without boxes: picture.go
//   - knobs and the names of their positions: knobs.go; state and figures: head.go
//   - engine steps over time: timeline.go; one of them, or many a column: block.go;
//     the chunks of the client below them: arrivals.go
//   - one step in parts: step.go, its rows: terms.go; in the roofline: roofline.go
//   - requests: batch.go; the cache: kv.go; the client's side: client.go
//   - predictions: whatif.go; the tour: tour.go, its figures: tourtable.go, its chart: seesaw.go
//   - the workload lens, as a panel, a box or a line: lens.go
//   - what panels draw and write with: canvas.go, ui/draw; charts: ui/chart
//   - the screen's input: view.go; bounds with their reasons: scale.go
package explain
