//go:build !windows

package main

import (
	"strings"
	"time"

	"tokscope/ui/svg"
	"tokscope/ui/uitest/vterm"
)

// explainPicture shows the Explain screen without the tour.
var explainPicture = picture{"explain", 120, 40, nil, svg.Dark, laidOpen}

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

// lessonPicture shows the lesson of the seesaw after all its stages are shown
// and measured.
func lessonPicture(program, dir string) error {
	x, err := start(program, dir, 120, 40, []string{"tour", "--lesson", "4", "--record=false"})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := throughStages(x); err != nil {
		return err
	}
	return save(x, "tour", svg.Dark)
}

// judged reports whether the present stage of the lesson is measured. After
// the last stage it means that the lesson has its verdict.
func judged(x *vterm.Term) bool {
	s := x.Screen()
	if strings.Contains(s, "✓ measured") {
		return true
	}
	return strings.Contains(s, "enter next lesson") && !strings.Contains(s, "measuring ")
}

// stagePatience limits the measurement of a stage.
const stagePatience = 2 * time.Minute

// throughStages shows every stage of a lesson, as enter does, until its verdict.
func throughStages(x *vterm.Term) error {
	for {
		time.Sleep(2 * time.Second) // until the screen is that of the stage
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
	}
}
