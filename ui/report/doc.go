// Package report writes measurements as text and as Markdown: one request
// (run.go), the runs of a screen (runs.go), a probe (probe.go), a lens
// (lens.go), a load (load.go), a sweep (sweep*.go), the tour (tour.go).
// Screens, plain mode and the headless commands call it, so that all of them
// print the same text. It sanitizes strings from outside. Package format
// writes the figures.
package report
