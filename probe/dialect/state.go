package dialect

import (
	"net/http"

	"tokscope/probe/sse"
)

type state struct{}

func (s *state) init()                          {}
func (s *state) header(h http.Header, out *Out) {}
func (s *state) event(ev sse.Event, out *Out)   {}
func (s *state) finish(sawEOF bool, out *Out)   {}
