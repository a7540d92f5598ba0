package sse

import "tokscope/metrics"

// Line is one line of the body with the stamps of the read that delivered its
// last byte.
type Line struct {
	Data []byte        // without its line end
	At   metrics.Stamp // the best available stamp
	User metrics.Stamp // user-space clock right after the read
	Read int32         // number of the read, from 0 within the response
	// Bytes is the line's size on the wire with its line end. If a CR and its
	// LF arrived in two reads, the LF counts with the next line.
	Bytes  int32
	Kernel bool // At is the kernel's stamp
}

// Event is one server-sent event, or one comment line. At, User, Read and
// Kernel are those of its last data line.
type Event struct {
	Name []byte // the event: field, empty without one
	Data []byte // joined data lines without surrounding blanks; the text of a comment
	// Field is "" for an ordinary event and "error" for the non-standard
	// `error: {...}` line of older llama.cpp servers.
	Field    string
	At, User metrics.Stamp
	Read     int32
	Bytes    int32 // all lines of the event with their ends, also the blank line that ended it
	Kernel   bool
	Comment  bool
}
