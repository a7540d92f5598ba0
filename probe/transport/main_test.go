package transport_test

import (
	"testing"

	"go.uber.org/goleak"

	"tokscope/probe/script"
)

func TestMain(m *testing.M) {
	script.Main()
	goleak.VerifyTestMain(m)
}
