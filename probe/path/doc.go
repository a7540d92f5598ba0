// Package path gathers evidence on the network beneath a stream: what the
// kernel's TCP_INFO counts around each long gap, when a request was
// acknowledged, and whether the host answers a connect during a silence.
//
// A Watcher is asked by the goroutine that ingests, after stamps are stored. It
// reads the socket at most every 10 ms, which changes no stamp. It holds no
// clock and no socket: both are handed to it.
package path
