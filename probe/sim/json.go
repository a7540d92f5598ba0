package sim

import "encoding/json"

// appendJSON appends s as a JSON string. Invalid UTF-8 becomes U+FFFD. It
// allocates to grow dst, and for text that needs more than quotes.
func appendJSON(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string can always be written
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
