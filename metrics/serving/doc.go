// Package serving describes the inside of a serving engine as data: its
// knobs, its hardware, its steps and requests, predictions, and lessons. It
// computes nothing; package probe/explain fills it in.
//
// A new knob is a field of Knobs, a Knob, and a line in Changed; docs/architecture.md
// has the rest of its places.
package serving
