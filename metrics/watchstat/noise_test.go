package watchstat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// long: run the simulations in full: some minutes.
var long = testkit.Long()

// noise makes probes in which nothing ever changes: all eight series are
// independent, one of them failures. It returns the same entry again and again.
type noise struct {
	rng   *rand.Rand
	fails float64
	e     history.Entry
}

func newNoise(rng *rand.Rand, fails float64) *noise {
	return &noise{rng: rng, fails: fails, e: history.Entry{Kind: history.Watch, N: 1}}
}

func (x *noise) at(i int, every time.Duration) *history.Entry {
	x.e.At, x.e.Failed = start.Add(time.Duration(i)*every), 0
	if x.rng.Float64() < x.fails {
		x.e.Failed = 1
		return &x.e
	}
	for _, f := range []history.Figure{history.TCP, history.Queue, history.Prefill, history.TTFT, history.TPOT,
		history.Longest, history.Total} {
		x.e.Figures[f] = metrics.Known(100+x.rng.ExpFloat64(), 1)
	}
	return &x.e
}

// TestFalseAlarmsAsPrinted plays watches of eight series, with baselines of several
// sizes, over many intervals: nine baselines in ten have at most as many false
// alarms as printed.
func TestFalseAlarmsAsPrinted(t *testing.T) {
	baselines, intervals, chance := 6, 4, 3.0
	if long {
		baselines, intervals, chance = 300, 60, 0
	}
	for _, c := range []struct {
		m     int
		fails float64
	}{{20, 0.02}, {50, 0.02}, {100, 0.02}, {300, 0.02}, {20, 0.005}, {20, 0.05}, {20, 0.1}, {20, 0.15}} {
		m := c.m
		if testing.Short() && (m > 50 || c.fails != 0.02) {
			continue
		}
		p := Plan{Every: 30 * time.Second, Learn: m, Targets: 1, Between: 4 * time.Hour}
		more, total, days := 0, 0, 0.0
		var printed time.Duration
		for b := range baselines {
			x := newNoise(testkit.Rand(t, uint64(1000*m+b)), c.fails)
			w, alarms, rounds := New(p), 0, 0
			for i := 0; ; i++ {
				ev := w.Add(*x.at(i, p.Every))
				if ev == Learned {
					v := w.View()
					printed, rounds = v.Between, i+int(float64(intervals)*float64(v.Between)/float64(p.Every))
				}
				if ev == Began || ev == Recurs {
					alarms++
				}
				if rounds > 0 && i >= rounds {
					days += float64(intervals) * printed.Hours() / 24
					break
				}
			}
			total += alarms
			if alarms > intervals {
				more++
			}
		}
		t.Logf("baselines of %3d, %4.1f %% fail: printed at most one in %v; %d of %d baselines had more in %d such "+
			"intervals; on average %.2f of the printed number (%d in %.0f days)",
			m, 100*c.fails, printed.Round(time.Minute), more, baselines, intervals, float64(total)/float64(baselines*intervals),
			total, days)
		// Few baselines scatter: so many have more by chance in one test of a thousand.
		tenth := 0.1 * float64(baselines)
		testkit.That(t, float64(more) <= tenth+chance*math.Sqrt(0.9*tenth),
			"baselines of %d: %d of %d alarm more often than printed", m, more, baselines)
	}
}

// TestThousandDays watches noise every 30 s. The printed interval holds in nine
// baselines of ten, so the alarms of each baseline are compared with it.
func TestThousandDays(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: days of probes; TestFalseAlarmsAsPrinted plays fewer")
	}
	length, baselines := 6, 4
	if long {
		length, baselines = 1000, 20
	}
	for _, m := range []int{20, 50, 100, 300} {
		p := Plan{Every: 30 * time.Second, Learn: m, Targets: 1}
		more, daily := 0, 0
		var alarms []int
		var printed float64
		for b := range baselines {
			x, w, n := newNoise(testkit.Rand(t, uint64(1000*m+b)), 0.01), New(p), 0
			for i := range length * 2880 {
				switch w.Add(*x.at(i, p.Every)) {
				case Began:
					n++
				case Recurs:
					daily++
				}
			}
			v := w.View()
			printed = float64(length) * 24 * float64(time.Hour) / float64(v.Between)
			if float64(n) > printed {
				more++
			}
			alarms = append(alarms, n)
		}
		slices.Sort(alarms)
		t.Logf("baselines of %3d, %d days each: alarms %v, median %.3f a day, printed at most %.3f a day; %d of %d "+
			"baselines had more; %d as on other days",
			m, length, alarms, float64(alarms[len(alarms)/2])/float64(length), printed/float64(length), more, baselines, daily)
		if float64(alarms[len(alarms)/2]) > printed ||
			float64(more) > 0.1*float64(baselines)+3*math.Sqrt(0.09*float64(baselines)) {
			t.Errorf("baselines of %d: %d of %d alarm more often than printed", m, more, baselines)
		}
	}
}
