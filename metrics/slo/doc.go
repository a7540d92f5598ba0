// Package slo judges figures: objectives set by a person, goodput against
// them, and lenses, which compare a run with the budgets of a use. It is
// pure, like package metrics, and returns grades and numbers.
//
// Where to add what:
//   - an objective for --slo: its name in names (slo.go)
//   - a use with its budgets: one entry in lenses (lens.go)
package slo
