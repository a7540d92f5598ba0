package client

import (
	"maps"

	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
)

// sending is what the last attempt of a request has sent.
type sending struct {
	target  *endpoint.Target // shared: not to be changed
	params  dialect.Params
	relayed bool // another program's, whose body is not kept
}

// body returns the request for v, as API.Write does. secrets says that it is sent: it has what
// messages and tools keep secret.
func (s *sending) body(v *Stream, secrets bool) (typed any, body []byte, err error) {
	w := v.v.Work // which is never written again
	if secrets {
		s.target.Speak(&w)
	}
	w = promptOf(w)
	return dialect.Speaks(s.target.API).Write(&s.params, s.target.Model, &w, s.target.Extra)
}

// Curl returns the request as a command for a POSIX shell, with the fields that
// the server accepted. The key is a variable, and known keys in the body are
// masked. It is "" before the request was sent.
func (s *Stream) Curl() string {
	s.mu.Lock()
	sent := s.sent
	s.mu.Unlock()
	if sent == nil || sent.relayed {
		return ""
	}
	_, body, err := sent.body(s, false)
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
	return t.Curl([]byte(mask(string(body))))
}
