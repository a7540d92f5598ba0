package secret

import (
	"encoding/base64"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// minSecret is the shortest key that is searched by value, in bytes. Shorter ones ("x",
// "EMPTY", "ollama" for servers that accept any key) are ordinary words. They
// are still removed where a header or a URL marks them as keys.
const (
	minSecret = 8
	// minPrefix is how much of a key at the end of a text counts as the key. A
	// body may have been cut there.
	minPrefix = 4
)

// Scrubber removes keys from text. Known ones are removed in plain, URL (once or
// twice), JSON (once or twice) and base64 form, and without their first or last
// bytes. A server that disguises a key in another way is not hindered: it has the
// key. It also removes everything with the shape of a key (see patterns.go).
// It is safe for concurrent use. A nil Scrubber knows the shapes only.
type Scrubber struct {
	mu      sync.Mutex
	needles atomic.Pointer[[]needle]
}

// needle is one text to search.
type needle struct {
	text string
	form form
	key  string // of an ending: the whole key
}

// form says how a needle is searched.
type form uint8

const (
	// plainForm is the key, searched in every encoding that match knows.
	plainForm form = iota
	// base64Form is the part of the encoding that does not depend on the key's
	// neighbors. The whole run of base64 is removed with it.
	base64Form
	// endingForm is the second half of a key, searched as it is. What stands of
	// the first half before it is removed too.
	endingForm
)

// minEnding is the length of a key, in bytes, from which its second half alone
// counts as the key. Shorter halves are too often words.
const minEnding = 16

// NewScrubber returns a Scrubber that removes secrets.
func NewScrubber(secrets ...Secret) *Scrubber {
	s := &Scrubber{}
	for _, k := range secrets {
		s.Add(k)
	}
	return s
}

// Add makes s remove k from now on. Keys below 8 bytes are not searched by
// value.
func (s *Scrubber) Add(k Secret) {
	key := k.Reveal()
	if s == nil || len(key) < minSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.known())
	for _, n := range list {
		if n.form == plainForm && n.text == key {
			return
		}
	}
	list = append(list, needle{text: key})
	for _, text := range base64Forms(key) {
		list = append(list, needle{text: text, form: base64Form})
	}
	if half := key[len(key)/2:]; len(key) >= minEnding && looksRandom(half) {
		list = append(list, needle{text: half, form: endingForm, key: key})
	}
	// Longest first: a key that contains another one is removed whole.
	sort.SliceStable(list, func(i, j int) bool { return len(list[i].text) > len(list[j].text) })
	s.needles.Store(&list)
}

// Known returns a number that grows when Add makes s know another key.
func (s *Scrubber) Known() int { return len(s.known()) }

// known returns what is searched, nil for nothing.
func (s *Scrubber) known() []needle {
	if s == nil {
		return nil
	}
	list := s.needles.Load()
	if list == nil {
		return nil
	}
	return *list
}

// looksRandom reports whether part of a key holds both letters and digits, as
// words do not.
func looksRandom(part string) bool {
	letter := func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
	return strings.ContainsAny(part, "0123456789") && strings.IndexFunc(part, letter) >= 0
}

// base64Forms returns the base64 of key in both alphabets, at each of the
// three alignments within a longer text. Characters that depend on its
// neighbors are left out.
func base64Forms(key string) []string {
	var out []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			s := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + key))
			first := []int{0, 2, 3}[shift]              // characters with bits before the key
			last := (shift + len(key)) * 8 / 6          // characters with bits of the key only
			if core := s[first:last]; len(core) >= 10 { // at least 7 bytes of the key
				out = append(out, core)
			}
		}
	}
	return out
}

// String returns text without keys.
func (s *Scrubber) String(text string) string {
	if list := s.known(); text != "" && list != nil {
		text = removeAll(text, list)
	}
	return RemovePatterns(text)
}

// Bytes is String for bytes; the result never shares memory with b.
func (s *Scrubber) Bytes(b []byte) []byte { return []byte(s.String(string(b))) }

// RemovePatterns applies patterns.go.
func RemovePatterns(text string) string {
	lower := strings.ToLower(text)
	for _, p := range patterns {
		if !slices.ContainsFunc(p.need, func(word string) bool { return strings.Contains(lower, word) }) {
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
				val = loc[3] // the value after the name
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
