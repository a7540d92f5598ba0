package engine

import (
	"container/list"

	"tokscope/probe/sim/physics"
)

// pool is a paged KV cache: blocks of 16 tokens, some of them shared by
// requests with the same leading prompt. A shared block that nobody holds
// stays until its room is needed, oldest first.
type pool struct {
	total  int // blocks
	used   int // held by somebody
	cache  map[uint64]*sharedBlock
	unheld *list.List // of *sharedBlock, oldest first
}

type sharedBlock struct {
	hash uint64
	refs int
	at   *list.Element // its place among the unheld, nil while held
}

func newPool(tokens int) *pool {
	return &pool{total: tokens / physics.Block, cache: map[uint64]*sharedBlock{}, unheld: list.New()}
}

func blocksFor(tokens int) int { return (tokens + physics.Block - 1) / physics.Block }

// grow gives r room for tokens in all. It reports false, and changes nothing,
// when there is not enough.
func (p *pool) grow(r *Request, tokens int) bool {
	n := blocksFor(tokens) - r.blocks
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

// attach lets r hold the leading blocks of its prompt that are cached, and
// returns how many tokens they are. At least one token is left to compute.
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

// publish makes the whole prompt blocks that r has computed available to
// others.
func (p *pool) publish(r *Request) {
	most := min(len(r.Blocks), r.computed/physics.Block)
	for r.shared < most {
		h := r.Blocks[r.shared]
		if p.cache[h] != nil {
			// Somebody else computed the same block meanwhile: r keeps its own copy
			// private, and what follows it too.
			return
		}
		p.cache[h] = &sharedBlock{hash: h, refs: 1}
		r.shared++
	}
}

// release gives back everything that r holds.
func (p *pool) release(r *Request) {
	for i := range r.shared {
		b := p.cache[r.Blocks[i]]
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

// share is the part of the cache that is held, 0 to 1.
func (p *pool) share() float64 {
	if p.total == 0 {
		return 0
	}
	return float64(p.used) / float64(p.total)
}
