package serving

import "tokscope/metrics"

// SurveyPlan holds what a survey is asked for. Zero values take the defaults:
// 1000 tokens in, 200 out, 20 tok/s.
type SurveyPlan struct {
	ConfigPath     string   // of the configuration; "" is the usual place
	Names          []string // machines and models; without one of a kind all of that kind
	Precision      string   // key; "" chooses one for each pair
	Prompt, Output int      // tokens
	Speed          float64  // tok/s per user
}

// Survey says which models fit which machines, and how fast they are there.
// The figures are of the engine's model of one step, without a queue.
type Survey struct {
	Prompt   int             `json:"prompt_tokens"`     // of a request
	Output   int             `json:"output_tokens"`     // of a request
	Speed    float64         `json:"user_tokens_per_s"` // the speed that users_at_speed counts for
	Machines []SurveyMachine `json:"machines"`
	Models   []SurveyModel   `json:"models"`
	Pairs    []SurveyPair    // for each model, in order, one for each machine
}

// Pair returns the pair of a model and a machine, by their positions.
func (s *Survey) Pair(model, machine int) *SurveyPair {
	return &s.Pairs[model*len(s.Machines)+machine]
}

// SurveyMachine is a machine that can be named. Peaks are dense.
type SurveyMachine struct {
	Key       string   `json:"name"`         // as typed
	Name      string   `json:"title"`        // as shown
	Aliases   []string `json:"aliases"`      // further keys
	Custom    bool     `json:"custom"`       // defined in the configuration
	Memory    float64  `json:"memory_bytes"` // of one device
	Bandwidth float64  `json:"bytes_per_s"`  // of one device's memory
	BF16      float64  `json:"bf16_flop_per_s"`
	FP8       float64  `json:"fp8_flop_per_s" form:"null=zero"` // 0, and null in JSON: no such units
	FP4       float64  `json:"fp4_flop_per_s" form:"null=zero"` // likewise
	Group     int      `json:"largest_group"`                   // devices that can share a model
	Source    string   `json:"source"`
	Note      string   `json:"note,omitempty"` // what the computation leaves out; "" if nothing
}

// SurveyModel is a model that can be named.
type SurveyModel struct {
	Key       string   `json:"name"`    // as typed
	Name      string   `json:"title"`   // as shown
	Aliases   []string `json:"aliases"` // further keys
	Custom    bool     `json:"custom"`  // defined in the configuration
	Total     float64  `json:"parameters"`
	Active    float64  `json:"active_parameters"` // that one token passes through, without the embedding
	Context   int      `json:"context_tokens"`
	Precision string   `json:"precision"` // in which it is usually served
	Source    string   `json:"source"`
	Note      string   `json:"note,omitempty"` // what the computation leaves out; "" if nothing
}

// SurveyPair is a model on a machine. Where it does not fit, Why says so and
// the other fields but Model and Machine are zero.
type SurveyPair struct {
	Model     string        `json:"model"`               // key
	Machine   string        `json:"machine"`             // key
	Target    string        `json:"target,omitempty"`    // as a command takes it: "llama-3.3-70b-fp8@2xh100"
	Precision string        `json:"precision,omitempty"` // of the weights, as people write it: "Q4_K_M"
	Software  string        `json:"software,omitempty"`
	Devices   int           `json:"devices" form:"null=zero"`       // of the group
	Weights   float64       `json:"weights_bytes" form:"null=zero"` // over the group
	One       metrics.Value `json:"one_user_tok_s" form:"bare"`     // speed of a user alone
	Users     int           // how many users get Speed at least; 0 if one does not
	Why       string        `json:"why,omitempty"` // "141 GB of weights, 80 GB of memory"; "" if it fits
}
