package sim

import (
	"fmt"
	"maps"
	"net/http"
	"time"

	"tokscope/metrics/pick"
)

// modelInfo is a model that can be asked for.
type modelInfo struct {
	id, about string
	most      int // tokens of context
}

// card is an item of /v1/models: vLLM's ModelCard, with its ModelPermission, which says what the
// endpoint can do, and the fields that Anthropic's clients read.
func (s *Server) card(m *modelInfo) map[string]any {
	created := s.started.Unix()
	card := map[string]any{"id": m.id, "object": "model", "created": created, "owned_by": "tokscope", "root": m.id,
		"parent": nil, // there are no adapters
		"permission": []map[string]any{{"id": "modelperm-" + m.id, "object": "model_permission", "created": created,
			"allow_create_engine": false, "allow_sampling": true, "allow_logprobs": true, "allow_search_indices": false,
			"allow_view": true, "allow_fine_tuning": false, "organization": "*", "group": nil, "is_blocking": false}},
		"type": "model", "display_name": m.id, "created_at": s.started.UTC().Format(time.RFC3339),
		"max_model_len": m.most, "max_input_tokens": m.most, "max_tokens": m.most}
	if m.about != "" {
		card["description"] = m.about
	}
	return card
}

// googleCard has the same for Google's clients.
func googleCard(m *modelInfo) map[string]any {
	return map[string]any{"name": "models/" + m.id, "inputTokenLimit": m.most, "outputTokenLimit": m.most,
		"supportedGenerationMethods": []string{"generateContent", "streamGenerateContent", "countTokens"}}
}

// info describes a model that can be asked for. The model list leaves out the steered
// engine: only its owner needs it.
func (s *Server) info(id, about string) (modelInfo, bool) {
	if id == SteeredModel {
		s.mu.Lock()
		d := s.running(SteeredModel)
		s.mu.Unlock()
		if d == nil {
			return modelInfo{}, false
		}
		setup := d.currentSetup()
		return modelInfo{id, fmt.Sprintf("the engine that can be steered: now %s in %s on %s",
			setup.Model.Name, setup.Precision.Name, setup.Hardware.Name), contextOf(setup)}, true
	}
	f, err := find(s.o.Catalogue, id)
	if err != nil {
		return modelInfo{}, false
	}
	return modelInfo{id, about, contextOf(f.setup)}, true
}

func about(id string) string {
	if p := preset(id); p != nil {
		return p.About
	}
	return ""
}

// listed returns the server's default, then what a person has defined, then
// every preset.
func (s *Server) listed() (list []modelInfo) {
	seen := map[string]bool{}
	add := func(id, about string) {
		if m, ok := s.info(id, about); ok && !seen[id] {
			seen[id] = true
			list = append(list, m)
		}
	}
	add(s.o.Model, about(s.o.Model))
	for _, p := range customPresets(s.o.Catalogue) {
		add(p.ID, p.About)
	}
	for i := range Presets {
		add(Presets[i].ID, Presets[i].About)
	}
	return list
}

// models answers the clients of three APIs at once.
func (s *Server) models(w http.ResponseWriter, _ *http.Request) *apiError {
	list := s.listed()
	return writeJSON(w, map[string]any{"object": "list", "data": pick.Each(list, s.card), "has_more": false,
		"first_id": list[0].id, "last_id": list[len(list)-1].id, "models": pick.Each(list, googleCard)})
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) *apiError {
	id := r.PathValue("id")
	m, ok := s.info(id, about(id))
	if !ok {
		return newError(http.StatusNotFound, "model_not_found", "no model %q", clip(id))
	}
	card := s.card(&m)
	maps.Copy(card, googleCard(&m))
	return writeJSON(w, card)
}
