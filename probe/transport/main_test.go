package transport_test

import (
	"testing"

	"go.uber.org/goleak"

	"tokscope/probe/probetest"
)

func TestMain(m *testing.M) {
	probetest.Main()
	goleak.VerifyTestMain(m)
}
