package result

import "tokscope/metrics/request"

// Listed counts the ended requests of a load in the list of the Load screen, and
// what its bounds left out. The requests themselves are in the session file.
type Listed struct {
	Ended          int `json:"ended"`            // of any ending
	Figures        int `json:"figures"`          // requests with figures
	FiguresLeftOut int `json:"figures_left_out"` // dropped
	Events         int `json:"events"`           // requests that can be opened: their events are kept
	EventsLeftOut  int `json:"events_left_out"`  // dropped
}

// WithRequests adds what the list of requests holds.
func (s *Sweep) WithRequests(v *request.View) {
	figures, events := v.LeftOut()
	s.Listed = &Listed{Ended: v.Ended, Figures: v.Len(),
		FiguresLeftOut: figures, Events: v.Streams(), EventsLeftOut: events}
}
