package explain

import (
	"cmp"
	"fmt"

	"tokscope/metrics/serving"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// EngineConfig is what some knobs become: an engine and what its users send.
type EngineConfig struct {
	engine.Config
	Knobs serving.Knobs
}

// NewEngineConfig turns knobs into a config, with the machines and models of cat; nil
// has the built-in ones. The error says to a person why they cannot be taken; that of a
// model that does not fit is a *physics.FitError.
func NewEngineConfig(cat *physics.Catalogue, k serving.Knobs) (*EngineConfig, error) {
	c, err := config(cat, k)
	if err != nil {
		return nil, err
	}
	mode, err := engine.ModeOf(k.Mode)
	if err != nil {
		return nil, err
	}
	switch {
	case k.Users < 1 || k.Users > MaxUsers:
		return nil, fmt.Errorf("%d users: 1 to %d", k.Users, MaxUsers)
	case k.Prompt < 1 || k.Prompt > maxPrompt:
		return nil, fmt.Errorf("a prompt of %d tokens: 1 to %d", k.Prompt, maxPrompt)
	case k.Output < 1 || k.Output > maxOutput:
		return nil, fmt.Errorf("an output of %d tokens: 1 to %d", k.Output, maxOutput)
	case k.Budget < 0:
		return nil, fmt.Errorf("a chunk budget of %d tokens", k.Budget)
	case !(k.Time >= minTime && k.Time <= 1):
		return nil, fmt.Errorf("time %vx: %v to 1", k.Time, minTime)
	}
	s, err := physics.New(c)
	if err != nil {
		return nil, fits(c, err)
	}
	// The server's admission check adds a block, and a prompt's length is exact
	// only within a few tokens.
	if need := k.Prompt + k.Output; need+2*physics.Block > s.Model.Context {
		return nil, fmt.Errorf("%d + %d tokens, %s is served with a context of %d",
			k.Prompt, k.Output, s.Model.Name, s.Model.Context)
	}
	if need := k.Prompt + k.Output + k.DraftK; need > s.Longest()-2*physics.Block {
		return nil, &physics.FitError{
			Reason: fmt.Sprintf("%d + %d tokens of one user, the cache has room for %d", k.Prompt, k.Output, s.Longest())}
	}
	return &EngineConfig{Knobs: k, Config: engine.Config{Setup: s, Mode: mode, Budget: k.Budget}}, nil
}

// fits adds to a fit error the group that would hold the model.
func fits(c physics.Config, err error) error {
	if tp := c.TP; tp > 0 {
		c.TP = 0
		if more, e := physics.New(c); e == nil && more.TP > tp {
			return &physics.FitError{Reason: fmt.Sprintf("%v; %d x %s would hold it", err, more.TP, c.Hardware.Name)}
		}
	}
	return err
}

func config(cat *physics.Catalogue, k serving.Knobs) (physics.Config, error) {
	c, _, err := sim.ParseID(cat, fmt.Sprintf("%s-%s@%s", k.Model, k.Precision, k.Hardware))
	if err != nil {
		return c, err
	}
	if c.Precision.Key == "mxfp4" && c.Model.Experts == 0 {
		return c, &physics.FitError{Reason: fmt.Sprintf("mxfp4 packs experts, %s has none", c.Model.Name)}
	}
	c.TP = k.TP
	if err := applyOptions(&c, &k); err != nil {
		return c, err
	}
	switch {
	case k.DraftK < 0 || k.DraftK > maxDraft:
		return c, fmt.Errorf("a draft of %d guesses: 0 to %d", k.DraftK, maxDraft)
	case k.DraftK > 0 && !(k.Accept >= 0 && k.Accept <= 1):
		return c, fmt.Errorf("an acceptance of %v: 0 to 1", k.Accept)
	case k.DraftK > 0 && c.Hardware.Flow != nil:
		return c, &physics.FitError{Reason: "the cost of a draft model on a dataflow machine is unknown"}
	case k.DraftK > 0:
		what := cmp.Or(k.DraftHead, draftModels[c.Model.Key], "mtp")
		c.Draft, err = sim.ParseDraft(cat, &c, fmt.Sprintf("%s:%d:%v", what, k.DraftK, k.Accept))
	}
	return c, err
}

// draftModels are the models that guess for larger ones of their family. All others
// have a head of their own, as of multi-token prediction.
var draftModels = map[string]string{"llama-3.1-405b": "llama-3.1-8b",
	"llama-3.3-70b": "llama-3.1-8b", "llama-3.1-8b": "llama-3.2-1b"}

// Bounds of the knobs.
const (
	MaxUsers  = 256    // of the closed loop: more would measure this machine
	maxPrompt = 32_000 // tokens
	maxOutput = 8_000
	maxDraft  = 7
	minTime   = 0.01
)

// Default returns the initial knobs: an engine busy enough to show a batch,
// at a fifth of its real speed.
func Default() serving.Knobs {
	return serving.Knobs{
		Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", Users: 8, Prompt: 1000, Output: 200,
		Mode: "continuous", Accept: 0.8, Time: 0.2,
	}
}
