//go:build !windows

package history

import (
	"errors"
	"syscall"
)

// advice returns what a person can do about err, "" without an idea.
func advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "; free space there, or switch it off with --no-history"
	}
	return ""
}
