package metrics

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

func TestPeak(t *testing.T) {
	stop := newPlay().every(100, 10, 50, "a ").every(1100, 10, 51, "a ").usage(101).done()
	burst := newPlay().every(100, 10, 200, "a ")
	for range 150 {
		burst.together("a ")
	}
	burst.usage(350).done()
	for _, c := range []struct {
		name string
		s    *play
		want float64
		read float64
	}{
		{"a regular stream has its speed", newPlay().every(100, 10, 301, "a ").usage(301).done(), 100, 0},
		{"two tokens a chunk: the speed of n − 1 gaps is larger", newPlay().every(100, 10, 301, "a ").usage(602).done(),
			601. / 3, 0},
		{"a fast second", newPlay().every(100, 100, 20, "a ").every(2100, 5, 201, "a ").usage(221).done(), 200, 0},
		{"a pause in 1.5 s: the mean is more than any second has", stop, 100 / 1.5, 0},
		{"a read of 151 chunks at the end", burst, 100 - 1 + 151, 0},
	} {
		f := c.s.measure()
		near(t, c.name, f.Peak, c.want)
		testkit.Is(t, f.PeakRead, c.read, c.name, "one read brought")
	}
	flush := newPlay().chunk(100, "a ")
	for i := range 3 {
		flush.chunk(float64(2100+2000*i), "a ")
		for range 99 {
			flush.together("a ")
		}
	}
	f := flush.usage(301).done().measure()
	near(t, "reads of 100 every 2 s", f.Peak, 100)
	testkit.Is(t, f.PeakRead, 100, "reads of 100 every 2 s: one read brought")
	unknown(t, "0.99 s", newPlay().every(100, 10, 100, "a ").usage(100).done().measure().Peak, WhyUnderSecond)
	unknown(t, "one chunk", newPlay().chunk(100, "a ").measure().Peak, WhyOneChunk)
	f = newPlay().every(100, 10, 101, "a ").usage(101).done().measure()
	near(t, "1 s", f.Peak, 100)
}

// TestPeakIsTheLargestSecond compares with counting every second that begins at
// a read, and with the mean.
func TestPeakIsTheLargestSecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := politeStream(t, 2, 200)
		counted := rapid.Bool().Draw(t, "counted")
		if counted {
			for i := range s.Chunks {
				s.Chunks[i].Tokens = int16(rapid.IntRange(1, 3).Draw(t, "tokens"))
			}
		} else {
			s.usage(len(s.Chunks) * rapid.IntRange(1, 3).Draw(t, "per chunk"))
		}
		f := s.measure()
		span := s.Chunks[len(s.Chunks)-1].At - s.Chunks[0].At
		if !f.Speed.OK || span < 1e9 {
			testkit.Given(t, !f.Peak.OK, "a peak of %v without a second", f.Peak.V)
			return
		}
		if f.Peak.Why == WhyAtOnce { // a chunk brought what was made during a silence
			return
		}
		testkit.Given(t, f.Peak.V >= f.Speed.V, "the peak %v is below the mean %v", f.Peak.V, f.Speed.V)
		most := f.Speed.V
		for i := range s.Chunks {
			n := 0.0
			for j := i; j < len(s.Chunks) && s.Chunks[j].At-s.Chunks[i].At < 1e9; j++ {
				if counted {
					n += float64(s.Chunks[j].Tokens)
				} else {
					n++
				}
			}
			if !counted {
				n *= f.TokensPerChunk.V
			}
			most = max(most, n)
		}
		testkit.Need(t, f.Peak.V, most, "peak")
		testkit.Given(t, f.PeakRead <= f.Peak.V, "one read brought %v of %v", f.PeakRead, f.Peak.V)
	})
}

// TestPeakIgnoresWhatStampsCannotSay holds that chunks without a stamp, and
// stamps that fall, move no chunk out of the order in which they came.
func TestPeakIgnoresWhatStampsCannotSay(t *testing.T) {
	s := newPlay().every(100, 10, 301, "a ").usage(301)
	for i := range s.Chunks {
		if i%3 == 1 {
			s.Chunks[i].At = NoStamp
		}
	}
	near(t, "a third without stamps", s.done().measure().Peak, 101)
	s = newPlay().every(100, 10, 301, "a ").usage(301)
	s.Chunks[150].At -= 900e6
	near(t, "one stamp falls", s.done().measure().Peak, 101)
}
