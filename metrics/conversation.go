package metrics

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Raw is a JSON array as a request has it, "" for none. In JSON it stands as it is.
type Raw string

// MarshalJSON implements json.Marshaler. What is no JSON becomes a string.
func (r Raw) MarshalJSON() ([]byte, error) {
	switch {
	case r == "":
		return []byte("null"), nil
	case !json.Valid([]byte(r)):
		return json.Marshal(string(r))
	}
	return []byte(r), nil
}

// UnmarshalJSON implements json.Unmarshaler. Blanks between tokens are left out.
func (r *Raw) UnmarshalJSON(data []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	if *r = Raw(b.String()); *r == "null" {
		*r = ""
	}
	return nil
}

// Count returns the number of elements.
func (r Raw) Count() int {
	var all []json.RawMessage
	_ = json.Unmarshal([]byte(r), &all) // none of what is no array
	return len(all)
}

// Before returns messages with text in front of their first text, where a cache of
// prefixes begins to compare. Every other byte stays. Messages without a text stay as
// they are.
func (r Raw) Before(text string) Raw {
	data, _ := json.Marshal(text) // a string always has a JSON form
	out := r
	r.texts(func(first string, at int) bool {
		if first == "" {
			return true
		}
		out = r[:at] + Raw(data[1:len(data)-1]) + r[at:]
		return false
	})
	return out
}

// texts calls f with the texts of messages, the strings under content and text, and
// where in r each begins behind its quote, until f returns false.
func (r Raw) texts(f func(text string, at int) bool) {
	d := json.NewDecoder(strings.NewReader(string(r)))
	walkTexts(d, "", func(text string, from int64) bool {
		return f(text, int(from)+strings.IndexByte(string(r[from:]), '"')+1)
	})
}

// walkTexts calls f with the texts in the next value of d, which stands under key, and
// an offset from which no other string begins before it. It reports whether to go on.
// Its depth is that of the JSON, of which encoding/json has let through 10,000.
func walkTexts(d *json.Decoder, key string, f func(text string, from int64) bool) bool {
	from := d.InputOffset()
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch t := token.(type) {
	case string:
		return key != "content" && key != "text" || f(t, from)
	case json.Delim:
		for d.More() {
			under := key
			if t == '{' {
				name, _ := d.Token() // its error comes again
				under, _ = name.(string)
			}
			if !walkTexts(d, under, f) {
				return false
			}
		}
		_, err = d.Token()
	}
	return err == nil
}

// Text returns all that w says to the model, without Nonce and what InputTokens adds: the
// system message and the prompt, or the texts of the messages. Tools are no part of it.
func (w *Workload) Text() string {
	if w.Messages == "" {
		return strings.TrimSpace(w.System + " " + w.Prompt)
	}
	var all []string
	w.Messages.texts(func(text string, _ int) bool {
		all = append(all, text)
		return true
	})
	return strings.Join(all, " ")
}

// Blank reports whether w has nothing to send.
func (w *Workload) Blank() bool { return w.Prompt == "" && w.Messages == "" }
