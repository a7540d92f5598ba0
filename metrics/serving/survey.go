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
	Prompt, Output int     // tokens of a request
	Speed          float64 // tok/s per user that SurveyPair.Users counts for
	Machines       []SurveyMachine
	Models         []SurveyModel
	Pairs          []SurveyPair // for each model, in order, one for each machine
}

// Pair returns the pair of a model and a machine, by their positions.
func (s *Survey) Pair(model, machine int) *SurveyPair {
	return &s.Pairs[model*len(s.Machines)+machine]
}

// SurveyMachine is a machine that can be named.
type SurveyMachine struct {
	Key, Name      string
	Custom         bool    // defined in the configuration
	Memory         float64 // bytes
	Bandwidth      float64 // bytes per second
	BF16, FP8, FP4 float64 // dense FLOP/s; 0: no such units
	Group          int     // largest group
	Source         string
	Note           string // what the computation leaves out; "" if nothing
	Aliases        []string
}

// SurveyModel is a model that can be named.
type SurveyModel struct {
	Key, Name     string
	Custom        bool
	Total, Active float64 // parameters; active without the embedding
	Context       int     // tokens
	Precision     string  // in which it is usually served
	Source        string
	Note          string
	Aliases       []string
}

// SurveyPair is a model on a machine. Where it does not fit, Why says so and
// the other fields but Model and Machine are zero.
type SurveyPair struct {
	Model, Machine string // keys
	Target         string // as a command takes it: "llama-3.3-70b-fp8@2xh100"
	Precision      string // as people write it: "Q4_K_M"
	Software       string
	Devices        int           // of the group
	Weights        float64       // bytes, over the group
	One            metrics.Value // tok/s of one user
	Users          int           // how many users get Speed at least; 0 if one does not
	Why            string        // "141 GB of weights, 80 GB of memory"; "" if it fits
}
