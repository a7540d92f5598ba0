package schema

import (
	"fmt"
	"math/rand/v2"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// format is a format of strings.
type format struct {
	name  string
	write func(r *rand.Rand) string
	check func(s string) bool
}

// Expressions of formats. They are compiled at first use, because few runs of
// the program check a string.
var (
	uuidForm = lazily(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	hostForm = lazily(
		`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
	durationForm = lazily(`^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?)$`)
)

// lazily returns a check against an expression that it compiles once, when it
// is first called.
func lazily(expr string) func(s string) bool {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	return func(s string) bool { return re().MatchString(s) }
}

// formats are the formats that strings can have.
var formats = []format{
	timed("date-time", time.RFC3339),
	timed("date", time.DateOnly),
	timed("time", "15:04:05Z07:00"),
	{"duration", func(r *rand.Rand) string { return fmt.Sprintf("PT%dM%dS", r.IntN(60), r.IntN(60)) },
		func(s string) bool {
			return durationForm(s) && s != "P" && !strings.HasSuffix(s, "T")
		}},
	{"email", func(r *rand.Rand) string { return fmt.Sprintf("reader%d@example.com", r.IntN(100)) }, func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	}},
	{"hostname", func(r *rand.Rand) string { return fmt.Sprintf("gpu-%d.example.com", r.IntN(100)) }, hostForm},
	{"ipv4", func(r *rand.Rand) string { return fmt.Sprintf("192.0.2.%d", r.IntN(256)) },
		func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }},
	{"ipv6", func(r *rand.Rand) string { return fmt.Sprintf("2001:db8::%x", 1+r.IntN(1<<16-1)) }, func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == ""
	}},
	{"uuid", func(r *rand.Rand) string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(),
			r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
	}, uuidForm},
	{"uri", func(r *rand.Rand) string { return fmt.Sprintf("https://example.com/pages/%d", r.IntN(1000)) },
		func(s string) bool {
			u, err := url.Parse(s)
			return err == nil && u.IsAbs()
		}},
}

// timed is the format of times in a layout of package time, of whole seconds.
func timed(name, layout string) format {
	return format{name, func(r *rand.Rand) string {
		return time.Unix(1_600_000_000+r.Int64N(200_000_000), 0).UTC().Format(layout)
	}, func(s string) bool { _, err := time.Parse(layout, s); return err == nil }}
}
