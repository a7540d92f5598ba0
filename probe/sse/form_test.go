package sse

import "testing"

// The first bytes say whether a body is a stream of events, and more bytes do not
// change what they say.
func TestFormOf(t *testing.T) {
	for body, want := range map[string]Form{
		"": Undecided, "\xef": Undecided, "\xef\xbb\xbf": Undecided, "\r\n \t": Undecided, "dat": Undecided, "event": Undecided,
		"data: {}": Events, "data:{}": Events, "event: ping\n": Events, ": wait": Events, ":": Events, "id: 1": Events,
		"retry: 10": Events, "\xef\xbb\xbfdata: x": Events, "\r\n\r\n  data: x": Events, "\n\n:\n\n": Events,
		"{\"a\":1}": Lines, "[1]": Array, "<!doctype html>": Other, "data": Undecided, "database is down": Other,
		"eventually": Other, "upstream error": Other, "\xef\xbb\xbf{": Lines, "datum: 1": Other, "\x00data:": Other,
	} {
		if got := FormOf([]byte(body)); got != want {
			t.Errorf("%q: %d, want %d", body, got, want)
		}
		for n := range body {
			if got := FormOf([]byte(body[:n])); got != Undecided && got != want {
				t.Errorf("%q: its first %d bytes say %d, all say %d", body, n, got, want)
			}
		}
	}
}
