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
	machines, customMachines []Hardware
	models, customModels     []Model
}

// NewCatalogue adds machines and models to the built-in ones. The error is a
// *NameError for a name that is malformed or taken, or that of Hardware.Check
// or Model.Check. It begins with the kind and the name.
func NewCatalogue(machines []Hardware, models []Model) (*Catalogue, error) {
	c := &Catalogue{machines: slices.Concat(machines, Machines), customMachines: machines,
		models: slices.Concat(models, Models), customModels: models}
	seen := map[string]bool{}
	for i := range machines {
		if err := checked("machine", machines[i].Key, seen, machines[i].Check()); err != nil {
			return nil, err
		}
	}
	for i := range models {
		if err := checked("model", models[i].Key, seen, models[i].Check()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// NameError reports a name that cannot be given to a machine or model.
type NameError struct{ Kind, Name, Why string }

func (e *NameError) Error() string { return fmt.Sprintf("%s %s: %s", e.Kind, e.Name, e.Why) }

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9._-]{0,39}$`) })

// checked returns what is wrong with a name, else the error of what has it.
func checked(kind, name string, seen map[string]bool, err error) error {
	_, machine := Machine(name)
	_, model := ModelOf(name)
	switch {
	case !nameForm().MatchString(name):
		return &NameError{kind, name, "a name has up to 40 of a-z 0-9 . _ - and begins with a letter"}
	case machine || model:
		return &NameError{kind, name, "this name is built in"}
	case seen[name]:
		return &NameError{kind, name, "this name is used twice"}
	case err != nil:
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	seen[name] = true
	return nil
}

// Machine returns the machine with this name or alias, in any case of letters.
func (c *Catalogue) Machine(name string) (h Hardware, ok bool) {
	key := keyOf(machineAliases, name)
	return pick.Value(c.Machines(), func(h *Hardware) bool { return h.Key == key })
}

// Model returns the model with this name or alias, in any case of letters.
func (c *Catalogue) Model(name string) (m Model, ok bool) {
	key := keyOf(modelAliases, name)
	return pick.Value(c.Models(), func(m *Model) bool { return m.Key == key })
}

func keyOf(aliases map[string]string, name string) string {
	name = strings.ToLower(name)
	return cmp.Or(aliases[name], name)
}

// Machines lists the machines that a person defined, then the built-in ones. They must
// not be changed.
func (c *Catalogue) Machines() []Hardware {
	if c == nil {
		return Machines
	}
	return c.machines
}

// Models lists the models that a person defined, then the built-in ones. They must not
// be changed.
func (c *Catalogue) Models() []Model {
	if c == nil {
		return Models
	}
	return c.models
}

// Custom returns what a person defined. The slices must not be changed.
func (c *Catalogue) Custom() ([]Hardware, []Model) {
	if c == nil {
		return nil, nil
	}
	return c.customMachines, c.customModels
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
	machines = pick.Each(c.Machines(), func(h *Hardware) string { return h.Key })
	models = pick.Each(c.Models(), func(m *Model) string { return m.Key })
	return append(machines, slices.Sorted(maps.Keys(machineAliases))...),
		append(models, slices.Sorted(maps.Keys(modelAliases))...)
}

// Machine returns the built-in device with this name or alias, in any case of letters.
func Machine(name string) (h Hardware, ok bool) { return (*Catalogue)(nil).Machine(name) }

// ModelOf returns the built-in model with this name or alias, in any case of letters.
func ModelOf(name string) (m Model, ok bool) { return (*Catalogue)(nil).Model(name) }

// Links are the connections of a group by name.
var Links = map[string]Link{
	"nvlink-ampere": nvlinkAmpere, "nvlink-hopper": nvlinkHopper, "nvlink-blackwell": nvlinkBlackwell,
	"infinity-fabric": infinityFabric, "pcie4": pcie4, "pcie5": pcie5,
	"connectx-7": connectX7,
}
