// Package racestat holds a race between endpoints as data: lanes, rounds, and what
// the pairs of lanes say of each figure. It has no goroutine, no clock and no words.
//
//   - [Round], [Result]: one request for each lane, in an order that was drawn.
//   - [Board]: all pairs so far; [Verdict]: one figure of two lanes.
//   - [Swap], [Block]: one server under several settings, restarted before each block.
//   - [View]: a race at one moment, for screens and reports.
//
// The statistics are those of metrics/stats. The level is split over all verdicts
// that a race shows: five figures for each pair of lanes, two with a Swap.
package racestat
