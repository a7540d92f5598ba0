package dialog

import (
	"slices"
	"strings"
	"unicode"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/keys"
)

// Palette is the command palette: every action of the program, found by its
// words. Endpoints and models are added when they are known.
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
		width: 116, rank: rankCommand, eager: true, judges: true}, func(a Act) Act { return a })}
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
		it := item{name: "endpoint: " + e.Name, value: UseEndpoint{e},
			detail: format.Written(kindWord(e.Kind), e.API, e.Note)}
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

// rankCommand ranks a row of the palette for what was typed: its name, a word of it, its
// beginning, beginnings of words in it, then of words of its sentence too. What cannot be
// done now comes last. 0 does not match: letters within a word are no match.
func rankCommand(filter string, it item) int {
	name, search := strings.ToLower(it.name), strings.ToLower(strings.TrimSpace(filter))
	switch {
	case search == "", name == search:
		return 6
	case !wordsBegin(search, it.name+" "+strings.Join(it.detail, " ")):
		return 0
	case it.value == nil:
		return 1
	case strings.Contains(" "+name+" ", " "+search+" "):
		return 5
	case strings.HasPrefix(name, search):
		return 4
	case wordsBegin(search, name):
		return 3
	}
	return 2
}

// wordsBegin reports whether each word of search begins a word of text.
func wordsBegin(search, text string) bool {
	words := wordsOf(text)
	for _, s := range wordsOf(search) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, s) }) {
			return false
		}
	}
	return true
}

// wordsOf are the words of text in small letters.
func wordsOf(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(strings.ToLower(text), between)
}
