//go:build !windows

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// fill puts a week of a watch in virtual time into the history below a folder of
// state. Virtual time needs a test, so TestWeek writes it.
func fill(state string) (string, error) {
	dir, err := filepath.Abs(state)
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "test", "tokscope/docs/sheet", "-count=1", "-run", "^TestWeek$", "-v", "-args", "-into", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("write a week: %w\n%s", err, out)
	}
	return string(out), nil
}
