package dialog

import "tokscope/themes"

// Themes is the theme picker: the screen behind it shows the selected theme.
type Themes struct{ picker }

// NewThemes returns the picker with the theme of that name selected. When it
// closes without a choice, the root ends the preview.
func NewThemes(current string) *Themes {
	d := &Themes{}
	d.list = list{title: "theme", hint: "type to filter", width: 64, aside: true}
	d.leave = Closed{}
	d.accept = func(it item) Act { return UseTheme{it.name} }
	d.moved = func(it item) Act { return PreviewTheme{it.name} }
	for _, t := range themes.All() {
		ground := "light"
		if t.Dark {
			ground = "dark"
		}
		it := item{name: t.Name, detail: []string{t.About}, group: ground}
		if t.Name == current {
			it.mark = isCurrent
		}
		d.items = append(d.items, it)
	}
	d.refresh()
	d.seek(func(it item) bool { return it.name == current })
	return d
}
