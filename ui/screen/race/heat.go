package race

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
)

// Heat is a round that is shown again, all lanes from the same start.
type Heat struct {
	Pair int // its number; 0 is none
	Slow int // how many times slower than it was; 1 is as it was
	// Nearest reports that it is the one nearest to the medians. Over: it is shown whole.
	Nearest, Over bool
}

// A heat that is over sooner than watchFor is drawn slower. One that has ended stays for
// restFor, and at the end of the race, where it is shown again and again, for restAtEnd; after
// replayFor it stands.
const (
	watchFor  = 2400 * time.Millisecond
	restFor   = 800 * time.Millisecond
	restAtEnd = 2 * time.Second
	replayFor = time.Minute
)

// player shows whole rounds again: the measurement goes on beside it, and is never slowed.
type player struct {
	Heat
	race        metrics.Stamp // when its race began
	streams     []metrics.Stream
	took        time.Duration // of the longest lane, as it is drawn
	from, first metrics.Stamp // when this showing, and the first of this round, began
	moves       bool          // a later frame differs
}

// take makes a round the one that is shown from now on.
func (p *player) take(number int, streams []metrics.Stream, nearest bool, now metrics.Stamp) {
	longest := time.Duration(1)
	for i := range streams {
		m := &streams[i].Marks
		if d, ok := m.End.Sub(m.Sent); ok {
			longest = max(longest, d)
		}
	}
	slow := max(int((watchFor+longest-1)/longest), 1)
	if same := number-1 == p.Pair && nearest == p.Nearest; !same {
		p.first = now
	}
	p.Heat = Heat{Pair: number - 1, Slow: slow, Nearest: nearest}
	p.streams, p.from, p.took = streams, now, time.Duration(slow)*longest
}

// at returns how long after the start of its requests the round is shown at a moment. ok is
// false where lanes are shown as they are: before the first whole round, and while the race
// goes on in rounds that are long enough to watch.
func (p *player) at(race *racestat.View, heat func(nearest bool) (int, []metrics.Stream),
	now metrics.Stamp, still bool) (after time.Duration, ok bool) {
	ended := race.Ended != racestat.NotEnded
	number, streams := heat(ended)
	if number == 0 || race.Began != p.race {
		*p = player{race: race.Began}
	}
	if number == 0 {
		return 0, false
	}
	rest := format.Either(p.Nearest, restAtEnd, restFor)
	stands := still || ended && p.Nearest && time.Duration(now-p.first) > replayFor
	if p.Pair == 0 || time.Duration(now-p.from) >= p.took+rest && (!stands || number-1 != p.Pair) {
		p.take(number, streams, ended, now)
	}
	shown := time.Duration(now - p.from)
	p.moves = !stands
	p.Over = shown >= p.took || stands
	return shown / time.Duration(p.Slow), ended || p.Slow > 1
}

// replayed are the tracks of the round that is shown again. ok is false for none.
func (s *Screen) replayed(now metrics.Stamp) (tracks []Track, ok bool) {
	after, ok := s.player.at(&s.view.Race, s.back.RaceHeat, now, s.look.ReducedMotion)
	if !ok || len(s.player.streams) != len(s.view.Race.Lanes) {
		return nil, false
	}
	for i := range s.player.streams {
		t := trackOf(&s.meters[i], &s.player.streams[i], false, s.player.Over, after)
		if ms := after.Seconds() * 1e3; !s.player.Over && t.TTFT.V > ms {
			t.TTFT, t.Speed = metrics.Unknown(metrics.WhyNoChunk), metrics.Unknown(metrics.WhyNoChunk)
		}
		tracks = append(tracks, t)
	}
	return tracks, true
}

// first reports whether a lane of the round that is shown again ended first of all.
func (p *picture) first(i int) bool {
	for k := range p.v.Tracks {
		if t := &p.v.Tracks[k]; k != i && t.Fault == nil && t.Total.OK && t.Total.V <= p.v.Tracks[i].Total.V {
			return false
		}
	}
	return true
}
