package edit

import (
	"strings"

	"tokscope/ui/keys"
)

// kind classifies changes. Consecutive changes of one kind are undone
// together.
type kind uint8

const (
	none kind = iota
	typing
	deleting
	other
)

// state is a text that Undo can restore.
type state struct {
	text string
	at   Pos
}

// undoBytes bounds the total size of the kept states.
const undoBytes = 4 << 20

// keep stores the text before a change of kind k.
func (b *Buffer) keep(k kind) {
	if k != other && k == b.last {
		return
	}
	b.last = k
	b.undo = append(b.undo, state{b.String(), b.at})
	sum := 0
	for i := len(b.undo) - 1; i >= 0; i-- {
		if sum += len(b.undo[i].text); sum > undoBytes {
			b.undo = append([]state(nil), b.undo[i+1:]...)
			return
		}
	}
}

// Undo reverts the last change. It returns false if there is no change to
// undo.
func (b *Buffer) Undo() bool {
	if len(b.undo) == 0 {
		return false
	}
	s := b.undo[len(b.undo)-1]
	rest := b.undo[:len(b.undo)-1]
	b.Set(s.text)
	b.at, b.undo = s.at, rest
	return true
}

// Type inserts typed text. A space or a line end closes a step of undo.
func (b *Buffer) Type(s string) {
	b.keep(typing)
	b.insert(s)
	if strings.ContainsAny(s, " \n") {
		b.last = none
	}
}

// Paste inserts a text as one step of undo.
func (b *Buffer) Paste(s string) {
	b.keep(other)
	b.insert(s)
}

// change is Do for what changes the text.
func (b *Buffer) change(in keys.Intent) bool {
	switch in {
	case keys.NewLine:
		b.Type("\n")
	case keys.DeleteBack:
		b.delete(b.left(b.at), b.at)
	case keys.DeleteForward:
		b.delete(b.at, b.right(b.at))
	case keys.DeleteWord: // from its start
		b.delete(b.wordLeft(b.at), b.at)
	case keys.DeleteToStart: // of the line
		b.delete(Pos{b.at.Line, 0}, b.at)
	case keys.DeleteToEnd: // of the line; there, the line end
		end := Pos{b.at.Line, len(b.lines[b.at.Line])}
		if b.at == end {
			end = b.right(b.at)
		}
		b.delete(b.at, end)
	case keys.Clear:
		b.keep(other)
		b.replace(Pos{}, b.end(), "")
	case keys.Undo:
		b.Undo()
	default:
		return false
	}
	return true
}

// delete removes the text from p to q, with p before q, and moves the caret to p.
func (b *Buffer) delete(p, q Pos) {
	if p != q {
		b.keep(deleting)
		b.replace(p, q, "")
	}
}
