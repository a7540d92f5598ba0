// Package load draws the Load screen: many users on one endpoint, and what
// becomes of each when there are more. It turns a View into cells; it has no
// goroutine and no clock but the view's.
//
// Lanes are drawn anew with every frame; numbers and charts change four times
// a second (screen.go), because a figure that changes faster cannot be read
// and a chart is expensive to draw. The layout depends on the size alone.
//
// Where to look, and where to add what:
//   - which panel goes where at which size: layout.go; without boxes: small.go
//   - the slider and what a place on it means: slider.go; the big figures: head.go
//   - the charts, one function a kind: curve.go, frontier.go, timeline.go
//   - a row a user: lanes.go; several users a row: crowd.go;
//     all of them together: everyone.go
//   - goodput and its objectives: goodput.go; distributions, errors, observer: against.go
//   - which points of a path count: points.go
//   - how numbers are written: format.go; what panels draw with: pen.go, ui/draw
//   - what the screen is told: view.go; scales with their reasons: scale.go
package load
