package loadgen

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
)

// TestPeakAndTokenGoodputByHand sends requests for 60 s at 1.5 times what the
// endpoint can answer, and compares the point with counting its events.
func TestPeakAndTokenGoodputByHand(t *testing.T) {
	const prompt, answer = 8000, 50
	objectives := []slo.Objective{{Name: "ttft", Limit: 10_000}, {Name: "tpot", Limit: 216}}
	capacity := 0.0
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, sim.DefaultModel)
		l := modelLoad(f, Config{Shape: Shape{Drive: loadstat.Drive{Users: 64}}}, prompt, answer)
		defer stopAll(l, f)
		time.Sleep(20 * time.Second)
		capacity = l.View().Live.Rate.V
	})
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, sim.DefaultModel)
		d := f.deps()
		var all []stream
		inner := d.start
		d.start = func(ctx context.Context, to endpoint.Target, w metrics.Workload) stream {
			s := inner(ctx, to, w)
			all = append(all, s)
			return s
		}
		l := start(context.Background(), Config{
			Work: metrics.Workload{Prompt: "x", InputTokens: prompt, MaxTokens: answer}, Seed: 1, SLOs: objectives,
			Shape: Shape{Drive: loadstat.Drive{Rate: 1.5 * capacity, Poisson: true}}, Window: time.Minute,
		}, d)
		defer stopAll(l, f)
		time.Sleep(time.Minute)
		synctest.Wait()
		l.mu.Lock()
		p, origin := l.window.point(l.phase(d.now())), l.window.origin
		streams := all
		l.mu.Unlock()

		type arrived struct {
			at     metrics.Stamp
			tokens float64
		}
		var chunks []arrived // of the window
		good, ended := 0.0, 0.0
		n, met := 0, 0
		for _, s := range streams {
			v := s.Snapshot()
			received := 0.0
			for i := range v.Chunks {
				c := &v.Chunks[i]
				received += float64(c.Tokens)
				if c.At >= p.From && c.At < p.To {
					chunks = append(chunks, arrived{c.At, float64(c.Tokens)})
				}
			}
			if !v.State.Ended() || v.Marks.Start < origin || v.Marks.End >= p.To {
				continue
			}
			n++
			ended += received
			run := metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
			if slo.Met(&run, objectives...) {
				met++
				good += received
			}
		}
		sum, most := 0.0, 0.0
		for _, c := range chunks {
			sum += c.tokens
		}
		total := sum / (float64(p.To-p.From) / 1e9)
		for from := p.From; from+1e9 <= p.To; from += metrics.Stamp(sliceLen) {
			second := 0.0
			for _, c := range chunks {
				if c.at >= from && c.at < from+1e9 {
					second += c.tokens
				}
			}
			most = max(most, second)
		}
		testkit.That(t, p.Total.V == total && p.Peak.V == max(most, total),
			"throughput %v, peak %v; by hand %v, %v", p.Total.V, p.Peak.V, total, most)
		testkit.That(t, p.GoodShare.N == n && p.GoodTokens.V == total*(good/ended) && p.GoodTokens.N == n,
			"%d requests, token goodput %+v; by hand %d, %v", p.GoodShare.N, p.GoodTokens, n, total*(good/ended))
		if met == 0 || met == n || n < 100 || p.Steady || p.TotalInterval.Low.Why != metrics.WhyNotSteady {
			t.Errorf("%d of %d met all, steady %v (%+v): an overload should miss some and never be steady", met, n, p.Steady,
				p.TotalInterval)
		}
		slices.SortFunc(chunks, func(a, b arrived) int { return cmp.Compare(a.at, b.at) })
		slide, second, first := 0.0, 0.0, 0
		for _, c := range chunks { // every second that ends with a chunk
			second += c.tokens
			for ; c.at-chunks[first].at >= 1e9; first++ {
				second -= chunks[first].tokens
			}
			slide = max(slide, second)
		}
		testkit.That(t, p.Peak.V <= max(slide, total), "the peak %v is more than any second has: %v", p.Peak.V, slide)
		t.Logf("capacity %.1f req/s; %d requests, %d met all; throughput %.0f, peak %.0f (of all seconds %.0f), token "+
			"goodput %.0f tok/s", capacity, n, met, total, p.Peak.V, slide, p.GoodTokens.V)
	})
}

func TestTimelinePeak(t *testing.T) {
	line := newTimeline(0, 20*time.Second)
	total := metrics.Known(30, 0)
	for i := range 30 {
		line.interval(i).tokens = 1
	}
	line.interval(17).tokens = 50
	if p := line.peak(0, 30, total); p.V != 59 {
		t.Errorf("9 intervals of 1 and one of 50: %+v", p)
	}
	if p := line.peak(18, 30, total); p.V != 30 {
		t.Errorf("without that interval the throughput is more: %+v", p)
	}
	if p := line.peak(0, 9, total); p.OK || p.Why != metrics.WhyUnderSecond {
		t.Errorf("0.9 s: %+v", p)
	}
	silent := newTimeline(0, 20*time.Second)
	silent.interval(29)
	if p := silent.peak(0, 30, metrics.Known(0, 0)); p.OK || p.Why != metrics.WhyNoChunkEnd {
		t.Errorf("without a token: %+v", p)
	}
	if p := line.peak(0, 30, metrics.Unknown(metrics.WhyJustBegun)); p.OK || p.Why != metrics.WhyJustBegun {
		t.Errorf("without a throughput: %+v", p)
	}
}

func TestIntervalsOfAPoint(t *testing.T) {
	line := newTimeline(0, 20*time.Second)
	for i := range 40 {
		line.interval(i).tokens = float64(10 + i/2%2)
	}
	i := line.throughputInterval(0, 40, metrics.Known(105, 0))
	if mean := (i.Low.V + i.High.V) / 2; !i.Low.OK || math.Abs(mean-105) > 1e-9 || i.High.V-i.Low.V < 4 ||
		i.High.V-i.Low.V > 6 {
		t.Errorf("batches of 100 and 110 tok/s: %+v", i)
	}
	if i := line.throughputInterval(0, 39, metrics.Known(105, 0)); i.Low.OK || i.Low.Why != metrics.WhyShortWindow {
		t.Errorf("3.9 s: %+v", i)
	}
	speeds := make([]float64, 45)
	for i := range speeds {
		speeds[i] = 50 + float64(i*7%5)
	}
	if i := speedInterval(metrics.Known(52, 45), speeds); !i.Low.OK || i.Low.V > 52 || i.High.V < 52 {
		t.Errorf("45 requests: %+v", i)
	}
	if i := speedInterval(metrics.Known(52, 19), speeds[:19]); i.Low.OK || i.Low.Why != metrics.Needs(loadstat.Batches) {
		t.Errorf("19 requests: %+v", i)
	}
}

// TestTokenGoodputWithoutObjectives holds that it is then the throughput.
func TestTokenGoodputWithoutObjectives(t *testing.T) {
	p := loadstat.Point{To: 1e9, Total: metrics.Known(100, 0), Requests: 2}
	judge(&p, []record{{OK: true, Tokens: 30}, {OK: true, Tokens: 70}}, nil)
	testkit.That(t, p.GoodTokens.V == 100 && p.GoodTokens.N == 2, "all good: %+v", p.GoodTokens)
	judge(&p, []record{{OK: true, Tokens: 30}, {Tokens: 70}}, nil)
	testkit.That(t, p.GoodTokens.V == 30, "one failed: %+v", p.GoodTokens)
	judge(&p, []record{{}}, nil)
	testkit.That(t, p.GoodTokens.OK && p.GoodTokens.V == 0, "nothing received: %+v", p.GoodTokens)
	judge(&p, nil, nil)
	testkit.That(t, !p.GoodTokens.OK && p.GoodTokens.Why == metrics.WhyNoneOfWindow, "no request: %+v", p.GoodTokens)
}
