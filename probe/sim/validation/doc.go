// Package validation compares the model with published measurements. Its rows
// are facts with their sources. Its test replays them in virtual time, prints
// published against simulated, and fails beyond the promised error. No
// constant of the model is set from a row, except where rows_test.go says so.
package validation
