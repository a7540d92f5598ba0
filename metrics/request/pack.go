package request

import (
	"encoding/binary"
	"unsafe"

	"tokscope/metrics"
)

// Packed is an ended stream in less memory: its chunks as differences, about 10
// bytes each instead of 40, and its text without spare room. It is immutable.
type Packed struct {
	meta   metrics.Stream // without Chunks and Text
	chunks int
	data   []byte // of the chunks, see Pack
	text   []byte
	bytes  int
}

// Marks of a packed chunk: what differs from the chunk before, or from what is
// usual.
const (
	isKernel = 1 << iota
	isHeld
	hasName
	otherKind
	otherChoice
	severalTokens // not 1
	sameRead      // else the next
	otherEvent    // not the next
)

// Pack packs an ended stream. It copies chunks and text and shares the rest.
//
// A chunk is one byte of marks and, as varints, its stamp and its event's size as
// differences from the chunk before, its delay (User − At), the length of its text,
// and what the marks announce.
func Pack(s *metrics.Stream) *Packed {
	p := &Packed{meta: *s, chunks: len(s.Chunks)}
	p.meta.Chunks, p.meta.Text = nil, nil
	if s.Text != nil {
		p.text = make([]byte, len(s.Text))
		copy(p.text, s.Text)
	}
	b := make([]byte, 0, 12*len(s.Chunks))
	var before metrics.Chunk
	for i := range s.Chunks {
		b = appendChunk(b, &before, &s.Chunks[i])
		before = s.Chunks[i]
	}
	p.data = make([]byte, len(b))
	copy(p.data, b)
	p.bytes = int(unsafe.Sizeof(*p)) + cap(p.data) + cap(p.text) + sizeOf(s)
	return p
}

// appendChunk appends the packed c. Differences may overflow: they wrap back.
func appendChunk(b []byte, before, c *metrics.Chunk) []byte {
	var marks byte
	mark := func(is bool, m byte) {
		if is {
			marks |= m
		}
	}
	mark(c.Kernel, isKernel)
	mark(c.Held, isHeld)
	mark(c.Name != 0, hasName)
	mark(c.Kind != before.Kind, otherKind)
	mark(c.Choice != before.Choice, otherChoice)
	mark(c.Tokens != 1, severalTokens)
	mark(c.Read == before.Read, sameRead)
	mark(c.Event != before.Event+1, otherEvent)
	b = append(b, marks)
	b = binary.AppendVarint(b, int64(c.At-before.At))
	b = binary.AppendVarint(b, int64(c.User-c.At))
	b = binary.AppendVarint(b, int64(c.Bytes-before.Bytes))
	b = binary.AppendVarint(b, int64(c.TextEnd-before.TextEnd))
	if marks&sameRead == 0 {
		b = binary.AppendVarint(b, int64(c.Read-before.Read))
	}
	if marks&otherEvent != 0 {
		b = binary.AppendVarint(b, int64(c.Event-before.Event))
	}
	if marks&severalTokens != 0 {
		b = binary.AppendVarint(b, int64(c.Tokens))
	}
	if marks&otherKind != 0 {
		b = append(b, byte(c.Kind))
	}
	if marks&otherChoice != 0 {
		b = append(b, c.Choice)
	}
	if marks&hasName != 0 {
		b = binary.AppendUvarint(b, uint64(c.Name))
	}
	return b
}

// Stream returns the stream as it was packed, in new memory.
func (p *Packed) Stream() metrics.Stream {
	s := p.meta
	s.Text = p.text
	if p.chunks == 0 {
		return s
	}
	s.Chunks = make([]metrics.Chunk, 0, p.chunks)
	b := p.data
	next := func() int64 {
		v, n := binary.Varint(b)
		b = b[n:]
		return v
	}
	var c metrics.Chunk
	for range p.chunks {
		marks := b[0]
		b = b[1:]
		c.Kernel, c.Held, c.Name, c.Tokens = marks&isKernel != 0, marks&isHeld != 0, 0, 1
		c.At += metrics.Stamp(next())
		c.User = c.At + metrics.Stamp(next())
		c.Bytes += int32(next())
		c.TextEnd += int32(next())
		if marks&sameRead == 0 {
			c.Read += int32(next())
		}
		if marks&otherEvent == 0 {
			c.Event++
		} else {
			c.Event += int32(next())
		}
		if marks&severalTokens != 0 {
			c.Tokens = int16(next())
		}
		if marks&otherKind != 0 {
			c.Kind = metrics.Kind(b[0])
			b = b[1:]
		}
		if marks&otherChoice != 0 {
			c.Choice = b[0]
			b = b[1:]
		}
		if marks&hasName != 0 {
			v, n := binary.Uvarint(b)
			b = b[n:]
			c.Name = uint16(v)
		}
		s.Chunks = append(s.Chunks, c)
	}
	return s
}

// Bytes returns the memory that p holds alone.
func (p *Packed) Bytes() int { return p.bytes }

// sizeOf returns the memory of what s points to, without chunks and text, and
// without the prompt, which all requests of a load share.
func sizeOf(s *metrics.Stream) int {
	n := len(s.Work.Nonce) + len(s.Usage.Raw) + len(s.Finish) +
		len(s.RequestID) + len(s.Model) + len(s.Provider) + len(s.Fingerprint) +
		cap(s.Server)*int(unsafe.Sizeof(metrics.ServerTime{})) +
		cap(s.Notes)*int(unsafe.Sizeof(metrics.Note{})) + cap(s.Fronts)*int(unsafe.Sizeof(metrics.FrontNginx))
	for i := range s.Server {
		n += len(s.Server[i].Name) + len(s.Server[i].From)
	}
	for i := range s.Notes {
		n += len(s.Notes[i].Code) + len(s.Notes[i].Text)
	}
	if f := s.Fault; f != nil {
		n += int(unsafe.Sizeof(*f)) + len(f.Message) + len(f.Next) +
			len(f.Code) + len(f.Body) + len(f.Bound) + len(f.Location)
	}
	if h := s.Head; h != nil {
		n += int(unsafe.Sizeof(*h)) + len(h.Reason) + len(h.Proto) +
			cap(h.Fields)*int(unsafe.Sizeof(metrics.HeaderField{})) + cap(h.Withheld)*int(unsafe.Sizeof(""))
		for i := range h.Fields {
			n += len(h.Fields[i].Name) + len(h.Fields[i].Value)
		}
		for _, name := range h.Withheld {
			n += len(name)
		}
	}
	if p := s.Path; p != nil {
		n += int(unsafe.Sizeof(*p)) + cap(p.Gaps)*int(unsafe.Sizeof(metrics.PathGap{})) +
			cap(p.Connects)*int(unsafe.Sizeof(metrics.PathConnect{}))
	}
	if s.RateLimit != nil {
		n += int(unsafe.Sizeof(*s.RateLimit))
	}
	return n
}
