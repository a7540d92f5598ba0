package loadgen

// end lets nothing new begin: l.mu is held. why is for a load that ends by itself.
func (p *Load) end(why string) {
	if p.ending {
		return
	}
	p.ending, p.stopped = true, why
	if p.ramping != nil {
		p.ramping()
	}
	for _, u := range p.users {
		u.poke()
	}
	p.pokeSchedule()
	p.closeIdle()
}

// gone tells that one of the goroutines that send has ended.
func (p *Load) exited() {
	p.mu.Lock()
	p.live--
	p.closeIdle()
	p.mu.Unlock()
}

// quiet closes idle when the last one is gone: l.mu is held.
func (p *Load) closeIdle() {
	if p.ending && p.live == 0 && !p.idled {
		p.idled = true
		close(p.idle)
	}
}
