// Package race is the Race screen: the same prompt to two to six contestants, the
// text of each in a column, and what their pairs say of each figure. Screen drives
// the race and keeps a View, which the picture turns into cells. It has no
// goroutine, and no clock but the view's.
//
// One lane is live. A lane that has run in this round is shown again beside it from
// its own stamps, aligned at the moment each was sent, and marked recorded.
//
// Where to look, and where to add what:
//   - what the screen needs of the measuring side: view.go; what its keys do:
//     screen.go; a key: a line in keys.go
//   - the place of each panel at each size, and the order of drawing: picture.go
//   - the columns of text, and a lane that is lent to Live: lanes.go; the verdicts, what
//     qualifies them, and the table of pairs: verdicts.go; settings of a server: blocks.go
//   - a round that is shown again: heat.go; contestants that are proposed: screen.go
//   - how verdicts are worded: ui/say; what stays in the scrollback: ui/report
package race
