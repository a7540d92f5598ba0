// Package ui is the root of the terminal interface: it routes messages and
// lays out the frame. It handles the terminal, themes, dialogs and the frame
// clock. Of the screens it uses only their interface (ui/screen), and it does
// not depend on how a measurement is made.
//
// A frame starts with a message: a key, a tick of the frame clock, a Notify
// of the engine, or the result of a screen's command. route passes the
// message to the part that handles it, and that part marks the picture as
// changed. Update draws the grid once. The clock ticks only while something
// moves.
//
// The terminal (terminal.go) writes the cells that changed. Bubble Tea's own
// renderer would parse the painted frame again: 48 % of the CPU time of Live at
// 147 tok/s. It keeps the modes of the terminal and is given an empty frame.
//
// A key is looked up in this order: the bindings of the top dialog, or of the
// shown screen without a dialog; the keys that work everywhere (keys.go); the
// keys of the tabs. A binding has its own handler. Without one the root
// carries out its intent (do, in keys.go). A click is looked up in the
// grid. Header and footer belong to the root, the cells of a dialog to the
// dialog, all others to the screen. The answer of a dialog goes to its
// opener.
//
// Where to add what:
//   - a screen, or a key or a click target of one: see ui/screen
//   - a key that works everywhere: a line and its intent in keys.go
//   - a dialog: a file in ui/dialog; what only the root can do for it: act (dialogs.go)
//   - a preset: an entry in ui/prompts
//   - a line of the report on a run: facts (ui/report/run.go)
//   - a part of the header or the footer: for one screen in its Status, else
//     bars.go
package ui
