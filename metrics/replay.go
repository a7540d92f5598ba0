package metrics

import "time"

// Replay is where a replay of recorded requests stands.
type Replay struct {
	File   string // name of the session file
	ID     int    // the shown request's number in the file
	Index  int    // of the shown request among those that are replayed, from 1
	Count  int    // requests that are replayed
	At     time.Duration
	Length time.Duration // At and Length count from when the shown request was sent
	Loads  int           // loads that are replayed
	Speed  float64       // 1 is as it happened
	Paused bool
	Ended  bool // the clock has reached the end of the last request
	// Missing says what the recording lacks of the shown request; "" for nothing.
	Missing ReplayMissing
	// Newer is true for a file of a later version, of which only what is known was
	// read.
	Newer bool
}

// ReplayMissing says what a recording lacks of a request. The words are part of
// the JSON of `tokscope replay`.
type ReplayMissing string

// What can be missing.
const (
	ReplayWhole      ReplayMissing = ""
	ReplayNoEvents   ReplayMissing = "events_not_recorded"    // only its begin and its end
	ReplayIncomplete ReplayMissing = "events_left_out"        // some of its events
	ReplayNoEnd      ReplayMissing = "ended_with_the_program" // the recording ends before the request
)

// ReplayMissings are all of them.
var ReplayMissings = []ReplayMissing{ReplayWhole, ReplayNoEvents, ReplayIncomplete, ReplayNoEnd}

// ReplayPlan says which recordings a replay plays, and how it begins.
type ReplayPlan struct {
	Files []string      // "-" is the standard input
	ID    int           // of the request in each file; 0: all
	Speed float64       // 1 is as it happened
	From  time.Duration // after the first request was sent
}
