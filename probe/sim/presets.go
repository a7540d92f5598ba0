package sim

import (
	"cmp"
	"fmt"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// DefaultModel answers requests without a model. Its decode is fast enough to
// look lively, and a long prompt's prefill is slow enough to be seen.
const DefaultModel = "llama-3.1-8b@h100"

// Preset is a ready-made model on hardware.
type Preset struct {
	ID    string // as in /v1/models
	About string // one line of description
	// Is names the model on its hardware as ParseID reads it. "" means ID.
	Is    string
	Draft *physics.Draft
}

// Presets lists every ready-made model, the default first.
var Presets = []Preset{
	{ID: DefaultModel, About: "8B in bf16 on one H100"},
	{ID: "llama-3.1-8b-q4@laptop", About: "8B in 4 bits on a laptop's CPU: twice reading pace, long prefill"},
	{ID: "llama-3.1-8b-q4@m3max", About: "8B in 4 bits on an Apple M3 Max"},
	{ID: "llama-3.1-8b-q4@rtx4090", About: "8B in 4 bits on a gaming card: fast for one reader"},
	{ID: "llama-2-7b@a100-40", About: "the seesaw: 64 users give 15 times the throughput at 4 times the latency"},
	{ID: "llama-3.3-70b-fp8@2xh100", Is: "llama-3.3-70b-fp8@2xh100+nim", About: "70B in 8 bits on two H100"},
	{ID: "llama-3.3-70b-fp8@h200", Is: "llama-3.3-70b-fp8@h200+nim",
		About: "70B in 8 bits on one H200: 64 users with 5,000 tokens get 9 tok/s per user"},
	{ID: "llama-3.3-70b@4xh100", About: "70B in bf16 on four H100: without a draft model"},
	{ID: "llama-3.3-70b@4xh100+draft", Is: "llama-3.3-70b@4xh100+draft:llama-3.1-8b:3:0.8",
		About: "the same with an 8B that guesses three tokens ahead: bursts of 1 to 4"},
	{ID: "gpt-oss-120b@2xh100", About: "120B mixture of experts, 5B active, on two H100"},
	{ID: "gpt-oss-120b@16xsn40l", About: "the 713 tok/s endpoint: a dataflow machine"},
	{ID: "deepseek-r1-nvfp4@8xb200+mtp3", Is: "deepseek-r1-nvfp4@8xb200+nim", Draft: &physics.Draft{Head: 2. / 61,
		K: 3, Accept: []float64{.92, .72, .36}}, About: "671B mixture of experts with multi-token prediction"},
	{ID: "deepseek-v3.2@8xh200+ep", About: "671B with sparse attention, expert parallelism and data-parallel attention"},
	{ID: "qwen3-next-80b-a3b-fp8@h200",
		About: "80B mixture of experts with linear attention: a small cache, and a state per user"},
	{ID: "gpt-oss-120b@rtx4090+cpu-moe-30",
		About: "120B on a gaming card: the experts of 30 layers are in the computer's memory"},
	{ID: "llama-3.3-70b-fp8@groq", About: "70B on Groq's chips: a step takes the same time for any batch"},
	{ID: "gpt-oss-120b@cerebras", About: "120B on wafers: far faster than reading"},
}

// preset returns the ready-made model with this id, or nil.
func preset(id string) *Preset {
	return pick.First(Presets, func(p *Preset) bool { return p.ID == id })
}

// customPresets lists what a person has defined, as presets: every model of
// theirs on every machine of theirs, else on the first machine that holds it;
// every machine of theirs with the default model. Pairs that do not fit are
// left out.
func customPresets(cat *physics.Catalogue) (list []Preset) {
	machines, models := cat.Custom()
	add := func(m *physics.Model, h *physics.Hardware, about string) bool {
		for _, precision := range []string{NativePrecision(m), "fp8", "q4"} {
			id := IDOf(m, precision, 1, h)
			if _, err := find(cat, id); err == nil {
				list = append(list, Preset{ID: id, About: about})
				return true
			}
		}
		return false
	}
	for i := range models {
		m, fits := &models[i], false
		for j := range machines {
			fits = add(m, &machines[j], "your model on your machine") || fits
		}
		for j := range physics.Machines {
			fits = fits || add(m, &physics.Machines[j], "your model")
		}
	}
	usual, _ := physics.ModelOf("llama-3.1-8b")
	for i := range machines {
		add(&usual, &machines[i], "your machine")
	}
	return list
}

// Check reports why id cannot be served, or nil. The error is a
// *physics.FitError if model and machine are known but the model does not fit.
func Check(cat *physics.Catalogue, id string) error {
	_, err := find(cat, strings.ToLower(strings.TrimSpace(id)))
	return err
}

// found is a model that fits its hardware.
type found struct {
	setup *physics.Setup
	mode  engine.Mode
}

// find looks up an id in the presets, then parses it as model@hardware. The
// error is a *physics.FitError if both are known but the model does not fit.
func find(cat *physics.Catalogue, id string) (found, error) {
	p := preset(id)
	for i := len(id) - 1; p == nil && i > 0; i-- {
		if id[i] != '+' {
			continue
		}
		if q := preset(id[:i]); q != nil { // a preset with further options
			p = &Preset{ID: id, Is: cmp.Or(q.Is, q.ID) + id[i:], Draft: q.Draft}
			if strings.Contains(id[i:], "+draft:") {
				p.Draft = nil
			}
		}
	}
	if p == nil {
		p = &Preset{ID: id}
	}
	is := cmp.Or(p.Is, p.ID)
	c, mode, err := ParseID(cat, is)
	if err != nil {
		return found{}, err
	}
	if p.Draft != nil {
		c.Draft = p.Draft
	}
	setup, err := physics.New(c)
	if err != nil {
		c.TP = 0
		if more, e := physics.New(c); e == nil {
			err = &physics.FitError{Reason: fmt.Sprintf("%v; %d x %s would hold it", err, more.TP, c.Hardware.Name)}
		}
	}
	return found{setup, mode}, err
}
