package lessons

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/explain"
)

// The tour remembers where somebody was; what it cannot read is the beginning;
// without a folder nothing is written.
func TestPlaceIsRemembered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	a := New(dir, nil)
	testkit.Is(t, a.At(), 1, "begins at")
	a.Go(4)
	a.Wait()
	a.Go(0)
	if a.At() != 4 || a.View().On {
		t.Errorf("left at %d, %v", a.At(), a.View().On)
	}
	testkit.Is(t, New(dir, nil).At(), 4, "the next session begins at")
	files, _ := os.ReadDir(dir)
	testkit.That(t, len(files) == 1 && files[0].Name() == placeFile, "the folder holds %v", files)
	for _, broken := range []string{"", "{", "[1]", `{"lesson":7}`, `{"lesson":"unheard of"}`, "\x00\xff"} {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, placeFile), []byte(broken), 0o600))
		testkit.Is(t, New(dir, nil).At(), 1, "from", broken, "it begins at")
	}
	b := New("", nil)
	b.Go(3)
	b.Wait()
	testkit.Is(t, b.At(), 3, "in memory it is at")
	// A folder that cannot be written disturbs nobody.
	c := New(filepath.Join(dir, placeFile, "no folder"), nil)
	c.Go(2)
	c.Wait()
	testkit.Is(t, c.At(), 2, "at")
}

// Lessons and stages that do not exist change nothing; what was measured with
// other knobs is not a stage's; a lesson has its titles at once and its texts
// when they are computed.
func TestTourHoldsItsPlace(t *testing.T) {
	tour := New("", nil)
	defer tour.Wait()
	if _, ok := tour.Stage(0); ok {
		t.Error("a stage of no lesson")
	}
	k, ok := tour.Go(4)
	testkit.Given(t, ok && k.Users == 1, "%v %+v", ok, k)
	if v := tour.View(); !v.On || v.Lesson.Title == "" || len(v.Lesson.Stages) != 3 || len(v.Seen) != v.Lessons {
		t.Errorf("%+v", v)
	}
	for _, n := range []int{-1, len(lessons) + 1} {
		if _, ok := tour.Go(n); ok || tour.At() != 4 {
			t.Errorf("lesson %d: %v, at %d", n, ok, tour.At())
		}
	}
	for _, i := range []int{-1, 3} {
		if _, ok := tour.Stage(i); ok {
			t.Errorf("stage %d of three", i)
		}
	}
	other := k
	other.Prompt++
	tour.Observe(other, explain.Measured{Progress: 1, Complete: true})
	testkit.Is(t, tour.View().Progress, 0, "progress … by other knobs")
	k.Time = 1 // the speed of time is nobody's knob
	tour.Observe(k, explain.Measured{Progress: 0.5})
	testkit.Is(t, tour.View().Progress, 0.5, "progress")
	tour.ended.Wait()
	v := tour.View()
	if !v.Ready || v.Lesson.Claim == "" || v.Verdict != "" || len(v.Curve) < 9 || v.Rows[0].Measured[1].OK ||
		v.Rows[0].Measured[1].Why == 0 {
		t.Errorf("%+v", v)
	}
	for _, p := range v.Curve {
		testkit.That(t, p.Speed.OK && p.Total.OK && !p.Measured, "point %+v", p)
	}
	testkit.Is(t, len(Titles()), len(lessons), "titles")
}

// Figures of users who lost time outside of the engine are marked: what they
// show is not what the stage says.
func TestALateMachineIsSaid(t *testing.T) {
	tour := New("", nil)
	defer tour.Wait()
	tour.Go(4)
	tour.ended.Wait()
	for _, present := range []float64{1, 0.5} {
		for i := range tour.View().Lesson.Stages {
			k, _ := tour.Stage(i)
			o := testkit.Must(explain.Play(t.Context(), k, explain.Objectives{}))(t)
			o.Measured.Present.V = present
			tour.Observe(k, o.Measured)
		}
		v := tour.View()
		testkit.That(t, v.Holds && strings.Contains(v.Verdict, "could not keep up") == (present < 1),
			"present %v: %q", present, v.Verdict)
	}
}

// A lesson counts as seen once its verdict was, not before all of its stages are
// measured for long enough, and that is remembered.
func TestSeenIsRemembered(t *testing.T) {
	dir := t.TempDir()
	tour := New(dir, nil)
	tour.Go(8)
	tour.ended.Wait()
	known := func(v float64) metrics.Value { return metrics.Known(v, 50) }
	f := explain.Measured{EngineFigures: serving.EngineFigures{Requests: 50, Gap50: known(7)}, KVRead: known(0.1),
		Progress: 1}
	for i := range tour.View().Lesson.Stages {
		k, _ := tour.Stage(i)
		f.Complete = false
		tour.Observe(k, f)
		if v := tour.View(); v.Progress >= 1 || v.Verdict != "" {
			t.Errorf("stage %d counts before everybody was there: %v, %q", i, v.Progress, v.Verdict)
		}
		f.Complete, f.Requests = true, 3
		tour.Observe(k, f)
		if v := tour.View(); v.Progress >= 1 || v.Verdict != "" {
			t.Errorf("stage %d counts after %d requests of %d users: %v", i, f.Requests, k.Users, v.Progress)
		}
		testkit.That(t, !New(dir, nil).View().Seen[7], "seen before stage %d", i)
		f.Requests = 50
		tour.Observe(k, f)
	}
	tour.Wait()
	if v := tour.View(); v.Verdict == "" || !v.Seen[7] || !New(dir, nil).View().Seen[7] || New(dir, nil).View().Seen[6] {
		t.Errorf("seen %v, in the folder %v", v.Seen, New(dir, nil).View().Seen)
	}
}
