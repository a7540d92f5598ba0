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
	chunks Chunks
	text   []byte
	bytes  int // the memory that it holds alone
}

// Chunks are chunks as Packed has them. They only grow, and never move: a copy stays what
// it was. The zero Chunks are none.
type Chunks struct {
	n    int
	last numbers  // of the last chunk
	step numbers  // from that of the chunk before
	full [][]byte // see Add
	data []byte   // behind full
}

// blockBytes is the size of the blocks that chunks are packed into.
const blockBytes = 1 << 10

// Len returns how many there are.
func (p *Chunks) Len() int { return p.n }

// Bytes returns the memory that they take.
func (p *Chunks) Bytes() int {
	bytes := cap(p.data) + cap(p.full)*int(unsafe.Sizeof(p.data))
	for _, b := range p.full {
		bytes += cap(b)
	}
	return bytes
}

// Add appends chunks. Each is a byte that says which of its numbers differ from those of
// the chunk before by another difference than that one did, and these differences as
// varints.
func (p *Chunks) Add(chunks []metrics.Chunk) {
	var room [1 + len(p.last)*binary.MaxVarintLen64]byte
	for i := range chunks {
		now, b := numbersOf(&chunks[i]), room[:1]
		b[0] = 0
		for k := range now {
			step := now[k] - p.last[k] // may overflow: it wraps back
			if step != p.step[k] {
				b[0] |= 1 << k
				b = binary.AppendVarint(b, step)
			}
			p.last[k], p.step[k] = now[k], step
		}
		if len(b) > cap(p.data)-len(p.data) {
			if p.data != nil {
				p.full = append(p.full, p.data)
			}
			p.data = make([]byte, 0, blockBytes)
		}
		p.data = append(p.data, b...)
	}
	p.n += len(chunks)
}

// Trim gives up spare room: no further chunk is expected.
func (p *Chunks) Trim() { p.data = append(make([]byte, 0, len(p.data)), p.data...) }

// Before returns them, and behind them the others, in new memory.
func (p *Chunks) Before(others []metrics.Chunk) []metrics.Chunk {
	all := make([]metrics.Chunk, 0, p.n+len(others))
	var now, step numbers
	for i := range len(p.full) + 1 {
		b := p.data
		if i < len(p.full) {
			b = p.full[i]
		}
		for len(b) > 0 {
			changed := b[0]
			b = b[1:]
			for k := range now {
				if changed&(1<<k) != 0 {
					v, n := binary.Varint(b)
					step[k], b = v, b[n:]
				}
				now[k] += step[k]
			}
			all = append(all, now.chunk())
		}
	}
	return append(all, others...)
}

// Pack packs an ended stream. It copies chunks and text and shares the rest.
func Pack(s *metrics.Stream) *Packed {
	var c Chunks
	c.Add(s.Chunks)
	c.Trim()
	own := *s
	if s.Text != nil {
		own.Text = append(make([]byte, 0, len(s.Text)), s.Text...)
	}
	return PackWith(&own, c)
}

// PackWith packs an ended stream whose chunks are packed already. It shares everything.
func PackWith(s *metrics.Stream, chunks Chunks) *Packed {
	p := &Packed{meta: *s, chunks: chunks, text: s.Text}
	p.meta.Chunks, p.meta.Text = nil, nil
	p.bytes = int(unsafe.Sizeof(*p)) + chunks.Bytes() + cap(p.text) + sizeOf(s)
	return p
}

// numbers are all that a chunk holds. In the last are its small parts, most of which
// never change.
type numbers [8]int64

// The small parts: the kind in the lowest 8 bits, and above it
const (
	choiceAt = 8
	nameAt   = 16
	isKernel = 1 << 32
	isHeld   = 1 << 33
)

func numbersOf(c *metrics.Chunk) numbers {
	small := int64(c.Kind) | int64(c.Choice)<<choiceAt | int64(c.Name)<<nameAt
	if c.Kernel {
		small |= isKernel
	}
	if c.Held {
		small |= isHeld
	}
	return numbers{int64(c.At), int64(c.User - c.At), int64(c.Read), int64(c.Event), int64(c.Bytes), int64(c.TextEnd),
		int64(c.Tokens), small}
}

// chunk is the inverse of numbersOf.
func (n *numbers) chunk() metrics.Chunk {
	small := n[7]
	return metrics.Chunk{At: metrics.Stamp(n[0]), User: metrics.Stamp(n[0] + n[1]), Read: int32(n[2]), Event: int32(n[3]),
		Bytes: int32(n[4]), TextEnd: int32(n[5]), Tokens: int16(n[6]), Kind: metrics.Kind(small),
		Choice: uint8(small >> choiceAt), Name: uint16(small >> nameAt), Kernel: small&isKernel != 0, Held: small&isHeld != 0}
}

// Stream returns the stream as it was packed, in new memory.
func (p *Packed) Stream() metrics.Stream {
	s := p.meta
	s.Text = p.text
	if p.chunks.Len() > 0 {
		s.Chunks = p.chunks.Before(nil)
	}
	return s
}

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
