//go:build !windows

package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"tokscope/ui/journey/vterm"
)

// lessons is how many the tour has.
const lessons = 11

// explainPictures are of the Explain screen without the tour.
var explainPictures = []picture{
	{"explain-120x40", 120, 40, nil, vterm.Dark, laidOpen},
	{"explain-80x24", 80, 24, nil, vterm.Dark, laidOpen},
	{"explain-200x50", 200, 50, nil, vterm.Dark, laidOpen},
}

// laidOpen goes to the Explain screen, adds a few users and stops the time, so
// that a step can be looked at.
func laidOpen(x *vterm.Term) error {
	if err := x.Until(patience, "decoding"); err != nil {
		return err
	}
	if err := x.Keys("4"); err != nil {
		return err
	}
	time.Sleep(6 * time.Second)
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

// measured is what the lesson's panel shows of a stage that is measured while
// others are to come; after the last the verdict takes its place.
var measured = regexp.MustCompile(`measuring .*100 %`)

// stagePatience bounds how long a stage takes to be measured.
const stagePatience = 2 * time.Minute

// throughStages shows every stage of a lesson, as enter does, until its verdict.
func throughStages(x *vterm.Term) error {
	for {
		if err := x.Until(patience, "lesson ", " of "); err != nil {
			return err
		}
		done := func() bool { s := x.Screen(); return !strings.Contains(s, "measuring ") || measured.MatchString(s) }
		if err := x.Wait("a stage measured", stagePatience, done); err != nil {
			return err
		}
		rows := strings.Split(strings.TrimRight(x.Screen(), "\n"), "\n")
		foot := rows[len(rows)-1]
		if !strings.Contains(foot, "enter ") || strings.Contains(foot, "enter next lesson") {
			return x.Wait("the verdict", stagePatience, func() bool { return !strings.Contains(x.Screen(), "measuring ") })
		}
		if err := x.Keys("<enter>"); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}
