package dialog

import (
	"tokscope/themes"
	"tokscope/ui/format"
)

// Themes is the theme picker: the screen behind it shows the selected theme.
type Themes struct{ *Picker[string] }

// NewThemes returns the picker with the theme of that name selected. When it
// closes without a choice, the root ends the preview.
func NewThemes(current string) *Themes {
	d := &Themes{newPicker(list{title: "theme", hint: "type to filter", width: 64, aside: true},
		func(name string) Act { return UseTheme{name} })}
	d.moved = func(it item) Act { return PreviewTheme{it.name} }
	for _, t := range themes.All() {
		ground := format.Either(t.Dark, "dark", "light")
		d.add(item{name: t.Name, detail: []string{t.About}, group: ground, value: t.Name}, t.Name == current)
	}
	d.open()
	return d
}
