// Package watch is the screen of `tokscope watch`: a sentence, the targets as rows,
// and of the selected one a smoke chart and its phases. It is the only screen of
// that command and no tab of the others.
//
//   - Screen: keys and samples, screen.go.
//   - picture: the layout and its panels, picture.go; the chart's slots, slots.go.
package watch
