package format

import (
	"math"
	"strconv"
	"time"
)

// DurationWidth is the width of the widest text of Ms for a time from 0 to
// 999.5 s, such as "7.10 ms" or "276 µs". Up to 1000 hours the text is one
// column wider, "16.7 min". A negative time is also one column wider.
const DurationWidth = 7

// The units of a time, and the ms from which each is used: the unit below
// would need more than three digits.
const (
	msNano   = 1e-6
	msMicro  = 1e-3
	msSecond = 1e3
	msMinute = 60 * msSecond
	msHour   = 60 * msMinute

	fromMicro  = 999.5 * msNano
	fromMilli  = 999.5 * msMicro
	fromSecond = 999.5
	fromMinute = 999.5 * msSecond
	fromHour   = 99.95 * msMinute
)

// AppendDuration appends a measured time, given in milliseconds, with three
// significant digits. It returns the unit and does not append it: "42.0" µs,
// "6.84" ms, "276" ms, "1.24" s, "124" s, "16.7" min, "24.0" h. A time below
// half a nanosecond that is not 0 is "<1" ns.
func AppendDuration(b []byte, ms float64) (_ []byte, unit string) {
	switch a := math.Abs(ms); {
	case a == 0 || math.IsNaN(a):
		return AppendNumber(b, ms), "ms"
	case a < msNano/2 && ms < 0:
		return append(b, ">"+Minus+"1"...), "ns"
	case a < msNano/2:
		return append(b, "<1"...), "ns"
	case a < fromMicro:
		return AppendCount(b, int(math.Round(ms/msNano))), "ns"
	case a < fromMilli:
		return AppendNumber(b, ms/msMicro), "µs"
	case a < fromSecond:
		return AppendNumber(b, ms), "ms"
	case a < fromMinute:
		return AppendNumber(b, ms/msSecond), "s"
	case a < fromHour:
		return AppendNumber(b, ms/msMinute), "min"
	}
	return AppendNumber(b, ms/msHour), "h"
}

// AppendMs appends a measured time given in milliseconds with its unit: "6.84 ms",
// "276 ms", "1.24 s".
func AppendMs(b []byte, ms float64) []byte {
	b, unit := AppendDuration(b, ms)
	return append(append(b, ' '), unit...)
}

// Residual is a residual in ms without what is less than the resolution of
// stamps, a nanosecond.
func Residual(ms float64) float64 {
	if math.Abs(ms) < msNano {
		return 0
	}
	return ms
}

// Duration is Ms of a time.Duration.
func Duration(d time.Duration) string { return Ms(float64(d) / float64(time.Millisecond)) }

// AppendLimit appends a chosen time in milliseconds, exact and in the largest
// unit that it reaches: "450 ms", "1.5 s", "10 min", "24 h". Where minutes or
// hours take more than six digits after the point, it is in a smaller unit: "140 s".
func AppendLimit(b []byte, ms float64) []byte {
	ms = min(max(ms, -1e15), 1e15) // as AppendExact, in every unit
	of, unit := 1.0, " ms"
	exact := func(of float64) bool {
		n := ms / of * 1e6
		return math.Abs(n-math.Round(n)) <= 1e-9*math.Abs(n)
	}
	switch a := math.Abs(ms); {
	case a >= msHour && exact(msHour):
		of, unit = msHour, " h"
	case a >= 2*msMinute && exact(msMinute):
		of, unit = msMinute, " min"
	case a >= msSecond:
		of, unit = msSecond, " s"
	}
	return append(AppendExact(b, ms/of), unit...)
}

// longest limits elapsed times, in seconds: 19 years.
const longest = 6e8

// AppendElapsed appends elapsed whole seconds, rounded, with the unit: "40
// s". From 100 s on it appends minutes and seconds, "1:40 min", from an hour
// on also hours, "1:00:00 h". A time below 0 is 0.
func AppendElapsed(b []byte, seconds float64) []byte {
	if math.IsNaN(seconds) {
		seconds = 0
	}
	n := int(math.Round(min(max(seconds, 0), longest)))
	switch {
	case n < 100:
		return append(strconv.AppendInt(b, int64(n), 10), " s"...)
	case n < 3600:
		return append(appendClock(b, n), " min"...)
	}
	return append(appendClock(b, n), " h"...)
}

// appendClock appends n seconds as a clock does: "4:07", "1:04:07".
func appendClock(b []byte, n int) []byte {
	if n >= 3600 {
		b = append(strconv.AppendInt(b, int64(n/3600), 10), ':')
		b = appendTwo(b, n/60%60)
	} else {
		b = strconv.AppendInt(b, int64(n/60), 10)
	}
	return appendTwo(append(b, ':'), n%60)
}

// appendTwo appends n, 0 to 99, with two digits.
func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// AppendStopwatch appends a running time in milliseconds for a large display,
// and returns its unit. Below a second it moves in steps of ten, so that the
// last digit does not flicker. Then it has two decimals, from 10 s on one,
// from 1000 s on none: "340" ms, "1.24" s, "81.0" s.
func AppendStopwatch(b []byte, ms float64) (_ []byte, unit string) {
	if math.IsNaN(ms) {
		ms = 0
	}
	switch ms = min(max(ms, 0), longest*1e3); {
	case ms < 1000:
		return strconv.AppendInt(b, int64(ms/10)*10, 10), "ms"
	case ms < 9995:
		return strconv.AppendFloat(b, ms/1e3, 'f', 2, 64), "s"
	case ms < 999_950:
		return strconv.AppendFloat(b, ms/1e3, 'f', 1, 64), "s"
	}
	return AppendCount(b, int(math.Round(ms/1e3))), "s"
}

// AppendSeconds appends a time on an axis, in seconds with exactly that many
// decimals: "2.000 s". NaN is 0. The range ends at ±10⁹ s.
func AppendSeconds(b []byte, seconds float64, decimals int) []byte {
	if math.IsNaN(seconds) {
		seconds = 0
	}
	if seconds < 0 {
		b, seconds = append(b, Minus...), -seconds
	}
	return append(strconv.AppendFloat(b, min(seconds, 1e9), 'f', decimals, 64), " s"...)
}
