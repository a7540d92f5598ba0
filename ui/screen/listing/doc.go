// Package listing is the list of ended requests, one a row: those of a load, those
// of a recorded load, and the runs of Live. A person filters and sorts it, and
// opens a row on the screen that shows streams.
//
// A screen makes a List with what it lists as a Config, gives it new rows with
// Update, and draws it as a panel that fills the screen. Its keys call the methods.
//
//   - the state, the filter, the selection, and a row that is opened: list.go
//   - the rows and their columns: draw.go
//   - columns by rank, headings and cells of any table, also of the session on Live
//     and of History: table.go
package listing
