package keys

import "slices"

// groups are the headings of the help with their keys, in the order shown. The one
// without keys has all that no other has.
var groups = [...]struct {
	name string
	keys []string
}{
	{"run", []string{"space", "x", "a", "-", "+", "."}},
	{"look", nil},
	{"move", []string{"esc", "up", "down", "left", "right", "shift+left", "shift+right",
		"pgup", "pgdown", "home", "end", "enter", "n", "N", "/"}},
	{"choose", []string{"p", "e", "m", "c", "[", "]", "L", "o", "u", "b", "w", "r", "U", "backspace"}},
	{"files", []string{"s", "S", "y", "Y"}},
}

// Grouped returns the keys of table under a heading each for what they are for, which
// begins with name. A key means the same on every screen, so that it has one group.
func Grouped(name string, table []Binding) []Section {
	var out [len(groups)]Section
	rest := 0
	for i, g := range groups {
		out[i].Name = name + ": " + g.name
		if g.keys == nil {
			rest = i
		}
	}
	for _, b := range table {
		i := rest
		for j, g := range groups {
			if len(b.Keys) > 0 && slices.Contains(g.keys, b.Keys[0]) {
				i = j
			}
		}
		out[i].Bindings = append(out[i].Bindings, b)
	}
	return slices.DeleteFunc(out[:], func(s Section) bool { return len(s.Bindings) == 0 })
}
