// Package race runs rounds of requests to two to six lanes and judges their pairs
// while they come.
//
// A round sends the same workload to every lane, each with a line of its own
// before the prompt, so that no prefix cache helps. The order is drawn for each
// round. Lanes run one after the other, because two streams at the same time share
// the network of this machine and maybe a server; a parallel race is a mode of its
// own. The first round is dropped.
//
//   - [Start], [Race]: the goroutine of a race and its view (race.go, view.go).
//   - one round, sequential or parallel: round.go
//   - when it ends: bounds.go
//
// With a Swap the lanes are settings of one server: each block of requests begins with a
// restart.
//
//   - blocks in the order that was drawn: swap.go; the restart: server.go
//
// What pairs and blocks say is computed by metrics/racestat.
package race
