package client

import (
	"sync"

	"tokscope/probe/dialect"
)

// workspace is memory that framing and decoding need for one event. It is lent
// to each stream for a batch: what a thousand streams had of their own would be
// out of the processor's cache at every chunk. BenchmarkIngestOfMany takes an
// eighth less for it.
type workspace struct {
	scratch dialect.Scratch
	out     dialect.Out
	data    []byte // of the event
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// mostData is the largest buffer for data that a workspace keeps.
const mostData = 64 << 10

// lend gives s the memory to decode with, until giveBack: s.mu is held.
func lend(s *Stream) *workspace {
	w := workspaces.Get().(*workspace)
	s.out = &w.out
	s.dec.Lend(&w.scratch)
	s.asm.Lend(w.data)
	return w
}

// giveBack ends lend: s.mu is held. After a panic w is not given back.
func giveBack(s *Stream, w *workspace) {
	if buf := s.asm.GiveBack(); buf != nil {
		w.data = buf
	}
	if cap(w.data) > mostData {
		w.data = nil
	}
	s.out = nil
	s.dec.Lend(nil)
	w.out = dialect.Out{Deltas: w.out.Deltas[:0], Server: w.out.Server[:0]}
	workspaces.Put(w)
}
