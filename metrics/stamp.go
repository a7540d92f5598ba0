package metrics

import (
	"math"
	"time"
)

// Stamp is a moment: nanoseconds on the monotonic clock since the origin of
// the run. Stamps of one run can be subtracted from each other; stamps of
// different runs cannot.
type Stamp int64

// NoStamp marks a moment that did not happen or is not known.
const NoStamp Stamp = math.MinInt64

// Known reports whether s is a moment at all.
func (s Stamp) Known() bool { return s != NoStamp }

// Sub returns the time from t to s. ok is false when either is NoStamp.
func (s Stamp) Sub(t Stamp) (d time.Duration, ok bool) {
	if s == NoStamp || t == NoStamp {
		return 0, false
	}
	return time.Duration(s - t), true
}

// Source says which clock took a stamp.
type Source uint8

const (
	// SourceUser is the program's own clock, read immediately after the read
	// returned.
	SourceUser Source = iota
	// SourceKernel is the kernel's receive stamp of the segment
	// (SO_TIMESTAMPING), converted to the monotonic clock.
	SourceKernel
	// SourceBody is the program's own clock at the return of a read of the
	// response body. It is the fallback where the connection cannot be tapped
	// (HTTP/2).
	SourceBody
	// SourceMixed means that some stamps of the stream are the kernel's and
	// some the program's own: the kernel had no stamp for some segments.
	SourceMixed
	// SourceTool is the clock of another program, whose file the stream was read from: where in
	// that program the stamp was taken, and with which others in one read, is unknown.
	SourceTool
)

// String returns the word used on screen and in JSON.
func (s Source) String() string {
	return [...]string{"user", "kernel", "body", "mixed", "tool"}[s]
}
