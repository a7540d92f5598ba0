// Package explain is the measuring side of the Explain screen: its knobs, the
// model's predictions in virtual time, and the measurements of a running
// engine.
//
//	engineconfig.go  the knobs and their defaults, and what they become: a setup and a mode
//	choices.go   the positions of each knob, with the reason why one is unavailable
//	machine.go   hardware and model as the screen shows them
//	predict.go   the results for some knobs: measurements of users in virtual time, beside the arithmetic
//	meter.go     measures an engine's steps, live and in virtual time alike
//	options.go   what the options among the knobs do to a setup
//	recorder.go  the latest steps, for views that cost nothing; step.go one of them and its requests
//
// The lessons are in explain/lessons, the running engine with its users in
// explain/runner.
//
// A new knob: see docs/architecture.md.
package explain
