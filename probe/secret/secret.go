package secret

import (
	"fmt"
	"io"
)

// Redacted replaces every secret.
const Redacted = "[redacted]"

// Secret holds a key. Every way of printing it (all verbs of fmt, JSON, text,
// slog) gives "[redacted]", or "" for an empty one. Only Reveal returns the
// key; call it only to set a request header.
//
// The key is behind a pointer. A printer that cannot call methods, such as
// fmt on an unexported field, prints an address instead of the key.
type Secret struct{ p *string }

// NewSecret returns a Secret that holds key. "" gives the empty Secret.
func NewSecret(key string) Secret {
	if key == "" {
		return Secret{}
	}
	return Secret{&key}
}

// Reveal returns the key, or "".
func (s Secret) Reveal() string {
	if s.p == nil {
		return ""
	}
	return *s.p
}

// Empty reports whether s holds no key.
func (s Secret) Empty() bool { return s.p == nil }

// String returns "[redacted]", or "" for an empty Secret.
func (s Secret) String() string {
	if s.p == nil {
		return ""
	}
	return Redacted
}

// Format prints String under every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns String, for JSON and slog as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
