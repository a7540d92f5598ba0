// Package watchstat says whether the figures of an endpoint got worse than a
// baseline, since when, and in which phase. A Watch is fed with one entry for
// each probe. The package has no goroutine, clock, I/O or sentence.
//
//   - Plan: how often is probed and how rare false alarms must be.
//   - Design: the limit and the CUSUM of one figure, from the size of its baseline.
//   - Watch: the state of one target: learning, usual, changed.
//   - View: what is known of it, for lines and screens.
//
// Each figure has a CUSUM of its own (metrics/stats). The interval between false
// alarms that a View has holds over all figures of all targets together, in nine
// baselines of ten, if probes are independent.
package watchstat
