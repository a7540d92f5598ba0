package transport

import "time"

// lateBy is the distance between kernel and own stamp from which an event
// counts as late.
const lateBy = time.Millisecond
