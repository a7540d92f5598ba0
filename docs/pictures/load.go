//go:build !windows

package main

import (
	"time"

	"tokscope/ui/svg"
)

// loadPicture shows the Load screen at 64 users. The points of 1 and 8 users
// before it give the chart its path.
func loadPicture(program, dir string) error {
	x, err := start(program, dir, 120, 40, []string{"--record=false"})
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
		keys  []string
		words string
		wait  time.Duration // until the point is steady
	}{
		{nil, "1 user:", 10 * time.Second},
		{[]string{"<right>", "<right>", "<right>"}, "8 users:", 14 * time.Second},
		{[]string{"<right>", "<right>", "<right>"}, "64 users:", 20 * time.Second},
	} {
		if err := x.Keys(step.keys...); err != nil {
			return err
		}
		if err := x.Until(patience, step.words); err != nil {
			return err
		}
		time.Sleep(step.wait)
	}
	return save(x, "load", svg.Dark)
}
