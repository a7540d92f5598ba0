// Package lens draws what a workload lens says of an endpoint: a row for each
// budget, and for an agent where the time of its task goes. Any screen that
// has figures can show it: Update a Panel with them, then Draw it as a wide box,
// as a Tile or as a Line. What is drawn is worked out when the figures change
// and kept; a frame in which nothing changed builds no text.
//
//   - what the rows hold: panel.go
//   - where it goes as a wide box and as a line: draw.go; as a high one: block.go
//   - all lenses of the same figures, side by side: board.go
//   - the agent's calculator: agent.go
package lens
