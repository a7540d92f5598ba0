package config

import (
	"maps"
	"slices"
	"strings"
)

// Machine is a table [machine.NAME]: hardware of the embedded endpoint. Zero
// values mean "not set": then the value is that of Base, if there is one.
// Package app turns it into a machine of the physics, and checks the values.
type Machine struct {
	// Base is the machine to start from; "" starts from nothing.
	Base string `toml:"base"`
	// Name is shown on the screen; "" shows the table's name.
	Name      string  `toml:"name"`
	Memory    float64 `toml:"memory_gb"` // as on the data sheet
	Bandwidth float64 `toml:"bandwidth_gbs"`
	// BF16, FP8 and FP4 are dense peaks. Without FP8 or FP4 the next wider
	// format computes.
	BF16 float64 `toml:"bf16_tflops"`
	FP8  float64 `toml:"fp8_tflops"`
	FP4  float64 `toml:"fp4_tflops"`
	// BandwidthShare and ComputeShare are what large kernels reach of the peaks,
	// 0 to 1.
	BandwidthShare float64 `toml:"bandwidth_share"`
	ComputeShare   float64 `toml:"compute_share"`
	Devices        int     `toml:"devices"` // largest group
	// Link connects a group: one of the names in docs/config.md.
	Link     string `toml:"link"`
	Software string `toml:"software"` // key of the serving software
}

// Model is a table [model.NAME]: a model of the embedded endpoint. Zero values
// mean "not set", as in Machine. Package app reads Config and checks the
// values.
type Model struct {
	// Config is the path of a config.json of Hugging Face. A relative path begins
	// at the folder of the configuration, ~/ at the home.
	Config string `toml:"config"`
	Base   string `toml:"base"` // the model to start from
	Name   string `toml:"name"` // shown on the screen
	// Precision is the key of the usual precision: bf16, fp8, q4, ….
	Precision string `toml:"precision"`
	Context   int    `toml:"context"`
	Reasoning bool   `toml:"reasoning"`
	Layers    int    `toml:"layers"`
	Hidden    int    `toml:"hidden"`
	Heads     int    `toml:"heads"`
	KVHeads   int    `toml:"kv_heads"`
	HeadDim   int    `toml:"head_dim"`
	FFN       int    `toml:"ffn"`
	Vocab     int    `toml:"vocab"`
	Experts   int    `toml:"experts"`
	TopK      int    `toml:"experts_per_token"`
	ExpertFFN int    `toml:"expert_ffn"`
	Shared    int    `toml:"shared_experts"`
	Dense     int    `toml:"dense_layers"`
	Window    int    `toml:"window"`
	Tied      bool   `toml:"tied"`
}

// Line returns the line of a dotted key in the file, 0 if it is not set.
func (c *Config) Line(key string) int { return c.lines[strings.ToLower(key)] }

// Refuse returns the fault of a table's key, or of the table where the key is
// not set. Its message begins with the file and the line.
func (c *Config) Refuse(table, key, what, next string) error {
	return c.refuse(table+": "+what, next, append(strings.SplitN(table, ".", 2), key)...)
}

// checkCatalogue refuses tables that begin from two things, or from nothing.
func (c *Config) checkCatalogue() error {
	for _, n := range slices.Sorted(maps.Keys(c.Models)) {
		switch m := c.Models[n]; {
		case m.Config != "" && m.Base != "":
			return c.Refuse("model."+n, "base", "config and base exclude each other", "keep one of them")
		case m.Config == "" && m.Base == "" && m.Layers == 0:
			return c.Refuse("model."+n, "", "no shape",
				`give config = "PATH/config.json", base = "llama-3.1-8b", or layers and the other sizes`)
		}
	}
	return nil
}
