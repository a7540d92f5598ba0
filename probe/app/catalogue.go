package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
	"tokscope/probe/files"
	"tokscope/probe/sim/hfconfig"
	"tokscope/probe/sim/physics"
)

// Catalogue returns the machines and models that the configuration defines,
// beside the built-in ones. It reads the config.json files that are named. The
// error is a *metrics.Fault of kind config with the file, the line and the next
// step.
func Catalogue(c *config.Config, env func(string) string) (*physics.Catalogue, error) {
	var machines []physics.Hardware
	var models []physics.Model
	for _, name := range slices.Sorted(maps.Keys(c.Machines)) {
		h, err := machineOf(c, name)
		if err != nil {
			return nil, err
		}
		machines = append(machines, h)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		m, err := modelOf(c, name, env)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	cat, err := physics.NewCatalogue(machines, models)
	var bad *physics.NameError
	if errors.As(err, &bad) {
		return nil, c.Refuse(bad.Kind+"."+bad.Name, "", bad.Why, "rename it")
	}
	return cat, err
}

func machineOf(c *config.Config, name string) (physics.Hardware, error) {
	t, table := c.Machines[name], "machine."+name
	h := physics.Hardware{MaxTP: 1}
	if t.Base != "" {
		var ok bool
		if h, ok = physics.Machine(t.Base); !ok {
			names, _ := (*physics.Catalogue)(nil).Names()
			return h, c.Refuse(table, "base", fmt.Sprintf("no machine %q", clip(t.Base)),
				didYouMean(t.Base, names, "tokscope models lists them"))
		}
		if h.Flow != nil {
			return h, c.Refuse(table, "base",
				h.Name+" is a dataflow machine, which has no bandwidth to change", "start from another machine")
		}
	}
	h.Key, h.Name, h.Source, h.Note = name, cmp.Or(t.Name, name), "the configuration", ""
	for _, f := range []struct {
		key string
		to  *float64
		v   float64
	}{{"memory_gb", &h.Mem, t.Memory}, {"bandwidth_gbs", &h.BW, t.Bandwidth},
		{"bf16_tflops", &h.BF16, t.BF16}, {"fp8_tflops", &h.FP8, t.FP8}, {"fp4_tflops", &h.FP4, t.FP4},
		{"bandwidth_share", &h.EffBW, t.BandwidthShare}, {"compute_share", &h.EffFLOP, t.ComputeShare}} {
		if c.Line(table+"."+f.key) > 0 {
			*f.to = f.v
		}
	}
	if c.Line(table+".bf16_tflops") > 0 {
		h.FP16 = 0 // that of the base says nothing about another peak
	}
	if c.Line(table+".devices") > 0 {
		h.MaxTP = t.Devices
	}
	if t.Link != "" {
		var ok bool
		if h.Link, ok = physics.Links[t.Link]; !ok {
			all := slices.Sorted(maps.Keys(physics.Links))
			return h, c.Refuse(table, "link", fmt.Sprintf("no link %q", clip(t.Link)),
				didYouMean(t.Link, all, "the links are "+strings.Join(all, ", ")))
		}
	}
	h.Stack = cmp.Or(t.Software, h.Stack)
	return h, fieldFault(c, table, h.Check(),
		"give memory_gb, bandwidth_gbs and bf16_tflops of the data sheet, or base")
}

func modelOf(c *config.Config, name string, env func(string) string) (physics.Model, error) {
	t, table := c.Models[name], "model."+name
	var m physics.Model
	switch {
	case t.Base != "":
		var ok bool
		if m, ok = physics.ModelOf(t.Base); !ok {
			_, names := (*physics.Catalogue)(nil).Names()
			return m, c.Refuse(table, "base", fmt.Sprintf("no model %q", clip(t.Base)),
				didYouMean(t.Base, names, "tokscope models lists them"))
		}
	case t.Config != "":
		data, err := readConfig(beside(c.Path(), t.Config, env))
		if err != nil {
			return m, c.Refuse(table, "config", fmt.Sprintf("read %s: %v", t.Config, err),
				"give the path of the config.json of a checkpoint")
		}
		if m, err = hfconfig.Model(data); err != nil {
			return m, c.Refuse(table, "config", fmt.Sprintf("%s: %v", t.Config, err),
				"give another file, or the sizes as keys: docs/config.md lists them")
		}
	}
	m.Key, m.Name, m.Source = name, cmp.Or(t.Name, name), "the configuration"
	for _, f := range []struct {
		key string
		to  *int
		v   int
	}{{"layers", &m.Layers, t.Layers}, {"hidden", &m.Hidden, t.Hidden}, {"heads", &m.Heads, t.Heads},
		{"kv_heads", &m.KVHeads, t.KVHeads}, {"head_dim", &m.HeadDim, t.HeadDim},
		{"ffn", &m.FFN, t.FFN}, {"vocab", &m.Vocab, t.Vocab}, {"context", &m.Context, t.Context},
		{"experts", &m.Experts, t.Experts}, {"experts_per_token", &m.TopK, t.TopK},
		{"expert_ffn", &m.ExpertFFN, t.ExpertFFN}, {"shared_experts", &m.Shared, t.Shared},
		{"dense_layers", &m.Dense, t.Dense}, {"window", &m.Window, t.Window}} {
		if c.Line(table+"."+f.key) > 0 {
			*f.to = f.v
		}
	}
	m.KVHeads = cmp.Or(m.KVHeads, m.Heads)
	if m.HeadDim == 0 && m.Heads > 0 {
		m.HeadDim = m.Hidden / m.Heads
	}
	if c.Line(table+".tied") > 0 {
		m.Tied = t.Tied
	}
	if c.Line(table+".reasoning") > 0 {
		m.Reasoning = t.Reasoning
	}
	m.Native = cmp.Or(t.Precision, m.Native)
	return m, fieldFault(c, table, m.Check(),
		"give layers, hidden, heads, ffn, vocab and context, or base, or config")
}

// fieldFault turns a *physics.FieldError into a fault at the key of the file.
func fieldFault(c *config.Config, table string, err error, next string) error {
	var bad *physics.FieldError
	if !errors.As(err, &bad) {
		return err
	}
	switch bad.Key {
	case "precision":
		next = "the precisions are " + names(physics.Precisions, func(p physics.Precision) string { return p.Key })
	case "software":
		next = "the software is one of " + names(physics.Stacks, func(s physics.Stack) string { return s.Key })
	case "link":
		next = "add link = \"pcie5\", or devices = 1"
	}
	return c.Refuse(table, bad.Key, bad.Key+": "+bad.Why, next)
}

func names[T any](all []T, of func(T) string) string {
	return strings.Join(pick.Each(all, func(x *T) string { return of(*x) }), ", ")
}

// didYouMean returns the next step for an unknown name.
func didYouMean(name string, known []string, otherwise string) string {
	if near := endpoint.Closest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

// clip bounds a name that a message repeats.
func clip(s string) string { return metrics.Shortened(s, 60) }

// beside resolves a path of the configuration: ~/ is the home, and a relative
// path begins at the folder of the file.
func beside(file, path string, env func(string) string) string {
	if path = endpoint.Home(path, env); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

const maxConfigJSON = 1 << 20 // a config.json has a few kB

// readConfig reads a regular file of at most maxConfigJSON bytes. The error
// leaves the path out.
func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	data, err := files.ReadText(path, maxConfigJSON)
	switch {
	case err != nil:
		return nil, errors.New(endpoint.Reason(err))
	case len(data) > maxConfigJSON:
		return nil, errors.New("larger than 1 MiB")
	}
	return data, nil
}
