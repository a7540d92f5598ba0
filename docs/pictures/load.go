//go:build !windows

package main

import (
	"fmt"
	"time"

	"tokscope/ui/uitest/vterm"
)

// loadSeries takes the Load screen at 1, 8, 64 and 256 users in one run: the
// path grows from picture to picture, and at 256 the objective is broken.
func loadSeries(program, dir string, cols, rows int) error {
	x, err := start(program, dir, cols, rows, []string{"--record=false"})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Until(patience, "decoding"); err != nil {
		return err
	}
	if err := x.Keys("2"); err != nil {
		return err
	}
	for _, step := range []struct {
		users int
		keys  []string
		words string
		wait  time.Duration
	}{
		{1, nil, "1 user:", 10 * time.Second},
		{8, []string{"<right>", "<right>", "<right>"}, "8 users:", 14 * time.Second},
		{64, []string{"<right>", "<right>", "<right>"}, "64 users:", 20 * time.Second},
		{256, []string{"<right>", "<right>"}, "256 users:", 40 * time.Second},
	} {
		if err := x.Keys(step.keys...); err != nil {
			return err
		}
		if err := x.Until(patience, step.words); err != nil {
			return err
		}
		time.Sleep(step.wait) // until the point is steady
		if err := save(x, fmt.Sprintf("load-%d-%dx%d", step.users, cols, rows), vterm.Dark); err != nil {
			return err
		}
	}
	return nil
}
