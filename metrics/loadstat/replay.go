package loadstat

// Replay says which recorded load a View is, and what the recording has of it
// beyond the View.
type Replay struct {
	File  string // name of the session file
	Load  int    // the load's number in the file
	Index int    // which of the Count loads it is, from 1
	Count int    // of the loads that the replay has
	// NoEnd means that the recording ends before the load: the View has no totals.
	NoEnd bool
	// Sent is the number of the load's requests, -1 where the recording has no end.
	Sent int
	// Recorded is the number of its requests in the file, with or without events.
	Recorded int
	// PointsLeft counts the points that are not in the file.
	PointsLeft int
	// Stopped and Broken are the recorded sentences on why the load ended. They come
	// from the file.
	Stopped, Broken string
	// Requests is the number of requests outside loads that the file has.
	Requests int
	// Newer is true for a file of a later version, of which only what is known was
	// read.
	Newer bool
}
