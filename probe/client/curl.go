package client

import (
	"encoding/json"
	"maps"

	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
)

// sending is what the last attempt of a request has sent.
type sending struct {
	target *endpoint.Target // shared: not to be changed
	params dialect.Params
}

// bodyOf returns the fields of a request.
func (s *sending) bodyOf(v *Stream) map[string]any {
	body := s.params.Body(s.target.Model, promptOf(v.v.Work)) // Work is never written again
	maps.Copy(body, s.target.Extra)
	return body
}

// Curl returns the request as a command for a POSIX shell, with the fields that
// the server accepted. The key is a variable, and known keys in the body are
// masked. It is "" before the request was sent.
func (s *Stream) Curl() string {
	s.mu.Lock()
	sent := s.sent
	s.mu.Unlock()
	if sent == nil {
		return ""
	}
	body, err := json.Marshal(sent.bodyOf(s))
	if err != nil {
		return ""
	}
	// Only the parts are masked: the command as a whole has "Bearer" before the
	// name of a variable, which looks like a key.
	t, mask := *sent.target, s.engine.scrub.String
	t.Header = maps.Clone(t.Header)
	for k, v := range t.Header {
		t.Header[k] = mask(v)
	}
	return t.Curl("/chat/completions", []byte(mask(string(body))))
}
