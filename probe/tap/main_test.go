package tap_test

import (
	"testing"

	"go.uber.org/goleak"

	"tokscope/probe/probetest"
)

func TestMain(m *testing.M) {
	probetest.WaitTogether(4)
	goleak.VerifyTestMain(m)
}
