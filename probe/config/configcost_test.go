package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// hostileConfigs are files of about n bytes that made a parser quadratic.
var hostileConfigs = []struct {
	name string
	text func(n int) string
}{
	{"dotted table", func(n int) string { return "[profile.a.extra" + strings.Repeat(".a", n/2) + "]\nx = 1\n" }},
	{"dotted key", func(n int) string { return "[profile.a.extra]\na" + strings.Repeat(".a", n/2) + " = 1\n" }},
	{"nested inline tables", func(n int) string {
		return "[profile.a.extra]\na = " + strings.Repeat("{a=", n/4) + "1" + strings.Repeat("}", n/4) + "\n"
	}},
	{"nested lists", func(n int) string {
		return "[profile.a.extra]\na = " + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + "\n"
	}},
	{"many keys", func(n int) string { return "[profile.a.extra]\n" + numbered(n, "k%d = 1\n") }},
	{"many inline keys", func(n int) string { return "[profile.a.extra]\na = {" + numbered(n, "k%d = 1, ") + "z = 1}\n" }},
	{"many tables", func(n int) string { return numbered(n, "[profile.a.extra.t%d]\n") }},
	{"unknown keys", func(n int) string { return numbered(n, "k%d = 1\n") }},
	{"many keys of a deep table", func(n int) string {
		return "[profile.a.extra" + strings.Repeat(".a", n/4) + "]\n" + numbered(n/2, "k%d = 1\n")
	}},
}

// numbered repeats a line with a number in it up to n bytes.
func numbered(n int, line string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// What ten times as large a file costs is about ten times as much, in memory and
// in time: a hundred times would be quadratic. A file of 1 MiB is read as well.
func TestALargeConfigurationDoesNotHang(t *testing.T) {
	for i, c := range hostileConfigs {
		t.Run(c.name, func(t *testing.T) {
			cost := func(text string) (bytes, seconds float64) {
				allocated := testkit.Allocated(func() {
					from := time.Now()
					_, _ = parse("config.toml", text)
					seconds = time.Since(from).Seconds()
				})
				return float64(allocated), seconds
			}
			short, long := c.text(6_000), c.text(60_000)
			little, quick := cost(short)
			much, slow := cost(long)
			// The quickest of many rounds, until they tell: what else the machine does
			// is not the parser's.
			for round := 0; slow < 1 && (round < 5 || round < 200 && slow > 40*quick); round++ {
				_, q := cost(short)
				_, s := cost(long)
				quick, slow = min(quick, q), min(slow, s)
			}
			if much > 30*little || slow > 40*quick {
				t.Errorf("60 kB take %.0f times the memory of 6 kB (%.1f MB) and %.0f times the time (%.1f ms)", much/little,
					much/1e6, slow/quick, slow*1e3)
			}
			if testing.Short() && i%3 != 0 {
				return // a third of the large files
			}
			if most, _ := cost(c.text(configBytes)); most > 500*little+64e6 {
				t.Errorf("1 MiB takes %.0f MB, 6 kB %.2f MB", most/1e6, little/1e6)
			}
		})
	}
}
