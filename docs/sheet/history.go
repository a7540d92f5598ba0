//go:build !windows

package main

import (
	"fmt"
	"path/filepath"
	"time"

	"tokscope/probe/history"
	"tokscope/ui/uitest"
)

// fill puts a week of a simulated watch of four targets into the history below a
// folder of state, with its change points. One of the targets doubled its TTFT six
// hours ago. It returns what to look at.
func fill(state string) (string, error) {
	dir, err := filepath.Abs(state)
	if err != nil {
		return "", err
	}
	store, err := history.Open(history.Dir(dir), history.Options{})
	if err != nil {
		return "", err
	}
	watch := uitest.AWeek(time.Now().UTC().Truncate(time.Minute), 2*time.Minute)
	entries := watch.Entries()
	if err := store.Append(entries...); err != nil {
		return "", err
	}
	if err := store.Maintain(func() bool { return false }); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d entries in %s", len(entries), store.Path()), nil
}
