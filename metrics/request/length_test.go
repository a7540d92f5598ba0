package request

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// lengthRows draws ended requests with prompts of all lengths, some of them
// cached, failed, in doubt or uncounted.
func lengthRows(t *rapid.T) []Row {
	maybe := func(name string, low, high int) metrics.Value {
		if rapid.IntRange(0, 9).Draw(t, name+" known") == 0 {
			return metrics.Unknown(metrics.WhyNotReportedEnd)
		}
		return metrics.Known(float64(rapid.IntRange(low, high).Draw(t, name)), 1)
	}
	prompts := rapid.SampledFrom([]int{0, 1, 100, 130, 1000, 1010, 4000, 64_000})
	rows := make([]Row, rapid.IntRange(1, 200).Draw(t, "requests"))
	for i := range rows {
		r := &rows[i]
		r.ID, r.N, r.State, r.Began = i+1, i+1, metrics.Done, metrics.Stamp(rapid.IntRange(0, 100).Draw(t, "began"))
		r.TTFT, r.TPOT, r.Prompt, r.Cached = maybe("ttft", 0, 9), maybe("tpot", 0, 9), maybe("prompt", 0, 0),
			maybe("cached", 0, 2)
		r.Prompt.V = float64(prompts.Draw(t, "prompt"))
		if rapid.IntRange(0, 9).Draw(t, "failed") == 0 {
			r.State = metrics.Failed
		}
		if rapid.IntRange(0, 9).Draw(t, "doubt") == 0 {
			r.Doubt = rapid.SampledFrom([]metrics.SuspectCode{metrics.SuspectBuffered, metrics.SuspectCached,
				metrics.SuspectChoices}).Draw(t, "code")
		}
	}
	return rows
}

// counts reports whether a row is a point since that moment.
func counts(r *Row, since metrics.Stamp) bool {
	return r.State == metrics.Done && r.Began >= since && r.Doubt != metrics.SuspectBuffered && r.Prompt.OK &&
		r.Prompt.V >= 1 && r.TTFT.OK && r.TTFT.V > 0
}

// lastOf are the prefill speeds of the last requests with a prompt and a prefix, by
// their rows alone.
func lastOf(rows []Row, since metrics.Stamp, key int, prefix Prefix) (prefill []float64) {
	for i := range rows {
		r := &rows[i]
		is := Unstated
		switch {
		case r.Cached.OK && r.Cached.V > 0:
			is = Warm
		case r.Cached.OK:
			is = Cold
		}
		if counts(r, since) && is == prefix && int(math.Round(2*math.Log2(r.Prompt.V))) == key {
			prefill = append(prefill, r.Prompt.V*1000/r.TTFT.V)
		}
	}
	return prefill[max(len(prefill)-LengthMost, 0):]
}

// TestByLength holds groups and medians against a reading of all rows, whatever
// the views in which they were read.
func TestByLength(t *testing.T) {
	packed := Pack(&metrics.Stream{})
	rapid.Check(t, func(t *rapid.T) {
		rows, since := lengthRows(t), metrics.Stamp(rapid.IntRange(0, 60).Draw(t, "since"))
		l, b := NewLog(0), ByLength{}
		for i := range rows {
			if l.Add(rows[i], packed); rapid.IntRange(0, 20).Draw(t, "looks") == 0 {
				v := l.View()
				b.Read(&v, since)
			}
		}
		v := l.View()
		b.Read(&v, since)
		points, want := 0, 0
		for i := range rows {
			if counts(&rows[i], since) {
				want++
			}
		}
		for i := range b.Groups {
			g := &b.Groups[i]
			testkit.Given(t, i <= 0 || g.key > b.Groups[i-1].key, "groups %d and %d are not ascending", i-1, i)
			for prefix := range g.Sides {
				s := &g.Sides[prefix]
				var have []float64
				for k := range s.Points {
					have = append(have, s.Points[k].Prefill)
				}
				all := lastOf(rows, since, g.key, Prefix(prefix))
				if points += len(have); !slices.Equal(have, all) {
					t.Fatalf("group %d, prefix %d: %v, want %v", g.key, prefix, have, all)
				}
				if len(all) == 0 {
					testkit.Given(t, !s.Prefill.OK, "group %d, prefix %d has a median of nothing: %+v", g.key, prefix, s.Prefill)
					continue
				}
				slices.Sort(all)
				if middle := (all[(len(all)-1)/2] + all[len(all)/2]) / 2; math.Abs(s.Prefill.V-middle) > 1e-9*middle ||
					s.Prefill.N != len(all) {
					t.Fatalf("group %d, prefix %d: the median is %+v, want %v of %d", g.key, prefix, s.Prefill, middle, len(all))
				}
			}
		}
		testkit.Given(t, b.Requests == want && points <= want, "%d requests and %d points, want %d", b.Requests, points, want)
		testkit.Given(t, !b.Read(&v, since), "nothing has ended, and something changed")
	})
}

// lengthRow is a request with a cold prompt.
func lengthRow(i int, began metrics.Stamp, prompt, ttft float64) Row {
	known := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	return Row{ID: i, N: i, State: metrics.Done, Began: began, Prompt: known(prompt), Cached: known(0), TTFT: known(ttft),
		TPOT: known(10)}
}

// A length that is sent often displaces no other: each keeps its share of the
// points and of the fit.
func TestByLengthKeepsEveryLength(t *testing.T) {
	l, b := NewLog(0), ByLength{}
	packed := Pack(&metrics.Stream{})
	for i := range 12 {
		l.Add(lengthRow(i, 5, 1000, 100), packed)
	}
	for i := range 3000 {
		l.Add(lengthRow(100+i, 5, 16_000, 900), packed)
	}
	v := l.View()
	b.Read(&v, 0)
	if len(b.Groups) != 2 || len(b.Groups[0].Sides[Cold].Points) != 12 ||
		len(b.Groups[1].Sides[Cold].Points) != LengthMost || b.Requests != 3012 {
		t.Fatalf("%d groups of %d requests: %+v", len(b.Groups), b.Requests, b.Groups)
	}
	if p, _ := b.Of(Cold); len(p) != 12+LengthMost || p[0] != 1000 || p[len(p)-1] != 16_000 {
		t.Errorf("the fit gets %v", p)
	}
	if p, _ := b.Of(Warm); len(p) != 0 {
		t.Errorf("warm: %v", p)
	}
	for doublings := range 16 {
		l.Add(lengthRow(5000+doublings, 5, float64(int(8)<<doublings), 50), packed)
		for range LengthMost {
			l.Add(lengthRow(6000+doublings, 5, 11*float64(int(1)<<doublings), 50), packed)
		}
	}
	v = l.View()
	b.Read(&v, 0)
	if p, ms := b.Of(Cold); len(p) > FitMost || len(p) != len(ms) {
		t.Errorf("a fit of %d requests, at most %d", len(p), FitMost)
	}
}

// The slowest requests of long ago are in a list for their streams. They are no
// sample of their lengths.
func TestByLengthLeavesOutTheSlowestOfLongAgo(t *testing.T) {
	l, b := NewLog(0), ByLength{}
	packed := Pack(&metrics.Stream{})
	for i := range Figures + 200 {
		ttft := 100.0
		if i < 200 {
			ttft = 9000
		}
		l.Add(lengthRow(i, 5, 1000, ttft), packed)
	}
	v := l.View()
	if b.Read(&v, 0); b.Requests != Figures {
		t.Errorf("counts %d requests, want the last %d", b.Requests, Figures)
	}
}

// A row has the gravest doubt, whatever the order of all, so that a cached prompt
// hides none. That a stream was truncated is its state, and no doubt.
func TestTheGravestDoubt(t *testing.T) {
	for want, codes := range map[metrics.SuspectCode][]metrics.SuspectCode{
		metrics.SuspectBuffered: {metrics.SuspectChoices, metrics.SuspectCached, metrics.SuspectBuffered,
			metrics.SuspectHeld},
		metrics.SuspectCached:  {metrics.SuspectChoices, metrics.SuspectCached},
		metrics.SuspectChoices: {metrics.SuspectChoices},
		"":                     nil,
	} {
		var f metrics.Figures
		for _, c := range codes {
			f.Suspect = append(f.Suspect, metrics.Suspicion{Code: c})
		}
		if r := RowOf(1, 1, &metrics.Stream{}, &f); r.Doubt != want || r.Doubts != len(codes) {
			t.Errorf("%v: %q of %d, want %q", codes, r.Doubt, r.Doubts, want)
		}
		for at := range len(codes) + 1 {
			f.Suspect = slices.Insert(slices.Clone(f.Suspect), at, metrics.Suspicion{Code: metrics.SuspectTruncated})
			if r := RowOf(1, 1, &metrics.Stream{}, &f); r.Doubt != want || r.Doubts != len(codes) {
				t.Errorf("%v, truncated: %q of %d, want %q", codes, r.Doubt, r.Doubts, want)
			}
			f.Suspect = slices.Delete(f.Suspect, at, at+1)
		}
	}
}

// A later moment, and another load, begin anew.
func TestByLengthBeginsAnew(t *testing.T) {
	l, b := NewLog(0), ByLength{}
	packed := Pack(&metrics.Stream{})
	for i := range 10 {
		l.Add(lengthRow(i, metrics.Stamp(i), 1000, 100), packed)
	}
	v := l.View()
	if b.Read(&v, 0); b.Requests != 10 {
		t.Fatalf("%d requests", b.Requests)
	}
	if changed := b.Read(&v, 7); !changed || b.Requests != 3 {
		t.Errorf("since 7: %d requests", b.Requests)
	}
	other := ViewOf(99, nil)
	if changed := b.Read(&other, 7); !changed || b.Requests != 0 || len(b.Groups) != 0 {
		t.Errorf("another load has %d requests", b.Requests)
	}
}
