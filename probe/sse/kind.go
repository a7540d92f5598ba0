package sse

// Kind says what a line is, to a reader that does not wait for its event.
type Kind uint8

const (
	Field   Kind = iota // belongs to an event and adds no data to it
	Blank               // ends an event
	Comment             // belongs to no event
	Data                // adds data to an event, or is the non-standard field error
)

// KindOf returns the kind of a line, which comes without its line end.
func KindOf(line []byte) Kind {
	if len(line) == 0 {
		return Blank
	}
	field, value := cutField(line)
	switch string(field) {
	case "":
		return Comment
	case "error":
		return Data
	case "data":
		if len(trim(value)) > 0 {
			return Data
		}
	}
	return Field
}

// IsEnd reports whether the data of an event, blanks cut off, is the marker with
// which a stream ends: [DONE], which some servers send as a JSON string.
func IsEnd(data []byte) bool { return string(data) == "[DONE]" || string(data) == `"[DONE]"` }
