// Package stats decides which of two endpoints is faster, whether one has
// changed, and since when. It holds methods only: it knows no request, no clock
// and no words.
//
// Two families are kept apart. What is looked at while it grows (a race, a watch)
// uses confidence sequences: they hold at every moment at once, so that a person
// may stop whenever they like. What is complete (two files, a history) uses tests
// of a fixed size, which do not hold if somebody looks earlier.
//
//   - [Rejects], [Counts], [ProbabilityInterval], [QuantileInterval]: Robbins'
//     mixture, at any stopping time.
//   - [Pairs]: a race of two, its state, its interval and its forecast.
//   - [Cusum]: a change while it happens, and how often it errs.
//   - [MannWhitney], [HodgesLehmann], [Fisher], [ShareInterval], [OrderInterval],
//     [Holm]: complete samples.
//   - [ChangePoints]: when a complete series changed.
//
// The tests compare each with a published implementation, whose answers and
// versions stand in testdata/reference.json, and with simulations.
package stats
