// Package cli is the command line: the command tree with its flags, and the
// output of the headless commands. It runs nothing itself. main passes it the
// actions, so that it depends on metrics but not on how a measurement is
// made.
//
// A new command is one file here with its flags and output, one field of
// Actions, and its wiring in main.go.
package cli
