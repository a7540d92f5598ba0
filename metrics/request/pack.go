package request

import (
	"encoding/binary"
	"unsafe"

	"tokscope/metrics"
)

// Packed is an ended stream in less memory: its chunks as differences, about 12
// bytes each instead of 40, and its text without spare room. It is immutable.
type Packed struct {
	meta   metrics.Stream // without Chunks and Text
	chunks Chunks
	text   []byte
	bytes  int // the memory that it holds alone
}

// Chunks are chunks as Packed has them. They only grow: a copy stays what it was. The zero
// Chunks are none.
type Chunks struct {
	n    int
	last numbers
	data []byte // see Add
}

// Len returns how many there are.
func (p *Chunks) Len() int { return p.n }

// Bytes returns the memory that they take.
func (p *Chunks) Bytes() int { return cap(p.data) }

// Add appends chunks: their numbers as varints, each as the difference from that of the
// chunk before.
func (p *Chunks) Add(chunks []metrics.Chunk) {
	for i := range chunks {
		now := numbersOf(&chunks[i])
		for k := range now {
			p.data = binary.AppendVarint(p.data, now[k]-p.last[k]) // may overflow: it wraps back
		}
		p.last = now
	}
	p.n += len(chunks)
}

// Before returns them, and behind them the others, in new memory.
func (p *Chunks) Before(others []metrics.Chunk) []metrics.Chunk {
	all := make([]metrics.Chunk, 0, p.n+len(others))
	b := p.data
	var now numbers
	for range p.n {
		for k := range now {
			v, n := binary.Varint(b)
			now[k], b = now[k]+v, b[n:]
		}
		all = append(all, now.chunk())
	}
	return append(all, others...)
}

// Pack packs an ended stream. It copies chunks and text and shares the rest.
func Pack(s *metrics.Stream) *Packed {
	p := &Packed{meta: *s}
	p.meta.Chunks, p.meta.Text = nil, nil
	if s.Text != nil {
		p.text = make([]byte, len(s.Text))
		copy(p.text, s.Text)
	}
	p.chunks.data = make([]byte, 0, 12*len(s.Chunks))
	p.chunks.Add(s.Chunks)
	p.chunks.data = append(make([]byte, 0, len(p.chunks.data)), p.chunks.data...)
	p.bytes = int(unsafe.Sizeof(*p)) + cap(p.chunks.data) + cap(p.text) + sizeOf(s)
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
