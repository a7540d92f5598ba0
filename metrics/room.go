package metrics

import "math"

// StreamMemory is the most that each further one of many requests at the same time
// takes, in bytes.
const StreamMemory = 60_000

// Room is what this machine has for requests at the same time. Limits, memory and ports
// of 0 are not known.
type Room struct {
	Files, FileLimit int   // open beside the requests, and the most that may be
	Each             int   // open files that a request needs: 2 where its server is this program
	Memory           int64 // bytes that are free for this program
	Ports            int   // local ports for connections to one address
}

// Needs returns how many files n requests and this program have open together, and some more.
func (r *Room) Needs(n int) int { return r.Files + 16 + n*max(r.Each, 1) }

// Fits returns how many requests have open files and ports, as far as that is known.
func (r *Room) Fits() (requests int) {
	requests = math.MaxInt32
	if r.FileLimit > 0 {
		requests = max(r.FileLimit-r.Needs(0), 0) / max(r.Each, 1)
	}
	if r.Ports > 0 {
		requests = min(requests, r.Ports)
	}
	return requests
}
