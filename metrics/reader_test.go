package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// at60 reads a word a second.
var at60 = Pace{Name: "slow", WPM: 60}

func TestReaderReadsAlong(t *testing.T) {
	// Three words at 0.1 s, nothing until 5.1 s, then three more.
	s := newPlay().chunk(100, "one two three ").chunk(5100, "four five six")
	word := func(r Reading) string { return string(s.Text[r.Offset:r.WordEnd]) }
	for _, c := range []struct {
		ms      float64
		word    string
		words   float64
		waiting bool
		waited  float64
	}{
		{100, "one", 0, false, 0},
		{900, "one", 0.8, false, 0},
		{1100, "two", 1, false, 0},
		{3099, "three", 2.999, false, 0},
		{3100, "", 3, true, 0},
		{4100, "", 3, true, 1000},
		{5100, "four", 3, false, 2000},
		{7600, "six", 5.5, false, 2000},
		{8100, "", 6, true, 2000},
	} {
		v := s.Stream
		v.Now = stamp(c.ms)
		if c.ms < 5100 {
			v.Chunks = v.Chunks[:1]
		}
		r := readerAt(&v, at60)
		if word(r) != c.word || math.Abs(r.Words-c.words) > 1e-9 || r.Waiting != c.waiting ||
			math.Abs(r.Waited-c.waited) > 1e-6 {
			t.Errorf("at %v ms: %+v at %q, want %q, %v words, waiting %v, waited %v", c.ms, r, word(r), c.word, c.words,
				c.waiting, c.waited)
		}
	}
	v := s.done().now(5600).Stream
	if r := readerAt(&v, at60); math.Abs(r.Lead-2.5) > 1e-9 {
		t.Errorf("lead = %v words, want 2.5", r.Lead)
	}
	v.Now = stamp(99_000)
	if r := readerAt(&v, at60); !r.Done || r.Waiting || r.Offset != len(v.Text) {
		t.Errorf("after all is read: %+v, want done at the end", r)
	}
	if r := readerAt(&newPlay().kind(100, Reasoning, "hm").Stream, at60); r.Begun {
		t.Error("the reader reads reasoning")
	}
}

func TestReaderSkipsReasoning(t *testing.T) {
	s := newPlay().chunk(0, "one ").kind(10, Reasoning, "let me think about it ").chunk(20, "two").now(1500)
	r := readerAt(&s.Stream, at60)
	testkit.Is(t, string(s.Text[r.Offset:r.WordEnd]), "two", "the reader is at")
}

// A Reader fed at any rate has the position of one that sees the stream for
// the first time. Its waiting is that of Measure and the head start by
// definition.
func TestReaderFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := politeStream(t, 1, 80).Stream
		pace := Pace{WPM: rapid.Float64Range(10, 3000).Draw(t, "wpm")}
		end := float64(s.Chunks[len(s.Chunks)-1].At) / 1e6
		var r Reader
		for now, n := 0.0, 0; now < end; now += float64(rapid.IntRange(1, 900).Draw(t, "ms")) {
			v := s
			v.Now = stamp(now)
			for n < len(s.Chunks) && s.Chunks[n].At <= v.Now {
				n++
			}
			v.Chunks = s.Chunks[:n]
			testkit.Need(t, r.Follow(&v, pace), readerAt(&v, pace), "at", now, "ms: followed")
		}
		s.State, s.Now = Done, stamp(end+1e9)
		last := r.Follow(&s, pace)
		f := Measure(&s, Options{Pace: pace})
		testkit.Given(t, !f.ReaderWait.OK || math.Abs(f.ReaderWait.V-last.Waited) <= 1e-6*math.Max(1, last.Waited),
			"the reader waited %v, Measure says %v", last.Waited, f.ReaderWait.V)
		// By definition: the reader begins with that head start. No chunk may
		// arrive after the reader has read the previous ones.
		need, first := 0.0, s.Chunks[0].At
		var w wordCounter
		for i := range s.Chunks {
			need = max(need, float64(s.Chunks[i].At-first)/1e6-w.words()*60_000/pace.WPM)
			w.add(s.ChunkText(i))
		}
		testkit.Given(t, math.Abs(need-last.Waited) <= 1e-6*math.Max(1, need),
			"a head start of %v is needed, the reader waited %v", need, last.Waited)
	})
}

func TestBelowReading(t *testing.T) {
	// A word a second for a reader of two words a second, who waits half of the
	// time.
	s := newPlay().every(0, 1000, 21, "word ").done()
	f := Measure(&s.Stream, Options{Pace: Pace{WPM: 120}})
	near(t, "BelowReading", f.BelowReading, 0.5)
	near(t, "ReaderWait", f.ReaderWait, 10_000)
	near(t, "WPM", f.WPM, 60)
	near(t, "TimesReading", f.TimesReading, 0.5)
}

func TestPaces(t *testing.T) {
	if Paces[0].WPM != 238 || math.Round(1000/Paces[0].TokensPerSecond()) != 189 {
		t.Errorf("the default is %v wpm, %v tok/s; want 238 and 5.3", Paces[0].WPM, Paces[0].TokensPerSecond())
	}
	for _, p := range Paces {
		if got, ok := PaceByName(p.Name); !ok || got != p {
			t.Errorf("PaceByName(%q) = %v, %v", p.Name, got, ok)
		}
	}
	if _, ok := PaceByName("telepathy"); ok {
		t.Error("there is no such pace")
	}
}

// readerAt returns the position of a reader that looks at the whole stream at
// once.
func readerAt(s *Stream, p Pace) Reading {
	var r Reader
	return r.Follow(s, p)
}
