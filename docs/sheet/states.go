//go:build !windows

package main

import (
	"time"

	"tokscope/ui/uitest/vterm"
)

// state is one row of the sheet: how the program is run, and what is done
// before the pictures are taken. A new one is one line of states.
type state struct {
	name  string
	light bool     // on a light terminal, in the theme paper
	args  []string // of the command
	plan  string   // of the scripted server; "": the embedded endpoint
	with  setting
	drive func(*vterm.Term) error
}

// setting is what stands around the program.
type setting uint8

const (
	plain     setting = iota
	lossyLink         // the scripted server is behind a link that loses a segment
	week              // a watch in virtual time has filled the history for a week
)

var states = []state{
	{"waiting", false, append(slow[:len(slow):len(slow)], "--input-tokens", "6000"), "", plain, until(10, "waiting")},
	{"streaming", false, slow, "", plain, until(120, "decoding")},
	{"stalled", false, nil, "prefill 300ms; 120 tokens @ 12ms; stall 60s", plain, until(0, "stalled")},
	{"buffered by a proxy", true, nil, "prefill 400ms; group 12; 360 tokens @ 6ms; finish; usage; done", plain, until(0, "done")},
	{"loss on the path", false, nil, "prefill 300ms; 200 tokens @ 15ms; finish; usage; done", lossyLink, until(0, "done")},
	{"failed", false, nil, "ratelimited", plain, until(0, "failed")},
	{"done", true, nil, "", plain, until(0, "done")},
	{"pinned comparison", true, nil, "", plain, steps(until(0, "done"), keys("=", "<space>"), until(0, "stream 2", "done"))},
	{"zoomed", false, nil, "", plain, steps(until(0, "done"), keys("<left>", "<left>", "z", "z"))},
	{"auto after 20 runs", true, []string{"--max-tokens", "48"}, "", plain, steps(until(0, "done"), keys("a"), until(0, "stream 20", "done"))},
	{"replay, paused on a stall", false, []string{"replay", recording}, "", plain, steps(until(30, "replay"), keys("n"), until(30, "paused"))},
	{"replay, definition lab", true, []string{"replay", recording}, "", plain, steps(until(30, "replay"), keys("<end>"), until(30, "paused"), keys("D"), until(30, "as other tools"))},
	{"history, change", false, nil, "", week, steps(keys("5"), until(0, "TTFT is"))},
	{"history, baseline", true, nil, "", week, steps(keys("5"), until(0, "TTFT is"), keys("=", "<enter>"), until(50, "its baseline"))},
}

// recording is a session of a request, from the folder in which the sheet is made.
const recording = "ui/uitest/journey/testdata/definitions/reasoning.ndjson"

// slow is a machine on which the wait and the answer last for many seconds.
var slow = []string{"--workload", "chat", "-m", "llama-3.1-8b-q4@laptop"}

// until waits for the words, and then for some hundredths of a second.
func until(hundredths int, words ...string) func(*vterm.Term) error {
	return func(x *vterm.Term) error {
		if err := x.Until(patience, words...); err != nil {
			return err
		}
		time.Sleep(time.Duration(hundredths) * 10 * time.Millisecond)
		return nil
	}
}

// keys types.
func keys(names ...string) func(*vterm.Term) error {
	return func(x *vterm.Term) error { return x.Keys(names...) }
}

// steps does one after the other.
func steps(do ...func(*vterm.Term) error) func(*vterm.Term) error {
	return func(x *vterm.Term) error {
		for _, f := range do {
			if err := f(x); err != nil {
				return err
			}
		}
		return nil
	}
}
