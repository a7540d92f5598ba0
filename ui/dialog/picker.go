package dialog

import (
	"tokscope/themes"
	"tokscope/ui/keys"
)

// Picker is a list that answers with an Act. T is what its rows stand for; a row
// without a T cannot be chosen, such as typed text that says what is wrong with it.
type Picker[T any] struct {
	list
	use     func(T) Act    // a row was chosen
	moved   func(item) Act // another row is selected; may be nil
	refused func(item)     // a row without a T was chosen; may be nil
	prefers bool           // a complete typed row is selected, even where a ready one begins like it
	keys    []keys.Binding // made on first use
}

// newPicker returns a picker without rows that closes with what use returns, or with
// a Chosen where use is nil.
func newPicker[T any](l list, use func(T) Act) *Picker[T] {
	if use == nil {
		use = func(v T) Act { return Chosen[T]{v} }
	}
	return &Picker[T]{list: l, use: use}
}

// Chosen reports what the chosen row of a picker stands for.
type Chosen[T any] struct{ Value T }

// Chose returns the answer to a picker of T: it calls f with what was chosen, and does
// nothing when the picker was left.
func Chose[T, R any](f func(T) R) func(Act) R {
	return func(a Act) (none R) {
		if c, ok := a.(Chosen[T]); ok {
			return f(c.Value)
		}
		return none
	}
}

// add adds a row, marked where it is in use now.
func (p *Picker[T]) add(it item, current bool) {
	if current {
		it.mark = isCurrent
	}
	p.items = append(p.items, it)
}

// open shows the rows, the one in use selected, or else the first.
func (p *Picker[T]) open() *Picker[T] {
	p.refresh()
	p.seek(func(it item) bool { return it.mark == isCurrent })
	return p
}

func (p *Picker[T]) Bindings() []keys.Binding {
	if p.keys == nil {
		p.keys = listKeys(&p.list)
	}
	return p.keys
}

// Fail shows why what was asked for is missing, or cannot be used.
func (p *Picker[T]) Fail(why string) { p.busy, p.say, p.role = false, why, themes.Bad }

func (p *Picker[T]) Busy() bool { return p.busy }

func (p *Picker[T]) Do(in keys.Intent) Act {
	switch in {
	case keys.Close:
		return Closed{}
	case keys.Accept:
		return p.chosen()
	}
	p.move(in)
	return p.now()
}

func (p *Picker[T]) Type(s string, _ bool) Act {
	p.typed(s)
	if p.prefers {
		p.seek(func(it item) bool { return it.mark == isOffer })
	}
	return p.now()
}

// Click implements Dialog. A click selects a row, a click on the selected row
// chooses it, a click beside the box closes the dialog.
func (p *Picker[T]) Click(x, y int) Act {
	if !p.box.Contains(x, y) {
		return Closed{}
	}
	i := p.first + y - p.rows.Y
	if i > p.at { // below the rows of the selected one
		i = max(p.at, i-p.wrapped)
	}
	if p.rows.Contains(x, y) && i < len(p.shown) {
		again := i == p.at
		if p.at = i; again || p.eager {
			return p.chosen()
		}
	}
	return p.now()
}

func (p *Picker[T]) Wheel(n int) Act {
	p.at = min(max(p.at+n, 0), max(len(p.shown)-1, 0))
	return p.now()
}

func (p *Picker[T]) chosen() Act {
	it, ok := p.selected()
	if !ok {
		return nil
	}
	if v, ok := it.value.(T); ok {
		return p.use(v)
	}
	if p.refused != nil {
		p.refused(it)
	}
	return nil
}

func (p *Picker[T]) now() Act {
	if it, ok := p.selected(); ok && p.moved != nil {
		return p.moved(it)
	}
	return nil
}

// offer returns the row of typed text: what it stands for, or why it stands for
// nothing.
func offer(typed, name string, detail []string, value any, err error) (item, bool) {
	if err != nil {
		return item{name: typed, detail: []string{err.Error()}, dim: true, mark: notReady}, true
	}
	return item{name: name, detail: detail, value: value, mark: isOffer}, true
}
