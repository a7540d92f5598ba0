package loadstat

import "time"

// Replay is where the replay of a recorded load stands, and what the recording
// holds of the load beyond the View at that moment.
type Replay struct {
	File   string        // name of the session file
	Load   int           // the load's number in the file
	Index  int           // which of the Count loads it is, from 1
	Count  int           // of the loads that the replay has
	At     time.Duration // since the load began
	Length time.Duration // of the load, or up to the last that is known of it
	Speed  float64       // 1 is as it happened
	Paused bool
	Ended  bool // the clock has reached the end of everything recorded
	// Known means that View.Users is recorded for this moment: a window covers
	// it. Elsewhere View.Users is that of the last window.
	Known bool
	// Totals means that the View has the totals of the load: its end is reached,
	// and recorded.
	Totals bool
	// NoEnd means that the recording ends before the load.
	NoEnd bool
	// WithEvents is the number of requests with recorded events: they are the
	// lanes. Sent is the number of all, -1 where the recording has no end.
	WithEvents, Sent int
	// Recorded is the number of its requests in the file, with or without events.
	Recorded int
	// PointsLeft counts the points that are not in the file.
	PointsLeft int
	// Stopped and Broken are the recorded sentences on why the load ended; ""
	// before the end. They come from the file.
	Stopped, Broken string
	// Requests is the number of requests outside loads that the replay has.
	Requests int
	// Newer is true for a file of a later version, of which only what is known was
	// read.
	Newer bool
}
