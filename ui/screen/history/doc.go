// Package history is the History screen: what this machine has measured. A
// sentence says what changed, a smoke chart shows one figure of one series, a
// panel says which phase of the wait explains a change, and a table lists the runs.
//
// Screen sends questions to the store and keeps the answers in a View, which the
// picture turns into cells. Questions are commands: nothing here waits for the disk.
// The table asks for the rows around those that are visible, and no others.
//
// Where to look, and where to add what:
//   - what the screen needs of the measuring side, and its input: view.go; what its keys
//     do: screen.go, move.go; a key: a line in keys.go
//   - what is asked, and what follows from the answers: load.go, finding.go
//   - the place of each panel at each size, and the order of drawing: picture.go
//   - the panels: phases.go, runs.go
//   - how a change is worded: ui/format; the chart: ui/chart/smoke
package history
