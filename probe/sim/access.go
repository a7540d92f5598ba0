package sim

import (
	"net/http"

	"tokscope/probe/access"
)

// accessError returns why the rules refuse a request, or nil.
func accessError(a *access.Rules, r *http.Request) *apiError {
	if !a.AllowsHost(r) {
		return newError(http.StatusForbidden, "host_not_allowed",
			"Host %q is not allowed. Use localhost or the address of this endpoint; tokscope serve --allow-host allows a name",
			clip(access.Host(r.Host)))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !a.AllowsOrigin(origin, r) {
			return newError(http.StatusForbidden, "origin_not_allowed",
				"a web page of origin %q may not use this endpoint; tokscope serve --allow-origin allows one", clip(origin))
		}
	}
	return nil
}

// share adds the headers of cross-origin requests. The origin was checked.
func share(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Sim-Setup, X-Sim-Behind-Ms, Retry-After")
}

// preflight adds what a browser asks before a cross-origin request.
func preflight(w http.ResponseWriter, r *http.Request, methods string) {
	if r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Max-Age", "600")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}
