// Package explain draws the Explain screen: the engine of the embedded
// endpoint laid open, beside what a client of it measures. It turns a View into
// cells; it has no goroutine and no clock but the view's.
//
// The timeline is drawn anew with every frame; numbers change four times a
// second (screen.go), at once when a person looks at another step. The layout
// depends on the size and on whether a tour is on, never on figures.
//
// Where to look, and where to add what:
//   - which panel goes where at which size: layout.go; without boxes: small.go
//   - knobs and what their positions are called: knobs.go; state and figures: head.go
//   - engine steps over time: timeline.go; one of them: block.go; many a column:
//     dense.go; the chunks of the client below them: arrivals.go, heard.go; the scale: zoom.go
//   - one step taken apart: step.go, its rows: terms.go; in the roofline: roofline.go
//   - requests: batch.go; the cache: kv.go; the client's side: client.go
//   - predictions: whatif.go; the tour: tour.go, its figures: tourtable.go, its chart: seesaw.go
//   - the workload lens, as a panel, a box or a line: lens.go
//   - how numbers are written: format.go; what panels draw with: pen.go, ui/draw; curves: braille.go
//   - what the screen is told: view.go; bounds with their reasons: scale.go
package explain
