package sim

import (
	"fmt"
	"net/http"
	"time"

	"tokscope/metrics/pick"
)

// modelInfo is an item of /v1/models: vLLM's ModelCard, with the fields that Anthropic's
// clients read.
type modelInfo struct {
	ID          string       `json:"id"`
	Object      string       `json:"object"`
	Created     int64        `json:"created"`
	OwnedBy     string       `json:"owned_by"`
	Root        string       `json:"root"`
	Parent      *string      `json:"parent"` // always null: there are no adapters
	MaxModelLen int          `json:"max_model_len"`
	Permission  []permission `json:"permission"`
	Description string       `json:"description,omitempty"`
	Type        string       `json:"type"`
	DisplayName string       `json:"display_name"`
	CreatedAt   string       `json:"created_at"`
	MostInput   int          `json:"max_input_tokens"`
	MostOutput  int          `json:"max_tokens"`
}

// googleModel has the same for Google's clients.
type googleModel struct {
	Name       string   `json:"name"`
	MostInput  int      `json:"inputTokenLimit"`
	MostOutput int      `json:"outputTokenLimit"`
	Methods    []string `json:"supportedGenerationMethods"`
}

func googleModelOf(m *modelInfo) googleModel {
	return googleModel{"models/" + m.ID, m.MaxModelLen, m.MaxModelLen,
		[]string{"generateContent", "streamGenerateContent", "countTokens"}}
}

// permission is vLLM's ModelPermission. It says what the endpoint can do.
type permission struct {
	ID                 string  `json:"id"`
	Object             string  `json:"object"`
	Created            int64   `json:"created"`
	AllowCreateEngine  bool    `json:"allow_create_engine"`
	AllowSampling      bool    `json:"allow_sampling"`
	AllowLogprobs      bool    `json:"allow_logprobs"`
	AllowSearchIndices bool    `json:"allow_search_indices"`
	AllowView          bool    `json:"allow_view"`
	AllowFineTuning    bool    `json:"allow_fine_tuning"`
	Organization       string  `json:"organization"`
	Group              *string `json:"group"`
	IsBlocking         bool    `json:"is_blocking"`
}

// newModelInfo describes a model that takes most tokens of context.
func (s *Server) newModelInfo(id, about string, most int) modelInfo {
	created := s.started.Unix()
	return modelInfo{ID: id, Object: "model", Created: created,
		OwnedBy: "tokscope", Root: id, MaxModelLen: most, Description: about,
		Type: "model", DisplayName: id, CreatedAt: s.started.UTC().Format(time.RFC3339), MostInput: most, MostOutput: most,
		Permission: []permission{{ID: "modelperm-" + id, Object: "model_permission", Created: created,
			AllowSampling: true, AllowLogprobs: true, AllowView: true, Organization: "*"}}}
}

func (s *Server) info(id, about string) (modelInfo, bool) {
	if id == SteeredModel {
		return s.steeredInfo()
	}
	f, err := find(s.o.Catalogue, id)
	if err != nil {
		return modelInfo{}, false
	}
	return s.newModelInfo(id, about, contextOf(f.setup)), true
}

// steeredInfo returns the item of the steered engine, once it was started.
// The model list leaves it out: only its owner needs it.
func (s *Server) steeredInfo() (modelInfo, bool) {
	s.mu.Lock()
	d := s.running(SteeredModel)
	s.mu.Unlock()
	if d == nil {
		return modelInfo{}, false
	}
	setup := d.currentSetup()
	about := fmt.Sprintf("the engine that can be steered: now %s in %s on %s",
		setup.Model.Name, setup.Precision.Name, setup.Hardware.Name)
	return s.newModelInfo(SteeredModel, about, contextOf(setup)), true
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
	return writeJSON(w, map[string]any{"object": "list", "data": list, "has_more": false, "first_id": list[0].ID,
		"last_id": list[len(list)-1].ID, "models": pick.Each(list, googleModelOf)})
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) *apiError {
	id := r.PathValue("id")
	m, ok := s.info(id, about(id))
	if !ok {
		return newError(http.StatusNotFound, "model_not_found", "no model %q", clip(id))
	}
	return writeJSON(w, struct {
		modelInfo
		googleModel
	}{m, googleModelOf(&m)})
}
