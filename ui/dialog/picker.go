package dialog

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

// picker is a list that answers with an Act, the common part of all pickers.
type picker struct {
	list
	accept func(item) Act // a row was chosen
	moved  func(item) Act // another row is selected; may be nil
	leave  Act
	keys   []keys.Binding // made on first use
}

// Bindings implements Dialog.
func (p *picker) Bindings() []keys.Binding {
	if p.keys == nil {
		p.keys = listKeys(&p.list)
	}
	return p.keys
}

// Busy implements Dialog.
func (p *picker) Busy() bool { return p.busy }

// Caret implements Dialog.
func (p *picker) Caret() (x, y int, ok bool) { return p.caretX, p.caretY, p.caretOK }

// Do implements Dialog.
func (p *picker) Do(in keys.Intent) Act {
	switch in {
	case keys.Close:
		return p.leave
	case keys.Accept:
		return p.chosen()
	}
	p.move(in)
	return p.now()
}

// Type implements Dialog.
func (p *picker) Type(s string, _ bool) Act {
	p.typed(s)
	return p.now()
}

// Click implements Dialog. A click selects a row, a click on the selected row
// chooses it, a click beside the box closes the dialog.
func (p *picker) Click(x, y int) Act {
	again, outside := p.click(x, y)
	switch {
	case outside:
		return p.leave
	case again:
		return p.chosen()
	}
	return p.now()
}

// Wheel implements Dialog.
func (p *picker) Wheel(n int) Act {
	p.wheel(n)
	return p.now()
}

// Draw implements Dialog.
func (p *picker) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) { p.draw(g, area, gl) }

func (p *picker) chosen() Act {
	if it, ok := p.selected(); ok {
		return p.accept(it)
	}
	return nil
}

func (p *picker) now() Act {
	if it, ok := p.selected(); ok && p.moved != nil {
		return p.moved(it)
	}
	return nil
}
