package cli

import (
	"time"

	"github.com/spf13/pflag"

	"tokscope/ui/format"
)

// number is a value of a flag that has bounds.
type number interface{ int | float64 | time.Duration }

// within refuses the value of a flag outside least to most, and a NaN.
func within[T number](flag string, v, least, most T) error {
	if v >= least && v <= most {
		return nil
	}
	return Usage("%s %v: give %s to %s", flag, v, bound(least), bound(most))
}

// atLeast refuses the value of a flag below least, and a NaN.
func atLeast[T number](flag string, v, least T) error {
	if v >= least {
		return nil
	}
	return Usage("%s %v: give %s or more", flag, v, bound(least))
}

// bound writes a bound as it may be typed.
func bound(v any) string {
	switch v := v.(type) {
	case int:
		return format.Count(v)
	case float64:
		return format.Exact(v)
	case time.Duration:
		if v%time.Hour == 0 && v > 0 {
			return format.Count(int(v/time.Hour)) + "h"
		}
		return v.String()
	}
	return ""
}

// needs refuses flag without other.
func needs(fs *pflag.FlagSet, flag, other string) error {
	if fs.Changed(flag) && !fs.Changed(other) {
		return Usage("--%s needs --%s", flag, other)
	}
	return nil
}
