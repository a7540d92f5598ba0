// Package sse turns the bytes of a response body into server-sent events.
// Each event keeps the stamp of the read that delivered its last data line.
// The package has no network, no JSON decoding and no clock.
//
// It has two steps, because they run in two places:
//   - Cutter finds line ends. It runs inside the connection's read, where stamps
//     are taken, so it is cheap and allocates nothing.
//   - Assembler builds events from lines. It runs later, with the consumer.
package sse
