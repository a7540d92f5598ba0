package result

import (
	"io"

	"tokscope/metrics/serving"
)

// ModelsSchema names the format of tokscope models --json.
const ModelsSchema = "tokscope/models/v1"

// Models is the document of tokscope models --json: the machines and models of
// the embedded endpoint, and what fits. Its figures come from a model of an
// engine, not from hardware.
type Models struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of tokscope
	*serving.Survey
	Pairs []ModelPair `json:"pairs"` // every model on every machine
}

// ModelPair is a model on a machine. Where it does not fit, why says so and
// the figures are null.
type ModelPair struct {
	*serving.SurveyPair
	Fits  bool `json:"fits"`
	Users *int `json:"users_at_speed"` // how many users get user_tokens_per_s at least
}

// WriteModels writes a survey as a JSON document.
func WriteModels(w io.Writer, s *serving.Survey, version string) error {
	d := Models{Schema: ModelsSchema, Version: version, Survey: s}
	for i := range s.Pairs {
		p := ModelPair{SurveyPair: &s.Pairs[i], Fits: s.Pairs[i].Why == ""}
		if p.Fits {
			p.Users = &s.Pairs[i].Users
		}
		d.Pairs = append(d.Pairs, p)
	}
	return Sentences(nil).WriteDocument(w, d)
}
