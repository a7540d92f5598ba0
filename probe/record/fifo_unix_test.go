//go:build !windows

package record_test

import (
	"syscall"
	"testing"
)

// mkfifo makes a FIFO; false where the system has none.
func mkfifo(t *testing.T, path string) bool {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
