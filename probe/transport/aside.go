package transport

import "net/http"

// Aside is a plain client with connections of its own, which it keeps from
// request to request until Close. No request of its Transport uses them, so
// questions to a server warm no connection that is measured later. They are not
// stamped. It is safe for concurrent use.
type Aside struct {
	t *Transport
	h *http.Transport
}

// Aside returns such a client with the settings and bounds of t.
func (t *Transport) Aside() *Aside { return &Aside{t, t.newHTTP(1)} }

// Do sends req, as Transport.Do does without a Capture. Every error is a
// *metrics.Fault. The caller must close the response's body.
func (a *Aside) Do(req *http.Request) (*http.Response, error) {
	req, _, f := a.t.routed(req, true)
	if f != nil {
		return nil, f
	}
	return a.t.plain(req.Context(), a.h, req)
}

// Close closes the connections without a request; those in use are closed
// behind their request.
func (a *Aside) Close() { a.h.CloseIdleConnections() }
