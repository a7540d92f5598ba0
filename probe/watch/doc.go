// Package watch probes targets again and again, each on a schedule without drift,
// and follows them with metrics/watchstat.
//
// Each target has a goroutine, which ends with the context of Start. The end of
// the context cuts the running probes, and they count for nothing. Time is the
// runtime's, so tests run in the virtual time of testing/synctest.
package watch
