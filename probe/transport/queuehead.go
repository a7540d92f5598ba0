package transport

import (
	"encoding/binary"

	"tokscope/metrics"
)

// head is what a queue knows of an entry beside its data: of a line, or of a
// read.
type head struct {
	at, user metrics.Stamp
	number   int32 // of the read
	bytes    int32 // on the wire
	size     int32 // of the data that follows
	kernel   bool  // at is the kernel's stamp
	read     bool  // not a line
}

// Bits of a head's first byte.
const (
	headKernel = 1 << iota
	headRead
	headSame // stamps and number are those of the entry before
)

// Sizes of a head: of one with the stamps of the entry before, and of others.
const (
	leastHead = 1 + 4 + 4
	mostHead  = leastHead + 8 + 8 + 4
)

var order = binary.LittleEndian

// encode writes h behind previous, the entry before it in the block, and returns its
// size. The entries of one read share its stamps.
func (h *head) encode(to []byte, previous *head) int {
	to = to[:mostHead]
	bits := byte(0)
	if h.kernel {
		bits = headKernel
	}
	if h.read {
		bits |= headRead
	}
	order.PutUint32(to[1:], uint32(h.size))
	order.PutUint32(to[5:], uint32(h.bytes))
	if h.at == previous.at && h.user == previous.user && h.number == previous.number {
		to[0] = bits | headSame
		return leastHead
	}
	to[0] = bits
	order.PutUint64(to[9:], uint64(h.at))
	order.PutUint64(to[17:], uint64(h.user))
	order.PutUint32(to[25:], uint32(h.number))
	return mostHead
}

// decode reads what encode wrote over previous, the entry before it, and returns its
// size.
func (h *head) decode(from []byte) int {
	bits := from[0]
	h.kernel, h.read = bits&headKernel != 0, bits&headRead != 0
	h.size, h.bytes = int32(order.Uint32(from[1:])), int32(order.Uint32(from[5:]))
	if bits&headSame != 0 {
		return leastHead
	}
	h.at, h.user = metrics.Stamp(order.Uint64(from[9:])), metrics.Stamp(order.Uint64(from[17:]))
	h.number = int32(order.Uint32(from[25:]))
	return mostHead
}
