package race

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
)

// heat holds the requests of a whole round.
type heat struct {
	round   racestat.Round
	streams []metrics.Stream
}

// mostHeats bounds the rounds whose requests are kept, texts and all: those that are the
// nearest to the medians.
const mostHeats = 8

// keepHeat keeps the requests of a round that has ended, if a chunk came in one.
func (r *Race) keepHeat(round *racestat.Round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	streams := pick.Each(r.streams, func(s *stream) metrics.Stream { return (*s).Snapshot() })
	if round.Dropped || !slices.ContainsFunc(streams, func(s metrics.Stream) bool { return len(s.Chunks) > 0 }) {
		return // nothing came that could be shown again
	}
	r.heats = append(r.heats, heat{*round, streams})
	if len(r.heats) <= mostHeats {
		return
	}
	far := 0
	for i := range r.heats[:mostHeats] { // the newest stays
		if r.v.Off(&r.heats[i].round) > r.v.Off(&r.heats[far].round) {
			far = i
		}
	}
	r.heats = append(r.heats[:far:far], r.heats[far+1:]...)
}

// Heat returns the requests of the newest whole round that is kept, by lane, or of the one
// nearest to the medians of all rounds, of those that are kept. number is that of the round
// in Rounds, 0 before any.
func (r *Race) Heat(nearest bool) (number int, streams []metrics.Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.heats) == 0 {
		return 0, nil
	}
	h := &r.heats[len(r.heats)-1]
	for i := range r.heats {
		if nearest && r.v.Off(&r.heats[i].round) < r.v.Off(&h.round) {
			h = &r.heats[i]
		}
	}
	return h.round.N, h.streams
}
