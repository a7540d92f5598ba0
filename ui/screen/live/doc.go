// Package live is the Live screen: one stream in detail. Where it comes from, and
// what may be done about it, is the screen's source: the session's own requests, a
// stream that another screen lends, a recording. The screen keeps a View, an immutable
// snapshot, which the picture turns into cells. Only the backend has a goroutine and a
// clock.
//
// The cost of a frame does not grow with the stream. Wrapped lines (lines.go)
// and columns of the scope (ui/chart/scope) are kept, and only new ones are
// computed. Everything else is drawn from scratch.
//
// The layout depends on the size alone and never on a value. Numbers have
// fields of fixed width, and scales grow in steps, so nothing jumps.
//
// Where to look, and where to add what:
//   - what the screen needs of the measuring side, and its input: source.go
//   - a source: a file with the methods of that name there, and a line in
//     ui/screen/registry; there are own.go, lane.go and replay.go, with their keys
//   - what is the same for all of them, their samples and the rate limits: screen.go; a
//     key: a line in keys.go; what it does: act.go
//   - the order of drawing, what panels draw with, and the click targets: picture.go, ui/draw
//   - the place of each panel, and of the workload lens, at each size, and of a panel on the
//     whole screen: layout.go; that of all figures: allfigures.go
//   - the sentence on top, and panels of Live on another screen: picture.go
//   - the text, its tints, its marks and headings: textpanel.go
//   - before the first word: waiting.go; failures: failure.go, the texts of an answer and the
//     definitions: answer.go
//   - the box beside the text and its three figures: figures.go; a fact below them: one
//     line in facts.go
//   - the scope and its phases: scopepanel.go; the reader in the text and below it:
//     reader.go; the session: runs.go; one chunk, and those that n and N go to: cursor.go
//   - auto: its decisions, without a clock, and its bound: trigger.go; its keys, mark and
//     messages, and the first minute: auto.go
//   - trends below the figures, and differences to the pinned run: trends.go
//   - columns and rows of the session, and the list of its runs: runlist.go; the panel is
//     ui/screen/listing
//   - a definition in the overlay: its rank in ui/say/definitions.go
//   - how numbers are written, thresholds and scales with their reasons: format.go
package live
