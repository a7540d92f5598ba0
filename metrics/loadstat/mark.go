package loadstat

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Setting is what a person can change while a load runs. It is read, never
// changed.
type Setting struct {
	Work metrics.Workload
	// Input and Output are the distributions of prompt lengths and output
	// limits; the zero Lengths: as in Work.
	Input, Output metrics.Lengths
	SharedPrefix  bool // prompts may begin alike
	Endpoint      metrics.Endpoint
	SLOs          []slo.Objective
	Drive         // users or arrivals; in a ramp, what is left of it
}

// MarkKind names what a mark changed.
type MarkKind string

// The kinds, the most important first. A mark of several has the first of them.
const (
	MarkEndpoint   MarkKind = "endpoint"
	MarkModel      MarkKind = "model"
	MarkWork       MarkKind = "workload" // prompt, or lengths of prompts and answers
	MarkRate       MarkKind = "rate"
	MarkUsers      MarkKind = "users"
	MarkObjectives MarkKind = "objectives"
)

// Difference returns what differs between two settings; "" for nothing.
func Difference(a, b *Setting) MarkKind {
	x, y := &a.Endpoint, &b.Endpoint
	switch {
	case x.Kind != y.Kind || x.Name != y.Name || !x.Same(y):
		return MarkEndpoint
	case x.Model != y.Model:
		return MarkModel
	case !SamePrompts(a, b):
		return MarkWork
	case !SameDrive(a, b) && (a.Drive.Open() || b.Drive.Open()):
		return MarkRate
	case !SameDrive(a, b):
		return MarkUsers
	case !slices.Equal(a.SLOs, b.SLOs):
		return MarkObjectives
	}
	return ""
}

// SamePrompts reports whether requests under both settings ask for the same.
// The workload's name does not matter.
func SamePrompts(a, b *Setting) bool {
	return a.Work.Asked() == b.Work.Asked() && a.Work.Connection == b.Work.Connection &&
		sameLengths(&a.Input, &b.Input) && sameLengths(&a.Output, &b.Output) && a.SharedPrefix == b.SharedPrefix
}

// SameModel reports whether both settings ask the same model of the same endpoint.
func SameModel(a, b *Setting) bool {
	k := Difference(a, b)
	return k != MarkEndpoint && k != MarkModel
}

// SameWork reports whether figures under both settings describe the same: the
// same requests to the same model of the same endpoint. Users, rate and
// objectives may differ.
func SameWork(a, b *Setting) bool { return SameModel(a, b) && SamePrompts(a, b) }

func sameLengths(a, b *metrics.Lengths) bool {
	return a.Low == b.Low && a.High == b.High && a.Mean == b.Mean && a.SD == b.SD && slices.Equal(a.Choices, b.Choices)
}

// SameDrive reports whether requests begin alike under both settings. How much
// of a ramp is left does not matter.
func SameDrive(a, b *Setting) bool {
	v, w := a.Drive, b.Drive
	v.Within, w.Within = 0, 0
	return v == w
}

// IndexOfWork returns the index of the setting with the work of s, and all with
// s appended where it had none. all is not changed: views share it.
func IndexOfWork(all []Setting, s *Setting) (int, []Setting) {
	for i := range all {
		if SameWork(&all[i], s) {
			return i, all
		}
	}
	return len(all), append(all[:len(all):len(all)], *s)
}

// Mark is one change of a load while it ran.
type Mark struct {
	At       metrics.Stamp
	Kind     MarkKind
	From, To *Setting // before and after; read only
	Undo     bool     // it took back an earlier change
}

// Present returns the points of the path that were measured with the present
// work. The slice may be that of the path: read only.
func (v *View) Present() []Point {
	other := func(p Point) bool { return p.Setup != v.Setup }
	if !slices.ContainsFunc(v.Path, other) {
		return v.Path
	}
	return slices.DeleteFunc(slices.Clone(v.Path), other)
}

// SetupOf returns the setting with which points of that number were measured;
// false for an unknown number.
func (v *View) SetupOf(setup int) (*Setting, bool) {
	if setup < 0 || setup >= len(v.Setups) {
		return nil, false
	}
	return &v.Setups[setup], true
}
