// Package live draws the Live screen: one stream under the microscope. It
// turns a View, an immutable picture of a moment, into cells; it has no
// goroutine and no clock but View.Now.
//
// What a frame costs does not grow with the stream: wrapped lines (lines.go)
// and columns of the gap strip (strip.go) are kept, and only what is new is
// worked out. Everything else is drawn from scratch.
//
// The layout depends on the size alone and never on a value, numbers stand in
// fields of fixed width, and scales grow in steps: nothing jumps.
//
// Where to look, and where to add what:
//   - which panel goes where at which size: layout.go; without boxes: small.go
//   - the text, its tints, its marks and headings: textpanel.go
//   - before the first word: waiting.go; what went wrong: fault.go
//   - the box beside the text: nowpanel.go; its three figures: figures.go; a row
//     below them: one line in facts.go
//   - the wait: phase.go; the gap strip: gaps.go; the race with a reader: race.go,
//     readerline.go; the session: runs.go
//   - a definition in the overlay: its name in definitions.go
//   - the workload lens: lens.go; what it draws is ui/lens
//   - how numbers are written: format.go; what panels draw with: pen.go, ui/draw
//   - what the screen is told: view.go; thresholds and scales with their reasons: scale.go
package live
