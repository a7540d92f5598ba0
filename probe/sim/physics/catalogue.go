package physics

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics/pick"
)

// Catalogue holds the machines and models that can be named: those built in,
// and those that a person defined. nil holds the built-in ones alone. It is
// immutable and safe for concurrent use.
type Catalogue struct {
	machines []Hardware
	models   []Model
}

// NewCatalogue adds machines and models to the built-in ones. The error is a
// *NameError for a name that is malformed or taken, or that of Hardware.Check
// or Model.Check. It begins with the kind and the name.
func NewCatalogue(machines []Hardware, models []Model) (*Catalogue, error) {
	c := &Catalogue{machines: slices.Clone(machines), models: slices.Clone(models)}
	seen := map[string]bool{}
	for i := range machines {
		h := &machines[i]
		if err := checkName("machine", h.Key, seen); err != nil {
			return nil, err
		}
		if err := h.Check(); err != nil {
			return nil, fmt.Errorf("machine %s: %w", h.Key, err)
		}
	}
	for i := range models {
		m := &models[i]
		if err := checkName("model", m.Key, seen); err != nil {
			return nil, err
		}
		if err := m.Check(); err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Key, err)
		}
	}
	return c, nil
}

// NameError reports a name that cannot be given to a machine or model.
type NameError struct{ Kind, Name, Why string }

func (e *NameError) Error() string { return fmt.Sprintf("%s %s: %s", e.Kind, e.Name, e.Why) }

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9._-]{0,39}$`) })

func checkName(kind, name string, seen map[string]bool) error {
	var c *Catalogue
	_, machine := c.Machine(name)
	_, model := c.Model(name)
	switch {
	case !nameForm().MatchString(name):
		return &NameError{kind, name, "a name has up to 40 of a-z 0-9 . _ - and begins with a letter"}
	case machine || model:
		return &NameError{kind, name, "this name is built in"}
	case seen[name]:
		return &NameError{kind, name, "this name is used twice"}
	}
	seen[name] = true
	return nil
}

// Machine returns the machine with this name or alias, in any case of letters.
func (c *Catalogue) Machine(name string) (h Hardware, ok bool) {
	custom, _ := c.Custom()
	if h, ok = byKey(custom, (*Hardware).key, strings.ToLower(name)); ok {
		return h, true
	}
	return Machine(strings.ToLower(name))
}

// Model returns the model with this name or alias, in any case of letters.
func (c *Catalogue) Model(name string) (m Model, ok bool) {
	_, custom := c.Custom()
	if m, ok = byKey(custom, (*Model).key, strings.ToLower(name)); ok {
		return m, true
	}
	return ModelOf(strings.ToLower(name))
}

// Machines lists the machines that a person defined, then the built-in ones.
func (c *Catalogue) Machines() []Hardware {
	custom, _ := c.Custom()
	return append(slices.Clone(custom), Machines...)
}

// Models lists the models that a person defined, then the built-in ones.
func (c *Catalogue) Models() []Model {
	_, custom := c.Custom()
	return append(slices.Clone(custom), Models...)
}

// Custom returns what a person defined. The slices must not be changed.
func (c *Catalogue) Custom() ([]Hardware, []Model) {
	if c == nil {
		return nil, nil
	}
	return c.machines, c.models
}

// AliasesOf returns the further names of a built-in machine or model, sorted.
func AliasesOf(key string) []string {
	var out []string
	for _, table := range []map[string]string{machineAliases, modelAliases} {
		for alias, of := range table {
			if of == key {
				out = append(out, alias)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Names lists the keys and aliases of all machines and models.
func (c *Catalogue) Names() (machines, models []string) {
	for _, h := range c.Machines() {
		machines = append(machines, h.Key)
	}
	for _, m := range c.Models() {
		models = append(models, m.Key)
	}
	return append(machines, slices.Sorted(maps.Keys(machineAliases))...),
		append(models, slices.Sorted(maps.Keys(modelAliases))...)
}

// Machine returns the built-in device with this key or alias. ok is false for
// an unknown one.
func Machine(key string) (h Hardware, ok bool) {
	return byKey(Machines, (*Hardware).key, cmp.Or(machineAliases[key], key))
}

// ModelOf returns the built-in model with this key or alias. ok is false for
// an unknown one.
func ModelOf(key string) (m Model, ok bool) {
	return byKey(Models, (*Model).key, cmp.Or(modelAliases[key], key))
}

// byKey returns the entry of a table with that key. ok is false for an unknown one.
func byKey[T any](table []T, keyOf func(*T) string, key string) (entry T, ok bool) {
	return pick.Value(table, func(e *T) bool { return keyOf(e) == key })
}

func (h *Hardware) key() string  { return h.Key }
func (m *Model) key() string     { return m.Key }
func (p *Precision) key() string { return p.Key }
func (s *Stack) key() string     { return s.Key }

// Links are the connections of a group by name.
var Links = map[string]Link{
	"nvlink-ampere": nvlinkAmpere, "nvlink-hopper": nvlinkHopper, "nvlink-blackwell": nvlinkBlackwell,
	"infinity-fabric": infinityFabric, "pcie4": pcie4, "pcie5": pcie5,
	"connectx-7": connectX7,
}
