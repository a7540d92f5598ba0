package record

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
	Schema         string         `json:"schema"`
	Version        string         `json:"version"`           // of tokscope
	PromptTokens   int            `json:"prompt_tokens"`     // of a request
	OutputTokens   int            `json:"output_tokens"`     // of a request
	UserTokensPerS float64        `json:"user_tokens_per_s"` // the speed that users_at_speed counts for
	Machines       []ModelMachine `json:"machines"`
	Models         []ModelShape   `json:"models"`
	Pairs          []ModelPair    `json:"pairs"` // every model on every machine
}

// ModelMachine is a machine of the embedded endpoint. Peaks are dense.
type ModelMachine struct {
	Name         string   `json:"name"`         // as typed
	Title        string   `json:"title"`        // as shown
	Aliases      []string `json:"aliases"`      // further names
	Custom       bool     `json:"custom"`       // defined in the configuration
	MemoryBytes  float64  `json:"memory_bytes"` // of one device
	BytesPerS    float64  `json:"bytes_per_s"`  // bandwidth of one device's memory
	BF16FLOPs    float64  `json:"bf16_flop_per_s"`
	FP8FLOPs     *float64 `json:"fp8_flop_per_s"` // null without such units
	FP4FLOPs     *float64 `json:"fp4_flop_per_s"` // null without such units
	LargestGroup int      `json:"largest_group"`  // devices that can share a model
	Source       string   `json:"source"`
	Note         string   `json:"note,omitempty"` // what the computation leaves out
}

// ModelShape is a model of the embedded endpoint.
type ModelShape struct {
	Name             string   `json:"name"`    // as typed
	Title            string   `json:"title"`   // as shown
	Aliases          []string `json:"aliases"` // further names
	Custom           bool     `json:"custom"`  // defined in the configuration
	Parameters       float64  `json:"parameters"`
	ActiveParameters float64  `json:"active_parameters"` // that one token passes through, without the embedding
	ContextTokens    int      `json:"context_tokens"`
	Precision        string   `json:"precision"` // in which it is usually served
	Source           string   `json:"source"`
	Note             string   `json:"note,omitempty"` // what the computation leaves out
}

// ModelPair is a model on a machine. Where it does not fit, why says so and
// the figures are null.
type ModelPair struct {
	Model        string   `json:"model"`
	Machine      string   `json:"machine"`
	Fits         bool     `json:"fits"`
	Why          string   `json:"why,omitempty"`       // why it does not fit
	Target       string   `json:"target,omitempty"`    // as a command takes it
	Precision    string   `json:"precision,omitempty"` // of the weights
	Software     string   `json:"software,omitempty"`
	Devices      *int     `json:"devices"`        // of the group
	WeightsBytes *float64 `json:"weights_bytes"`  // over the group
	OneUser      *float64 `json:"one_user_tok_s"` // speed of a user alone
	Users        *int     `json:"users_at_speed"` // how many users get user_tokens_per_s at least
}

// WriteModels writes a survey as a JSON document.
func WriteModels(w io.Writer, s *serving.Survey, version string) error {
	peak := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	d := Models{Schema: ModelsSchema, Version: version,
		PromptTokens: s.Prompt, OutputTokens: s.Output, UserTokensPerS: s.Speed,
		Machines: []ModelMachine{}, Models: []ModelShape{}, Pairs: []ModelPair{}}
	for _, m := range s.Machines {
		d.Machines = append(d.Machines, ModelMachine{
			Name: m.Key, Title: m.Name, Aliases: append([]string{}, m.Aliases...),
			Custom: m.Custom, MemoryBytes: m.Memory, BytesPerS: m.Bandwidth,
			BF16FLOPs: m.BF16, FP8FLOPs: peak(m.FP8), FP4FLOPs: peak(m.FP4),
			LargestGroup: m.Group, Source: m.Source, Note: m.Note,
		})
	}
	for _, m := range s.Models {
		d.Models = append(d.Models, ModelShape{
			Name: m.Key, Title: m.Name, Aliases: append([]string{}, m.Aliases...),
			Custom: m.Custom, Parameters: m.Total, ActiveParameters: m.Active,
			ContextTokens: m.Context, Precision: m.Precision, Source: m.Source, Note: m.Note,
		})
	}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		out := ModelPair{Model: p.Model, Machine: p.Machine, Fits: p.Why == "",
			Why: p.Why, Target: p.Target, Precision: p.Precision, Software: p.Software}
		if out.Fits {
			out.Devices, out.WeightsBytes, out.Users = &p.Devices, &p.Weights, &p.Users
			if p.One.OK {
				out.OneUser = &p.One.V
			}
		}
		d.Pairs = append(d.Pairs, out)
	}
	return (*Sentences)(nil).document(w, d)
}
