// Package cli is the command line: the command tree with its flags, and what
// the headless commands print. It runs nothing itself: main hands it the
// actions, so that it knows metrics and nothing of how a measurement is made.
//
// A new command is one file here with its flags and output, one field of
// Actions, and its wiring in main.go.
package cli
