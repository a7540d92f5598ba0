// Package ui is the terminal interface: routing, key map, layout, frame clock.
// It shows what a Backend tells it and sends it commands; it knows themes and
// metrics and nothing of how a measurement is made.
//
// The way of a frame: a message comes (a key, a beat of the frame clock, a
// Notify of the engine); route hands it to the part that knows it; that part
// changes the model and says that it is dirty; Update draws the grid once and
// keeps the painted string, which View returns. The clock beats only while
// something moves.
//
// Where to add what:
//   - a key: a line in ui/keys/table.go and a line in onLive (handle.go)
//   - a key of the Load screen: a line in ui/keys/load.go and one in onLoad or
//     onLane (loadkeys.go); what it does: loadscreen.go
//   - a key of the Explain screen: a line in ui/keys/explain.go and one in
//     onExplain (explainkeys.go); what it does: explainscreen.go, explaintour.go
//   - a dialog: a file in ui/dialog and its Acts in act (dialogs.go)
//   - a preset: an entry in ui/prompts
//   - a line of the report: rows (report.go)
//   - a thing in the header or the footer: header.go, tabs.go, footer.go
package ui
