//go:build !windows

package main

import (
	"fmt"
	"strings"
	"time"

	"tokscope/ui/uitest/vterm"
)

// lessons is how many the tour has.
const lessons = 11

// explainPictures are of the Explain screen without the tour.
var explainPictures = []picture{
	{"explain-120x40", 120, 40, nil, vterm.Dark, laidOpen},
	{"explain-80x24", 80, 24, nil, vterm.Dark, laidOpen},
	{"explain-200x50", 200, 50, nil, vterm.Dark, laidOpen},
}

// laidOpen shows the Explain screen, waits until the first requests have
// ended, and pauses, so that a step can be studied.
func laidOpen(x *vterm.Term) error {
	if err := x.Until(patience, "decoding"); err != nil {
		return err
	}
	if err := x.Keys("4"); err != nil {
		return err
	}
	time.Sleep(20 * time.Second)
	return x.Keys(" ")
}

// lesson takes lesson n when all its stages are shown and measured.
func lesson(program, dir string, n int) error {
	x, err := start(program, dir, 120, 40, []string{"tour", "--lesson", fmt.Sprint(n), "--record=false"})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := throughStages(x); err != nil {
		return err
	}
	return save(x, fmt.Sprintf("tour-%02d-120x40", n), vterm.Dark)
}

// judged reports whether the present stage of the lesson is measured; after the
// last one the lesson has its verdict.
func judged(x *vterm.Term) bool {
	s := x.Screen()
	return strings.Contains(s, "lesson ") && !strings.Contains(s, "measuring ") && !strings.Contains(s, "being computed")
}

// stagePatience limits the measurement of a stage.
const stagePatience = 2 * time.Minute

// throughStages shows every stage of a lesson, as enter does, until its verdict.
func throughStages(x *vterm.Term) error {
	for {
		if err := x.Until(patience, "lesson ", " of "); err != nil {
			return err
		}
		if err := x.Wait("a stage measured", stagePatience, func() bool { return judged(x) }); err != nil {
			return err
		}
		rows := strings.Split(strings.TrimRight(x.Screen(), "\n"), "\n")
		foot := rows[len(rows)-1]
		if !strings.Contains(foot, "enter ") || strings.Contains(foot, "enter next lesson") {
			return nil
		}
		if err := x.Keys("<enter>"); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}
