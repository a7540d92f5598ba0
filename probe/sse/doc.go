// Package sse turns the bytes of a response body into server-sent events, and
// keeps with every event the stamp of the read that delivered its last data
// line. It knows no net, no JSON decoding and no clock.
//
// Two steps, because they run at two places:
//   - Cutter finds line ends. It runs inside the connection's read, where a
//     stamp is taken, so it is cheap and allocates nothing.
//   - Assembler makes events of lines. It runs with the consumer, later.
package sse
