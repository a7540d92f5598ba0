package dialog

import (
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
)

// Models is the model picker of one endpoint. It opens without names; Found
// fills it.
type Models struct {
	*Picker[string]
	end metrics.Endpoint
}

// NewModels returns the picker for e. spin returns the spinner's frame.
func NewModels(e metrics.Endpoint, spin func() int) *Models {
	d := &Models{end: e}
	d.Picker = newPicker(list{title: "model ─ " + format.Name(e.Name, 40),
		hint: "type to filter, or type a model's name", forms: "a model's whole name; esc leaves", busy: true,
		say: "asking the server for models", spins: spin},
		func(name string) Act { return UseModel{e, name} })
	d.extra = func(s string) (item, bool) {
		if utf8.RuneCountInString(s) < 2 { // the key of a screen, pressed by mistake
			return item{}, false
		}
		return item{name: s, detail: []string{"ask for this name"}, mark: isOffer, value: s}, true
	}
	d.fill(nil)
	return d
}

// Found fills the list and ends the search.
func (d *Models) Found(names []string) {
	d.busy, d.say = false, ""
	if len(names) == 0 {
		d.say, d.role = "the server names no model", themes.Warn
	}
	d.fill(names)
}

func (d *Models) fill(names []string) {
	d.items = append(d.items[:0], item{name: "default", detail: []string{"first listed model"}, value: ""})
	for _, n := range names {
		d.add(item{name: n, value: n}, n == d.end.Model)
	}
	d.refresh()
	if d.filter == "" {
		d.seek(func(it item) bool { return it.value == d.end.Model })
	}
}
