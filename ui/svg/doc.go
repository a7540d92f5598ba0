// Package svg draws the cells of a terminal as an SVG picture: the screen that
// the program shows, and the pictures of the README.
//
// Box drawing, block elements and braille are drawn as shapes, so that lines
// close and bars have no seams with any font. All other text is text, escaped
// for XML.
package svg
