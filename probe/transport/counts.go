package transport

import "time"

// lateBy is the distance between kernel and own stamp from which an event
// counts as seen late by this program.
const lateBy = time.Millisecond
