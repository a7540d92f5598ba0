// Package validation compares the model with published measurements. Its rows
// are facts with their sources; its test replays them in virtual time, prints
// published against simulated, and fails when the model is off by more than it
// promises. No constant of the model is set from a row, except where rows_test.go
// says so.
package validation
