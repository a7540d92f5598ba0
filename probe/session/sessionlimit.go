package session

import "fmt"

// limit bounds the size of a session file. Events and reads are recorded up to
// three quarters of it, new requests up to all of it: the file exceeds it by
// the ends of running requests and by loads alone.
type limit struct {
	bytes int64 // 0: none
	// Requests without their events or a part of them, and those of which
	// nothing is recorded.
	bare, unrecorded int
	cut              map[int]bool // running requests that have lost details
}

// details reports whether events and reads are still recorded after so many bytes.
func (l *limit) details(written int64) bool { return l.bytes == 0 || written < l.bytes/4*3 }

// requests reports whether new requests are still recorded after so many bytes.
func (l *limit) requests(written int64) bool { return l.bytes == 0 || written < l.bytes }

// reached returns what the limit has cost, "" when nothing.
func (l *limit) reached() string {
	if l.bare+l.unrecorded == 0 {
		return ""
	}
	return fmt.Sprintf("the session file has reached its limit of %d MB: %d requests "+
		"lack events, %d are not in it; raise --record-limit", l.bytes>>20, l.bare, l.unrecorded)
}
