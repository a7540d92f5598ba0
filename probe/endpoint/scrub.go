package endpoint

import (
	"encoding/base64"
	"encoding/json"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Lengths at which a key is looked for by its value. Shorter ones ("x",
// "EMPTY", "ollama" for servers that want any key) are ordinary words; they
// are still removed where a header or a URL shows that they are keys.
const (
	minSecret = 8
	// minPrefix is how much of a key at the very end of a text (a body that was
	// cut) counts as the key.
	minPrefix = 4
)

// Scrubber removes keys from text: those it was told of, in plain, URL, JSON,
// HTML and base64 form, also when the end of the text cuts them, and whatever
// has the shape of a key (see patterns.go). It may be used and added to from
// any goroutine; a nil Scrubber knows the shapes only.
type Scrubber struct {
	mu      sync.Mutex
	needles atomic.Pointer[[]needle]
}

// needle is one text to look for.
type needle struct {
	text string
	// base64 needles are the part of the encoding that does not depend on what
	// stands around the key; the whole run of base64 goes with them.
	form bool
}

// NewScrubber returns a Scrubber that knows secrets.
func NewScrubber(secrets ...Secret) *Scrubber {
	s := &Scrubber{}
	for _, k := range secrets {
		s.Add(k)
	}
	return s
}

// Add makes s remove k from now on. Keys shorter than 8 bytes are not looked
// for by value.
func (s *Scrubber) Add(k Secret) {
	key := k.Reveal()
	if s == nil || len(key) < minSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []needle
	if old := s.needles.Load(); old != nil {
		list = append(list, *old...)
	}
	for _, n := range list {
		if !n.form && n.text == key {
			return
		}
	}
	list = append(list, needle{text: key})
	for _, form := range base64Forms(key) {
		list = append(list, needle{text: form, form: true})
	}
	// Longest first, so that a key that holds another goes as a whole.
	sort.SliceStable(list, func(i, j int) bool { return len(list[i].text) > len(list[j].text) })
	s.needles.Store(&list)
}

// base64Forms returns what base64, in both alphabets, makes of key at each of
// the three alignments it can have inside a longer text, without the
// characters that depend on its neighbours.
func base64Forms(key string) []string {
	var out []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			s := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + key))
			first := []int{0, 2, 3}[shift]              // characters that hold bits before the key
			last := (shift + len(key)) * 8 / 6          // characters that hold bits of the key only
			if core := s[first:last]; len(core) >= 10 { // 7 bytes of the key at least
				out = append(out, core)
			}
		}
	}
	return out
}

// String returns text without keys.
func (s *Scrubber) String(text string) string {
	if text == "" {
		return text
	}
	if s != nil {
		if list := s.needles.Load(); list != nil {
			text = removeAll(text, *list)
		}
	}
	return removePatterns(text)
}

// Bytes is String for bytes; the result never shares memory with b.
func (s *Scrubber) Bytes(b []byte) []byte { return []byte(s.String(string(b))) }

// Value scrubs every string in a value decoded from JSON (maps, slices,
// strings), in place where it can, and returns it.
func (s *Scrubber) Value(v any) any {
	switch v := v.(type) {
	case string:
		return s.String(v)
	case json.RawMessage:
		return json.RawMessage(s.Bytes(v))
	case []any:
		for i := range v {
			v[i] = s.Value(v[i])
		}
	case map[string]any:
		for k, e := range v {
			delete(v, k)
			v[s.String(k)] = s.Value(e)
		}
	}
	return v
}

// removePatterns applies patterns.go.
func removePatterns(text string) string {
	lower := strings.ToLower(text)
	for _, p := range patterns {
		if !containsAny(lower, p.need) {
			continue
		}
		m := p.re.FindAllStringSubmatchIndex(text, -1)
		if m == nil {
			continue
		}
		var b strings.Builder
		at := 0
		for _, loc := range m {
			val := loc[0]
			if len(loc) > 3 && loc[3] >= 0 {
				val = loc[3] // what follows the name
			}
			got := text[val:loc[1]]
			if strings.HasPrefix(got, "[redacted") || notKeys[strings.ToLower(strings.TrimRight(got, ".:)"))] {
				continue
			}
			b.WriteString(text[at:loc[0]])
			b.Write(p.re.ExpandString(nil, p.to, text, loc))
			at = loc[1]
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	return text
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
