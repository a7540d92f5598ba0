// Package physics computes how long one step of a serving engine takes on
// named hardware, and why. It is a roofline per step: the bytes to read, the
// arithmetic to do, and the fixed times that remain when both are small. It
// has no clock, no randomness and no I/O.
//
// A Setup is a model in a precision on some hardware under some software. Its
// Step turns a Load (the batch) into a Cost (one Term per cause).
//
// Where to add what:
//   - a machine: one line in the Machines table (machines.go), aliases.go
//   - a model: one line in the Models table (models.go), aliases.go
//   - a precision: one line in the Precisions table (precision.go)
//   - a serving software: one line in the Stacks table (stack.go)
//
// Constants come from kernel measurements (GEMM, attention and all-reduce
// timings as published in ai-dynamo/aiconfigurator) and from datasheets.
// Those of the software come from trained simulators. Each table names its
// sources. A constant derived from a published row names the row, and the
// validation does not count it. Estimates are called so.
package physics
