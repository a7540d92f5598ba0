package wire_test

import (
	"runtime"
	"testing"

	"tokscope/probe/wire"
)

func TestSpareProcs(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	t.Setenv("GOMAXPROCS", "3")
	wire.SpareProcs()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("GOMAXPROCS is %d against the person's will", got)
	}
	t.Setenv("GOMAXPROCS", "")
	wire.SpareProcs()
	if got := runtime.GOMAXPROCS(0); got != wire.Procs() || got < 4 || got <= runtime.NumCPU() {
		t.Errorf("GOMAXPROCS is %d on %d CPUs", got, runtime.NumCPU())
	}
}
