package metrics

import "strings"

// Shortened bounds text from outside before a message repeats it: to that many bytes,
// between two characters, and "…".
func Shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
