package history

import (
	"errors"

	"golang.org/x/sys/windows"
)

// advice returns what a person can do about err, "" without an idea.
func advice(err error) string {
	if errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) {
		return "; free space there, or switch it off with --no-history"
	}
	return ""
}
