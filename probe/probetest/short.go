package probetest

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

// TakesTime skips the rest of a test in short mode: `go test -short ./...` is
// the loop while one works, and ends in half a minute. why says what takes the
// time, such as "three seconds of a real stream".
func TakesTime(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: " + why)
	}
}

// Cases returns how many cases a test has that looks for a rare one: few in
// short mode, else all.
func Cases(all, few int) int {
	if testing.Short() {
		return few
	}
	return all
}

// WaitTogether lets each times as many parallel tests run at once as there are
// processors, unless -parallel says how many: for packages whose tests mostly
// wait. Call it in TestMain before the tests run.
func WaitTogether(each int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(each*runtime.GOMAXPROCS(0)))
	}
}
