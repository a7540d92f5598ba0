package metrics

import "strings"

// Head returns the first bytes of text, at most so many, cut between two characters.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Shortened bounds text from outside before a message repeats it: to that many bytes,
// between two characters, and "…".
func Shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Head(text, most) + "…"
}
