// Package lens draws the verdict of a workload lens on an endpoint: a row for
// each budget, and for an agent the parts of its task's time. Any screen with
// figures can show it. It updates a Panel with them, then draws it as a wide
// box, as a Tile or as a Line. The texts of verdicts are made when the figures
// change and kept; the Canvas joins the rest and writes all of it in its glyphs. A
// frame without a change allocates nothing.
//
//   - the content of the rows, and the agent's calculator: panel.go
//   - drawing as a wide box and as a line: draw.go; as a high box, and all lenses side by side: block.go
package lens
