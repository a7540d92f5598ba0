package sim

import (
	"fmt"
	"net/http"
)

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
	if id == LabModel {
		return s.steeredInfo()
	}
	f, err := find(id)
	if err != nil {
		return modelInfo{}, false
	}
	return modelInfo{id, "model", s.started.Unix(), "tokscope", contextOf(f.setup), about}, true
}

// labInfo is the lab's, once it was started. It can be asked for by its id and
// is not in the list: it belongs to whoever steers it.
func (s *Server) steeredInfo() (modelInfo, bool) {
	s.mu.Lock()
	d := s.engines[LabModel]
	s.mu.Unlock()
	if d == nil {
		return modelInfo{}, false
	}
	setup := d.currentSetup()
	return modelInfo{LabModel, "model", s.started.Unix(), "tokscope", contextOf(setup), fmt.Sprintf("the engine that can be steered: now %s in %s on %s", setup.Model.Name, setup.Precision.Name, setup.Hardware.Name)}, true
}

func about(id string) string {
	if p := preset(id); p != nil {
		return p.About
	}
	return ""
}

// models lists every preset, the server's default first.
func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	var list []modelInfo
	seen := map[string]bool{}
	add := func(id, about string) {
		if m, ok := s.info(id, about); ok && !seen[id] {
			seen[id] = true
			list = append(list, m)
		}
	}
	add(s.o.Model, about(s.o.Model))
	for i := range Presets {
		add(Presets[i].ID, Presets[i].About)
	}
	writeJSON(w, map[string]any{"object": "list", "data": list})
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	m, ok := s.info(id, about(id))
	if !ok {
		newError(http.StatusNotFound, "invalid_request_error", "model_not_found", "no model %q", clip(id)).write(w)
		return
	}
	writeJSON(w, m)
}
