package format

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// written is one line of a table: a value and its text.
type written struct {
	v    float64
	want string
}

// is holds that a text is the wanted one.
func is(t *testing.T, got, want string) {
	t.Helper()
	testkit.Is(t, got, want)
}

func appendRatio(b []byte, v float64) []byte { return append(b, Ratio(v)...) }

func check(t *testing.T, write func([]byte, float64) []byte, table []written) {
	t.Helper()
	for _, c := range table {
		got := string(write([]byte("|"), c.v))
		testkit.That(t, got == "|"+c.want, "%v is written as %q, want %q", c.v, got[1:], c.want)
	}
}

// Measured numbers have three significant digits.
func TestNumber(t *testing.T) {
	check(t, AppendNumber, []written{
		{0, "0"}, {0.0004, "<0.001"}, {0.0421, "0.042"}, {0.42, "0.420"}, {0.9994, "0.999"}, {0.9996, "1.00"},
		{1, "1.00"}, {6.84, "6.84"}, {7.1, "7.10"}, {9.996, "10.0"}, {28.26, "28.3"}, {99.96, "100"}, {147.4, "147"},
		{276, "276"},
		{999.4, "999"}, {999.6, "1,000"}, {4114, "4,110"}, {4115.1, "4,120"}, {9994, "9,990"}, {9996, "10,000"},
		{12345, "12,300"},
		{123456, "123,000"}, {999_499, "999,000"}, {999_501, "1.00M"}, {1.2345e6, "1.23M"}, {45.67e9, "45.7G"},
		{2e14, "200T"}, {1e15, ">999T"},
		{-6.84, "−6.84"}, {-4114, "−4,110"}, {-0.0001, ">−0.001"}, {-1e18, "<−999T"},
		{math.Inf(1), ">999T"}, {math.Inf(-1), "<−999T"}, {math.NaN(), "–"}, {math.Copysign(0, -1), "0"},
	})
	is(t, Number(4114)+Rate(6.84), "4,1106.84 tok/s")
}

// Counts are exact.
func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567",
		-1234:         "−1,234",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "−9,223,372,036,854,775,808"} {
		is(t, Count(n), want)
	}
	check(t, AppendWhole, []written{{0, "0"}, {2.5, "3"}, {12344.6, "12,345"}, {-3.2, "−3"},
		{1e300, "1,000,000,000,000,000"}, {math.NaN(), "–"}})
	testkit.Is(t, Whole(12345), "12,345")
}

// Settings and limits are written exactly.
func TestExact(t *testing.T) {
	check(t, AppendExact, []written{
		{0, "0"}, {0.5, "0.5"}, {0.1, "0.1"}, {0.02, "0.02"}, {238, "238"}, {1000, "1,000"}, {1.25, "1.25"},
		{2.0000001, "2"}, {0.9999999, "1"},
		{1e-9, "<0.000001"}, {-0.25, "−0.25"}, {math.Inf(1), "1,000,000,000,000,000"}, {math.NaN(), "–"},
	})
	testkit.Is(t, Exact(0.5), "0.5")
}

// Times have three significant digits and the unit in which three are enough.
func TestMs(t *testing.T) {
	const minute, hour = 60e3, 3600e3
	check(t, AppendMs, []written{
		{0, "0 ms"}, {1e-9, "<1 ns"}, {0.0000005, "1 ns"}, {0.0001, "100 ns"}, {0.0009994, "999 ns"}, {0.0009996, "1.00 µs"},
		{0.042, "42.0 µs"}, {0.42, "420 µs"}, {0.9996, "1.00 ms"}, {7.1, "7.10 ms"}, {22.19, "22.2 ms"}, {276, "276 ms"},
		{999.4, "999 ms"},
		{999.6, "1.00 s"}, {1240, "1.24 s"}, {12_400, "12.4 s"}, {124_000, "124 s"}, {999_400, "999 s"},
		{999_600, "16.7 min"},
		{90 * minute, "90.0 min"}, {99.94 * minute, "99.9 min"}, {100 * minute, "1.67 h"}, {24 * hour, "24.0 h"},
		{2400 * hour, "2,400 h"},
		{-276, "−276 ms"}, {-1e-9, ">−1 ns"}, {math.NaN(), "– ms"}, {math.Inf(1), ">999T h"},
	})
	is(t, Ms(276)+Duration(1240*time.Millisecond), "276 ms1.24 s")
}

func TestLimit(t *testing.T) {
	check(t, AppendLimit, []written{
		{0, "0 ms"}, {0.5, "0.5 ms"}, {450, "450 ms"}, {1000, "1 s"}, {1500, "1.5 s"}, {10_000, "10 s"}, {60_000, "60 s"},
		{600_000, "10 min"}, {86_400_000, "24 h"},
		{140_000, "140 s"}, {150_000, "2.5 min"}, {4_000_000, "4,000 s"}, {8_400_000, "140 min"}, {-8_640_000, "−2.4 h"},
	})
	testkit.Is(t, Limit(450), "450 ms")
}

func TestElapsed(t *testing.T) {
	check(t, AppendElapsed, []written{{-1, "0 s"}, {0.4, "0 s"}, {40, "40 s"}, {99.6, "1:40 min"}, {247, "4:07 min"},
		{3600, "1:00:00 h"}, {3847, "1:04:07 h"}, {math.NaN(), "0 s"}, {math.Inf(1), "166666:40:00 h"}})
	check(t, func(b []byte, v float64) []byte { return AppendSeconds(b, v, 3) },
		[]written{{2, "2.000 s"}, {-0.5, "−0.500 s"}, {math.NaN(), "0.000 s"}})
	for ms, want := range map[float64]string{0: "0 ms", 347: "340 ms", 999.9: "990 ms", 1240: "1.24 s", 9996: "10.0 s",
		81_040: "81.0 s", 1_234_000: "1,234 s", -5: "0 ms", math.NaN(): "0 ms"} {
		b, unit := AppendStopwatch(nil, ms)
		is(t, string(b)+" "+unit, want)
	}
}

// "0 %" is nothing, "100 %" is all.
func TestPercent(t *testing.T) {
	check(t, AppendPercent, []written{
		{0, "0 %"}, {0.00001, "<1 %"}, {0.0099, "<1 %"}, {0.01, "1 %"}, {0.125, "13 %"}, {0.5, "50 %"}, {0.989, "99 %"},
		{0.991, ">99 %"}, {0.99999, ">99 %"},
		{1, "100 %"}, {1.4, "140 %"}, {9.99, "999 %"}, {12, ">999 %"}, {-1, "0 %"}, {math.Inf(1), ">999 %"},
		{math.NaN(), "–"},
	})
	check(t, AppendChange, []written{
		{0, "0 %"}, {0.004, "<1 %"}, {-0.004, "<1 %"}, {0.12, "+12 %"}, {-0.034, "−3 %"}, {9, "+900 %"}, {20, ">+999 %"},
		{-20, "<−999 %"}, {math.NaN(), "–"},
	})
	check(t, appendRatio, []written{{0, "0"}, {0.001, "<0.01"}, {0.5, "0.50"}, {0.996, "0.99"}, {1, "1"}, {2, "1"},
		{-1, "0"}, {math.NaN(), "–"}})
	check(t, AppendFactor, []written{{0, "0x"}, {0.01, "<0.1x"}, {0.42, "0.4x"}, {7.06, "7.1x"}, {28.26, "28x"},
		{999.6, ">999x"}, {-7.06, "0x"}, {math.NaN(), "–x"}})
	is(t, Percent(0.5)+Ratio(0.5)+Factor(2), "50 %0.502.0x")
}

func TestAmount(t *testing.T) {
	check(t, func(b []byte, v float64) []byte { return AppendAmount(b, v, "B") }, []written{
		{0, "0 B"}, {0.5, "0.500 B"}, {512, "512 B"}, {131_072, "131 kB"}, {15.04e9, "15.0 GB"}, {3.35e12, "3.35 TB"},
		{999.6e3, "1.00 MB"}, {1e22, ">999 EB"},
		{-1, "0 B"}, {math.Inf(1), ">999 EB"}, {math.NaN(), "–"},
	})
	is(t, Amount(7.92e15, "FLOP/s"), "7.92 PFLOP/s")
	check(t, AppendMoney, []written{
		{0, "0"}, {1e-9, "<0.000001"}, {0.0042, "0.004200"}, {0.01, "0.010"}, {0.5, "0.500"}, {9.9999, "10.00"},
		{12.345, "12.35"}, {1234.5, "1,234.50"},
		{-12.345, "−12.35"}, {math.Inf(1), "1,000,000,000,000,000.00"}, {math.NaN(), "–"},
	})
	testkit.Is(t, Money(0.5), "0.500")
}

// An unknown figure is a dash, with its reason where that fits.
func TestUnknown(t *testing.T) {
	why := metrics.Unknown(metrics.Needs(5))
	is(t, Reason(metrics.Value{})+"|"+Reason(why)+"|"+Known(why, Ms)+"|"+KnownOr(why, Ms),
		"–|– (needs n ≥ 5)|–|– (needs n ≥ 5)")
	if v := metrics.Known(276, 1); Known(v, Ms) != "276 ms" || KnownOr(v, Ms) != "276 ms" {
		t.Errorf("%q %q", Known(v, Ms), KnownOr(v, Ms))
	}
}

// A range has its unit once.
func TestRange(t *testing.T) {
	known := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	for _, c := range []struct {
		lo, hi metrics.Value
		want   string
	}{
		{known(276), known(301), "276–301 ms"}, {known(998), known(1200), "998 ms – 1.20 s"}, {known(0), known(0), "0–0 ms"},
		{metrics.Unknown(metrics.WhyNoCount), known(1), "–"}, {known(1), metrics.Unknown(metrics.WhyNoCount), "–"},
	} {
		is(t, KnownRange(c.lo, c.hi, Ms), c.want)
	}
	got := Range(6.84, 4114, Number) + "; " + Range(-3, -1, Number) + "; " + Span(20, 20, Ms) + "; " + PartOf(950, 1200,
		Ms) + "; " + PartOf(289, 290, Ms)
	testkit.Is(t, got, "6.84–4,110; −3.00 – −1.00; 20.0 ms; 950 ms of 1.20 s; 289 of 290 ms")
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"", 10, []string{""}},
		{"one", 10, []string{"one"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two\nthree", 80, []string{"one two three"}},
		{"try --agent-steps now", 12, []string{"try", "--agent-steps", "now"}},
		{"日本 語", 5, []string{"日本", "語"}},
		{"a b", 0, []string{"a", "b"}},
		{"sent" + Tie + "7" + Tie + "ms now", 4, []string{"sent 7 ms", "now"}},
	} {
		got := Wrap(c.text, c.w)
		testkit.That(t, slices.Equal(got, c.want), "%q in %d columns: %q, want %q", c.text, c.w, got, c.want)
	}
}

// TestClauses checks that a text loses whole clauses at its end and nothing else.
func TestClauses(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"one; two", 8, "one; two"}, {"one; two", 7, "one"}, {"one; two", 2, ""}, {"a, b; c, d", 7, "a, b"},
		{"a, b; c, d", 3, "a"},
		{"12,345 tokens, 7.0 s", 15, "12,345 tokens"}, {"x (total, n 30): few", 10, ""}, {"A 1; b · B 2; c", 10, "A 1; b"},
		{"", 0, ""},
	} {
		is(t, Clauses(c.text, func(s string) bool { return len(s) <= c.w }), c.want)
	}
}

func TestObjectives(t *testing.T) {
	slos := []slo.Objective{{Name: "ttft", Limit: 1500}, {Name: "speed", Limit: 25, AtLeast: true}}
	is(t, Objectives(slos)+"|"+SLOs(slos), "ttft ≤ 1.5 s and speed ≥ 25 tok/s|ttft=1.5s,speed>=25")
}

func TestJoin(t *testing.T) {
	is(t, Join(", ", "a", "", "b")+Join(", ")+Join(", ", "", ""), "a, b")
	is(t, Plural(1, "chunk", "chunks")+Plural(12345, "chunk", "chunks")+Plural(0, "chunk", "chunks"),
		"1 chunk12,345 chunks0 chunks")
}

func TestASCII(t *testing.T) {
	for s, want := range map[string]string{"plain": "plain", "ttft ≤ 500 ms – ×38": "ttft <= 500 ms - x38",
		"8–29 %": "8-29 %", "a cut text…": "a cut text~", "“a” ▲ ╎ 世": `"a" ! : ?`, "µs": "us"} {
		if got := ASCII(s); got != want || string(AppendASCII(nil, s)) != want || !IsASCII(got) || IsASCII(s) != (s == want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// Every character in this package's figures has an ASCII replacement.
func TestFiguresFoldToASCII(t *testing.T) {
	for _, s := range []string{Unknown, Factor(2), Ms(math.NaN()), Percent(0.5), Money(1)} {
		got := ASCII(s)
		testkit.That(t, !strings.Contains(got, "?") && ansi.StringWidth(got) == ansi.StringWidth(s), "%q becomes %q", s, got)
	}
}

// A lower bound is never written as more than it is, and loses at most a digit.
func TestLowerBoundsAreRoundedDown(t *testing.T) {
	rng := testkit.Rand(t, 5)
	units := map[string]float64{"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
	for range 20_000 {
		ms := math.Pow(10, -3+12*rng.Float64())
		number, unit, _ := strings.Cut(Ms(DownMs(ms)), " ")
		have, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
		if have *= units[unit]; err != nil || have > ms*(1+1e-9) || have < ms*0.989 {
			t.Fatalf("%v ms is written as %s %s", ms, number, unit)
		}
	}
	for _, x := range []struct {
		v, low metrics.Value
		want   string
	}{
		{metrics.Unknown(metrics.WhyNoSchedule), metrics.Known(12_086, 9), "≥12,000"},
		{metrics.Known(700, 9), metrics.Known(1299, 90), "≥1,290"},
		{metrics.Known(700, 9), metrics.Value{}, "700"}, {metrics.Unknown(metrics.WhyNoSchedule), metrics.Value{}, "–"},
		{metrics.Value{}, metrics.Known(0, 1), "≥0"},
	} {
		is(t, Waiting(x.v, x.low), x.want)
	}
}

// TestNamesDifferWhereTheyAreCut holds that names which differ at an end alone differ when
// they are cut, that none is wider than its room, and that a short one is whole.
func TestNamesDifferWhereTheyAreCut(t *testing.T) {
	for _, pair := range [][2]string{
		{"http://127.0.0.1:28401", "http://127.0.0.1:28418"}, {"127.0.0.1:28401", "127.0.0.1:28418"},
		{"llama-3.1-8b-q4@m3max", "llama-3.1-8b-q4@h100"}, {"eu.服务器服务器服务器.example", "us.服务器服务器服务器.example"},
	} {
		for w := 6; w <= 30; w++ {
			a, b := Name(pair[0], w), Name(pair[1], w)
			testkit.That(t, a != b && ansi.StringWidth(a) <= w && ansi.StringWidth(b) <= w, "%d columns: %q and %q", w, a, b)
		}
	}
	for s, want := range map[string]string{"groq": "groq", "a\nb": "a b", "http://127.0.0.1:28401": "127.0…:28401",
		"https://a.b:8000/v1": "a.b:8000/v1", "use http://a.b:80": "use h…a.b:80"} {
		testkit.Is(t, Name(s, 12), want, s)
	}
	if Name("http://127.0.0.1", 0) != "" || Name("http://127.0.0.1", 3) != "ht…" {
		t.Errorf("no room: %q, %q", Name("http://127.0.0.1", 0), Name("http://127.0.0.1", 3))
	}
}

// TestReasonsHaveWords checks that each reason of an unknown figure has words
// of its own, and a name in a program's files.
func TestReasonsHaveWords(t *testing.T) {
	whys := []metrics.Why{metrics.Needs(2), metrics.Needs(metrics.MinP90), metrics.Needs(metrics.MinP95),
		metrics.Needs(metrics.MinP99), metrics.Needs(64)}
	for w := metrics.Why(1); w.String() != ""; w++ {
		if w != metrics.WhyNeeds {
			whys = append(whys, w)
		}
	}
	testkit.Given(t, len(whys) >= 90, "found %d reasons: the search does not work", len(whys))
	names, texts := map[string]metrics.Why{}, map[string]metrics.Why{}
	for _, w := range whys {
		words := Why(w)
		testkit.That(t, len(strings.Fields(words)) >= 2, "%v has the words %q", w, words)
		if other, twice := texts[words]; twice {
			t.Errorf("%q stands for %v and %v", words, w, other)
		}
		texts[words] = w
		name, err := w.MarshalText()
		var back metrics.Why
		if err != nil || strings.ContainsRune(string(name), ' ') || back.UnmarshalText(name) != nil || back != w {
			t.Errorf("%q is named %q, %v, and read as %v", words, name, err, back)
		}
		if other, twice := names[string(name)]; twice {
			t.Errorf("%q names %q and %q", name, words, Why(other))
		}
		names[string(name)] = w
	}
}

// TestReasonsOfOthers checks words and names that no code has.
func TestReasonsOfOthers(t *testing.T) {
	is(t, Why(0)+Why(1<<8-1), "")
	for _, name := range []string{"of-the-future", "needs:many", "needs:-1", "needs:99999999999"} {
		var w metrics.Why
		testkit.That(t, w.UnmarshalText([]byte(name)) != nil, "%q is read as %v", name, w)
	}
	for _, name := range []string{"", "no-stamp"} {
		w := metrics.WhyIdle
		err := w.UnmarshalText([]byte(name))
		testkit.That(t, err == nil && w.String() == name, "%q is read as %v, %v", name, w, err)
	}
}
