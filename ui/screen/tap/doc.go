// Package tap is the screen of a tap's session: a sentence, the turns as lanes on one clock,
// whose time the session was, and of the selected turn its scope, as Live draws it, and its
// facts. It exists only while a tap is shown.
//
//   - Screen: keys and samples, screen.go; a turn on Live, lent.go.
//   - picture: the layout and its panels, picture.go; the columns before the lanes, table.go.
//   - the clock of the lanes, axis.go; what a lane is drawn of, lane.go.
package tap
