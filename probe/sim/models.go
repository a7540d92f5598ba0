package sim

import "net/http"

// modelInfo is an item of /v1/models, in vLLM's shape.
type modelInfo struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"`
	Description string `json:"description,omitempty"`
}

func (s *Server) info(id, about string) (modelInfo, bool) {
	f, err := find(id)
	if err != nil {
		return modelInfo{}, false
	}
	return modelInfo{id, "model", s.started.Unix(), "tokscope", contextOf(f.setup), about}, true
}

// models lists every preset, the server's own default first.
func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	var list []modelInfo
	seen := map[string]bool{}
	add := func(id, about string) {
		if m, ok := s.info(id, about); ok && !seen[id] {
			seen[id] = true
			list = append(list, m)
		}
	}
	for i := range Presets {
		if Presets[i].ID == s.o.Model {
			add(Presets[i].ID, Presets[i].About)
		}
	}
	add(s.o.Model, "")
	for i := range Presets {
		add(Presets[i].ID, Presets[i].About)
	}
	writeJSON(w, map[string]any{"object": "list", "data": list})
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	about := ""
	for i := range Presets {
		if Presets[i].ID == id {
			about = Presets[i].About
		}
	}
	m, ok := s.info(id, about)
	if !ok {
		newError(http.StatusNotFound, "invalid_request_error", "model_not_found", "no model %q", clip(id)).write(w)
		return
	}
	writeJSON(w, m)
}
