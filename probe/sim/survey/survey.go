// Package survey computes which models fit which machines, how fast they serve
// one user, and how many users get a given speed.
//
// The speed of n users is that of a steady state in which all of them decode
// and the prompts of the others are read once per answer, in steps that they
// share with the decodes:
//
//	TPOT(n) = step(n) + (n−1)/output · Σ chunks (step(n−1, chunk) − step(n−1))
//
// It has no queue, so it is computed in microseconds.
// survey_test.go compares it with the engine in virtual time.
package survey

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/serving"
	"tokscope/probe/sim"
	"tokscope/probe/sim/physics"
)

// smallMemory is the memory in GiB below which people run a 4-bit model before
// they buy a second device.
const smallMemory = 40

// mostUsers bounds the count of users.
const mostUsers = 4096

// first are the machines that are shown first: those that people ask for.
var first = []string{"rtx4090", "m4max", "dgx-spark", "h100", "h200", "b200", "rtx5090",
	"m3ultra", "mi300x", "a100", "strixhalo", "rtx3090", "b300", "l40s", "m5max"}

// New makes the survey of a plan, of these machines and models; without one of a kind of all of
// that kind. The error names an unknown precision.
func New(cat *physics.Catalogue, p serving.SurveyPlan,
	machines []physics.Hardware, models []physics.Model) (*serving.Survey, error) {
	p.Prompt, p.Output, p.Speed = cmp.Or(p.Prompt, 1000), cmp.Or(p.Output, 200), cmp.Or(p.Speed, 20)
	if _, ok := physics.PrecisionOf(p.Precision); p.Precision != "" && !ok {
		all := pick.Each(physics.Precisions, func(p *physics.Precision) string { return p.Key })
		return nil, fmt.Errorf("precision %.40q: known are %s", p.Precision, strings.Join(all, ", "))
	}
	if machines == nil {
		machines = allMachines(cat)
	}
	if models == nil {
		models = cat.Models()
	}
	s := &serving.Survey{Prompt: p.Prompt, Output: p.Output, Speed: p.Speed}
	customMachines, customModels := cat.Custom()
	for i := range machines {
		h := &machines[i]
		s.Machines = append(s.Machines, serving.SurveyMachine{
			Key: h.Key, Name: h.Name,
			Custom: slices.ContainsFunc(customMachines, func(x physics.Hardware) bool { return x.Key == h.Key }),
			Memory: h.Bytes(), Bandwidth: h.BW * 1e9, BF16: h.BF16 * 1e12, FP8: h.FP8 * 1e12, FP4: h.FP4 * 1e12,
			Group: h.MaxTP, Source: h.Source, Note: h.Note, Aliases: physics.AliasesOf(h.Key),
		})
	}
	for i := range models {
		m := &models[i]
		params := m.Params()
		s.Models = append(s.Models, serving.SurveyModel{
			Key: m.Key, Name: m.Name,
			Custom: slices.ContainsFunc(customModels, func(x physics.Model) bool { return x.Key == m.Key }),
			Total:  params.Total(), Active: m.Active(), Context: m.Context, Precision: sim.NativePrecision(m),
			Source: m.Source, Note: m.Note, Aliases: physics.AliasesOf(m.Key),
		})
		for j := range machines {
			s.Pairs = append(s.Pairs, pair(cat, m, &machines[j], &p))
		}
	}
	return s, nil
}

// allMachines returns those that a person defined, then first, then the others.
func allMachines(cat *physics.Catalogue) []physics.Hardware {
	custom, _ := cat.Custom()
	out := slices.Clone(custom)
	for _, key := range first {
		h, _ := physics.Machine(key)
		out = append(out, h)
	}
	for _, h := range physics.Machines {
		if !slices.Contains(first, h.Key) {
			out = append(out, h)
		}
	}
	return out
}

// pair chooses the group and the precision: the smallest group that holds the
// weights and one request. For each size it tries the precisions in order.
func pair(cat *physics.Catalogue, m *physics.Model, h *physics.Hardware, o *serving.SurveyPlan) serving.SurveyPair {
	p := serving.SurveyPair{Model: m.Key, Machine: h.Key}
	if need := o.Prompt + o.Output; need+2*physics.Block > m.Context {
		p.Why = fmt.Sprintf("%d + %d tokens, the context has %d", o.Prompt, o.Output, m.Context)
		return p
	}
	var last error
	for n := 1; n <= min(h.MaxTP, 64); n *= 2 {
		for _, precision := range precisions(m, h, o) {
			target := sim.IDOf(m, precision, n, h)
			c, _, err := sim.ParseID(cat, target)
			if err != nil { // every part is known
				p.Why = err.Error()
				return p
			}
			s, err := physics.New(c)
			if err == nil && s.Longest() < o.Prompt+o.Output+2*physics.Block {
				err = &physics.FitError{
					Reason: fmt.Sprintf("%d + %d tokens, the cache has room for %d", o.Prompt, o.Output, s.Longest())}
			}
			if err != nil {
				last = err
				continue
			}
			p.Target, p.Precision, p.Software, p.Devices, p.Weights = target, c.Precision.Name, c.Stack.Name, s.TP, s.Weights
			p.One = metrics.Known(PerUser(s, 1, o.Prompt, o.Output), 0)
			p.Users = usersAt(s, o)
			return p
		}
		if h.Flow != nil {
			break // the group was chosen already
		}
	}
	p.Why = last.Error()
	return p
}

// precisions returns what people run on h: on a personal computer Q4, or the
// model's own 4 bits. Elsewhere the usual precision, then fp8 where the machine
// has it, then Q4 on a card with less than smallMemory.
func precisions(m *physics.Model, h *physics.Hardware, o *serving.SurveyPlan) []string {
	native := sim.NativePrecision(m)
	personal := h.Stack == "llama.cpp" || h.MaxTP == 1 && h.Stack == "" && h.Flow == nil && h.Key != "1tb"
	switch {
	case o.Precision != "":
		return []string{o.Precision}
	case personal && native == "mxfp4":
		return []string{native}
	case personal:
		return []string{"q4"}
	}
	list := []string{native}
	if h.FP8 > 0 && native == "bf16" {
		list = append(list, "fp8")
	}
	if h.Flow == nil && h.Stack == "" && h.Mem < smallMemory {
		list = append(list, "q4")
	}
	return list
}

// PerUser returns the speed in tok/s that each of n users gets.
func PerUser(s *physics.Setup, n, prompt, output int) float64 {
	load := func(n int) *physics.Load {
		ctx := prompt + output/2
		return &physics.Load{Seqs: n, Ctx: int64(n) * int64(ctx), WinCtx: int64(n) * int64(min(ctx, s.Model.Reach()))}
	}
	seconds := func(l *physics.Load) float64 {
		c := s.Step(l)
		return c.Seconds()
	}
	tpot := seconds(load(n))
	if n == 1 {
		return 1 / tpot
	}
	others := seconds(load(n - 1))
	room := max(s.Budget-n+1, physics.Block) // the decodes come first
	for at := 0; at < prompt; at += room {
		l := load(n - 1)
		size := min(room, prompt-at)
		l.Chunks = []physics.Chunk{{New: size, Cached: at, Last: at+size == prompt}}
		tpot += float64(n-1) / float64(output) * (seconds(l) - others)
	}
	return 1 / tpot
}

// usersAt returns how many users get the speed of o and fit the cache.
func usersAt(s *physics.Setup, o *serving.SurveyPlan) int {
	most := min(s.MaxSeqs, s.Capacity/physics.Block/s.Blocks(o.Prompt+o.Output), mostUsers)
	return sort.Search(most, func(i int) bool { return !(PerUser(s, i+1, o.Prompt, o.Output) >= o.Speed) })
}
