package engine

import (
	"container/list"
	"slices"

	"tokscope/probe/sim/physics"
)

// pool is a paged KV cache of 16-token blocks. Requests with the same leading
// prompt share blocks. A shared block without a holder stays until its room
// is needed; the oldest goes first.
type pool struct {
	setup  *physics.Setup
	total  int // blocks
	used   int // blocks held by requests
	cache  map[uint64]*sharedBlock
	unheld *list.List // of *sharedBlock, oldest first
}

type sharedBlock struct {
	hash uint64
	refs int
	at   *list.Element // its element in unheld, nil while held
}

func newPool(s *physics.Setup) *pool {
	return &pool{setup: s, total: s.Capacity / physics.Block, cache: map[uint64]*sharedBlock{}, unheld: list.New()}
}

// grow extends r's room to tokens. It returns false, without a change, if
// there is not enough room.
func (p *pool) grow(r *Request, tokens int) bool {
	n := p.setup.Blocks(tokens) - r.blocks
	if n <= 0 {
		return true
	}
	if p.used+n > p.total {
		return false
	}
	p.used += n
	r.blocks += n
	p.evict()
	return true
}

// evict drops unheld shared blocks until everything fits, or none is left.
func (p *pool) evict() {
	for p.unheld.Len() > 0 && p.used+p.unheld.Len() > p.total {
		e := p.unheld.Front()
		b := e.Value.(*sharedBlock)
		p.unheld.Remove(e)
		delete(p.cache, b.hash)
	}
}

// attach makes r hold the cached leading blocks of its prompt and returns
// their number of tokens. At least one token is left to compute.
func (p *pool) attach(r *Request) int {
	most := min(len(r.Blocks), (r.length()-1)/physics.Block)
	n := 0
	for n < most {
		b := p.cache[r.Blocks[n]]
		if b == nil {
			break
		}
		if b.refs == 0 {
			if p.used+1 > p.total {
				break
			}
			p.unheld.Remove(b.at)
			b.at = nil
			p.used++
		}
		b.refs++
		n++
	}
	r.blocks, r.shared = n, n
	return n * physics.Block
}

// publish shares the whole prompt blocks that r has computed.
func (p *pool) publish(r *Request) {
	most := min(len(r.Blocks), r.computed/physics.Block)
	for r.shared < most {
		h := r.Blocks[r.shared]
		if p.cache[h] != nil {
			// Another request computed the same block meanwhile: r keeps its copy
			// and all later blocks private.
			return
		}
		p.cache[h] = &sharedBlock{hash: h, refs: 1}
		r.shared++
	}
}

// keep names the whole blocks that r has computed, so that r finds those again whose
// room nobody took meanwhile: vLLM's cache hashes every full block of a request.
func (p *pool) keep(r *Request) {
	r.Blocks = slices.Clip(r.Blocks) // choices of a prompt share theirs
	for n := len(r.Blocks); n < r.computed/physics.Block; n++ {
		r.Blocks = append(r.Blocks, r.ID<<32|uint64(n))
	}
	p.publish(r)
}

// release frees everything that r holds.
func (p *pool) release(r *Request) {
	for i := range r.shared { // the last first, so that its room is taken first
		b := p.cache[r.Blocks[r.shared-1-i]]
		b.refs--
		if b.refs == 0 {
			b.at = p.unheld.PushBack(b)
			p.used--
		}
	}
	p.used -= r.blocks - r.shared
	r.blocks, r.shared = 0, 0
	p.evict()
}

// share returns the part of the cache in use, 0 to 1.
func (p *pool) share() float64 {
	if p.total == 0 {
		return 0
	}
	return float64(p.used) / float64(p.total)
}
