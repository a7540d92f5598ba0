package transport_test

import (
	"runtime"
	"testing"

	"tokscope/probe/transport"
)

func TestSpareProcs(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	t.Setenv("GOMAXPROCS", "3")
	transport.SpareProcs()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("GOMAXPROCS is %d against the person's will", got)
	}
	t.Setenv("GOMAXPROCS", "")
	transport.SpareProcs()
	if got := runtime.GOMAXPROCS(0); got != transport.Procs() || got < 4 || got <= runtime.NumCPU() {
		t.Errorf("GOMAXPROCS is %d on %d CPUs", got, runtime.NumCPU())
	}
}
