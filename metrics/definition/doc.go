// Package definition computes one stream under the definitions of the field's
// tools. It has no goroutine, no clock and no words.
//
//   - Rule: a tool's definitions as data, with the versions and the source that
//     they were read in. Rules are all of them.
//   - Trace: what a tool sees of a stream: which events came when.
//   - Row: the figures of one rule, and the events that each was made of.
//
// All rules are applied to the same arrivals: tokscope's stamps. What a tool's
// own clock adds, such as the time to parse an event, is no definition.
package definition
