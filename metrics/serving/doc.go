// Package serving describes the inside of a serving engine as data: its
// knobs, its hardware, its steps and requests, predictions, and lessons. It
// computes nothing; package probe/explain fills it in.
//
// A knob is a field of Knobs here and one line in probe/explain.
package serving
