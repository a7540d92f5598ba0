//go:build !windows

package session_test

import (
	"syscall"
	"testing"

	"tokscope/metrics/testkit"
)

// mkfifo makes a FIFO; false where the system has none.
func mkfifo(t *testing.T, path string) bool {
	t.Helper()
	testkit.OK(t, syscall.Mkfifo(path, 0o600))
	return true
}
