// Package lab is the measuring side of the Explain screen: what a person can
// turn, what the model says of it in virtual time, and what a running engine
// shows.
//
//	knobs.go     the knobs and their defaults; rig.go what they become: a setup and a mode
//	choices.go   the positions of each knob, with the reason why one cannot be taken
//	machine.go   hardware and model as the screen shows them
//	play.go      users in virtual time; predict.go what the model says of some knobs
//	outcome.go   what became of some knobs: what was measured beside the arithmetic
//	meter.go     what is measured of an engine's steps, live and in virtual time alike
//	recorder.go  the last steps, for views that cost nothing; step.go one of them
//
// The lessons are in lab/tour, the running engine with its users in lab/bench.
//
// A new knob is a field of metrics.Knobs, a line in choices.go and what it
// changes in rig.go.
package explain
