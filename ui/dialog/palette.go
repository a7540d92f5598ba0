package dialog

import (
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/keys"
)

// Palette is the command palette: every action of the program, found by a few
// letters. Endpoints and models are added when they are known.
type Palette struct {
	*Picker[Act]
	endpoints, models []item
	fixed             []item
}

// Command is one row of the palette.
type Command struct {
	Name  string // of the action, in a few words
	About string // what it does
	Key   string // that does the same; "" for none
	Off   bool   // has no effect now
	Act   Act    // what choosing it requests
}

// RunKey requests to show the screen of that index, and there what the key of
// Binding does; nil is nothing more.
type RunKey struct {
	Screen  int
	Binding *keys.Binding
}

// NewPalette returns the palette with these commands and all themes.
func NewPalette(all []Command) *Palette {
	d := &Palette{Picker: newPicker(list{title: "commands", hint: "type a few letters, or what you want",
		width: 116, rank: rankCommand, byWord: leastWord, eager: true, judges: true}, func(a Act) Act { return a })}
	d.refused = func(it item) { d.say, d.role = it.name+": "+strings.Join(it.detail, ", "), themes.Warn }
	d.moved = func(item) Act {
		d.say, d.role = "", themes.Dim
		return nil
	}
	for _, c := range all {
		it := item{name: c.Name, detail: []string{c.About}, key: c.Key, value: c.Act}
		if c.Off {
			it.dim, it.value, it.detail = true, nil, []string{"not now", c.About}
		}
		d.fixed = append(d.fixed, it)
	}
	for _, t := range themes.All() {
		d.fixed = append(d.fixed, item{name: "theme: " + t.Name, detail: []string{t.About}, value: UseTheme{t.Name}})
	}
	d.fill()
	_ = d.now()
	return d
}

// Endpoints adds the endpoints, in the place of those before.
func (d *Palette) Endpoints(all []metrics.Endpoint) {
	d.endpoints = d.endpoints[:0]
	for _, e := range all {
		it := item{name: "endpoint: " + e.Name, detail: []string{kindWord(e.Kind)}, value: UseEndpoint{e}}
		if e.Note != "" {
			it.detail = append(it.detail, e.Note)
		}
		if !e.Ready {
			it.dim, it.value = true, nil
		}
		d.endpoints = append(d.endpoints, it)
	}
	d.fill()
}

// Models adds the models of e, in the place of those before.
func (d *Palette) Models(e metrics.Endpoint, names []string) {
	d.models = d.models[:0]
	for _, n := range names {
		d.models = append(d.models, item{name: "model: " + n, detail: []string{"of " + e.Name}, value: UseModel{e, n}})
	}
	d.fill()
}

func (d *Palette) fill() {
	d.items = append(append(append(d.items[:0], d.fixed...), d.endpoints...), d.models...)
	d.refresh()
}

// More than any letters in their order are worth: the whole name, a word of it, its
// beginning, the beginning of a word in it, beginnings of words of its sentence too.
const (
	wholeName = 20000
	wholeWord = 16000
	nameBegin = 12000
	wordBegin = 8000
	wordsToo  = 4000
	notNow    = 4 // divides the rank of what cannot be done now
	leastWord = wordsToo / notNow
	wordFrom  = 3 // letters from which they are looked for as words
)

// rankCommand ranks a row of the palette for what was typed: its name or words of it,
// then words of its sentence, then, where no row has such a word, letters of the name in
// their order.
func rankCommand(filter string, it item) int {
	n := inOrder(filter, it.name)
	name, search := strings.ToLower(it.name), strings.ToLower(strings.TrimSpace(filter))
	switch {
	case search == "":
	case name == search:
		n += wholeName
	case strings.Contains(" "+name+" ", " "+search+" "):
		n += wholeWord
	case strings.HasPrefix(name, search):
		n += nameBegin
	case strings.Contains(name, " "+search):
		n += wordBegin
	case !wordsBegin(filter, it.name+" "+strings.Join(it.detail, " ")):
	case len(search) >= wordFrom:
		n += wordsToo
	case n == 0:
		n = anyLetter
	}
	if it.value == nil && n > anyLetter && name != search {
		n = max(n/notNow, anyLetter) // behind what can be done now
	}
	return n
}
