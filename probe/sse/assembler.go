package sse

import (
	"bytes"

	"tokscope/metrics"
)

// Assembler makes events of lines. Beyond the standard it accepts what real
// servers send:
//   - event: before or after data:, but not after the end marker
//   - no space after the colon, blanks at the end
//   - several data: lines without a blank line between them: when what came
//     before is a complete JSON object or the end marker, they are events of their own;
//     else they are joined with LF, as the standard says
//   - the field `error:` (an event of its own, Field "error")
//   - events with no data or only blanks are none
//
// The zero value is ready. An Assembler is for one body and not safe for
// concurrent use.
type Assembler struct {
	// Bare: a line that begins with { is an event of its own, as in Lines and Array.
	Bare bool

	data  []byte
	name  []byte
	event Event // stamps of the current event
	bytes int32 // of the lines of the current event
	open  bool  // the current event has data
	begun bool  // a line with something was pushed; a BOM and blanks are only valid before it
	lent  bool  // data is in a lent buffer
	json  matcher
}

var bom = []byte("\xef\xbb\xbf")

// Push processes the next line and calls emit for every event that it
// completes. The event's Name and Data are valid until the next Push or
// Flush.
func (a *Assembler) Push(l Line, emit func(Event)) {
	d := l.Data
	if !a.begun {
		d = bytes.TrimLeft(bytes.TrimPrefix(d, bom), " \t")
		a.begun = len(d) > 0
	}
	a.bytes += l.Bytes
	if len(d) == 0 {
		a.dispatch(emit)
		a.name = a.name[:0]
		a.bytes = 0
		return
	}
	if a.Bare && d[0] == '{' {
		a.pushData(l, trim(d), emit)
		a.dispatch(emit)
		a.bytes = 0
		return
	}
	field, value := cutField(d)
	switch string(field) {
	case "data":
		a.pushData(l, trim(value), emit)
	case "":
		a.bytes -= l.Bytes
		ev := stamped(l)
		ev.Comment, ev.Data, ev.Bytes = true, trim(value), l.Bytes
		emit(ev)
	case "event":
		if a.open && (IsEnd(a.data) || len(a.name) > 0 && a.json.complete(a.data)) {
			a.split(l, emit)
		}
		a.name = append(a.name[:0], trim(value)...)
	case "error":
		if a.open {
			a.split(l, emit)
		}
		ev := stamped(l)
		ev.Field, ev.Name, ev.Data, ev.Bytes = "error", a.name, trim(value), a.bytes
		a.bytes = 0
		emit(ev)
	}
}

// Flush ends the body. An unterminated last event still counts.
func (a *Assembler) Flush(emit func(Event)) {
	a.dispatch(emit)
	a.name, a.bytes = a.name[:0], 0
}

// Ending returns when the end marker arrived, if that is the event whose blank line
// has not arrived yet. A server may send none and leave the body open.
func (a *Assembler) Ending() (at metrics.Stamp, ok bool) {
	return a.event.At, a.open && IsEnd(a.data)
}

// Lend makes a build its events in buf until GiveBack, unless it has memory of
// its own. Assemblers that take turns can so share a buffer.
func (a *Assembler) Lend(buf []byte) {
	if cap(a.data) == 0 {
		a.data, a.lent = buf[:0], true
	}
}

// GiveBack returns the lent buffer, which may have grown, or nil if there is
// none. An unfinished event moves to memory of its own.
func (a *Assembler) GiveBack() (buf []byte) {
	if !a.lent {
		return nil
	}
	buf, a.data, a.lent = a.data, nil, false
	if len(buf) > 0 {
		a.data = bytes.Clone(buf)
	}
	return buf[:0]
}

func (a *Assembler) pushData(l Line, value []byte, emit func(Event)) {
	if len(value) == 0 {
		return
	}
	if a.open {
		if a.complete() {
			a.split(l, emit)
		} else {
			a.data = append(a.data, '\n')
		}
	}
	a.data = append(a.data, value...)
	a.event, a.open = stamped(l), true
}

// split emits the current event as ended before l. The bytes of l count with
// the next event.
func (a *Assembler) split(l Line, emit func(Event)) {
	a.bytes -= l.Bytes
	a.dispatch(emit)
	a.bytes = l.Bytes
}

func (a *Assembler) dispatch(emit func(Event)) {
	if !a.open {
		return
	}
	ev := a.event
	ev.Name, ev.Data, ev.Bytes = a.name, a.data, a.bytes
	emit(ev)
	a.data, a.open = a.data[:0], false
	a.json = matcher{}
}

// complete reports whether data is a complete JSON object or the end marker.
// The scan continues where the last one stopped, so that many lines stay
// linear.
func (a *Assembler) complete() bool {
	return IsEnd(a.data) || a.json.complete(a.data)
}

func stamped(l Line) Event {
	return Event{At: l.At, User: l.User, Read: l.Read, Kernel: l.Kernel}
}

// cutField takes a line apart at its first colon; all of it is the field without
// one.
func cutField(line []byte) (field, value []byte) {
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		return line[:i], line[i+1:]
	}
	return line, nil
}

// trim cuts blanks and tabs at both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
