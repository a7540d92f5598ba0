// Package tap is the screen of a tap's session: a sentence, the turns as lanes on one clock,
// whose time the session was, and of the selected turn its scope, as Live draws it, and its
// facts. It exists only while a tap is shown.
//
//   - Screen: keys and samples, screen.go; a turn on Live, lent.go.
//   - picture: the layout and its panels, picture.go; the columns of a row and its lane, table.go;
//     the clock of the lanes, axis.go.
package tap
