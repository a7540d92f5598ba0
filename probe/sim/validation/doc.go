// Package validation compares the model with published measurements. Its rows
// are facts with their sources. Its test replays them in virtual time, prints
// published against simulated, and fails beyond the promised error.
//
// rows_test.go holds the rows that the model was first built with, and
// developed_test.go new ones. sealed_test.go holds those that no change of the
// model may be made for; splitRule chose them before any was replayed. A
// constant that was derived from a published row names it, and the row is not
// in a table.
package validation
