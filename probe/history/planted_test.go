package history

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/files"
)

// TestPlantedFiles holds that nothing is read or written through a link that another
// user planted in the store's folder, under each name of the store and under the names
// of unfinished files.
func TestPlantedFiles(t *testing.T) {
	for _, name := range []string{"lock", fileName, saltName, indexName, baselinesName, changesName} {
		for _, planted := range []string{name, name + ".part"} {
			s := opened(t, t0.Add(time.Hour))
			for n := range 10 {
				add(t, s, sample(n, t0.Add(time.Duration(n)*time.Minute), "groq", 270))
			}
			victim := filepath.Join(t.TempDir(), "victim")
			testkit.OK(t, os.WriteFile(victim, []byte("of another"), 0o600))
			path := s.path(planted)
			_ = os.Remove(path)
			if err := os.Symlink(victim, path); err != nil {
				t.Skip(err)
			}
			s = openedAt(t, s.dir, t0.Add(time.Hour)) // errors are right, for a while: nothing else may happen
			_ = s.Append(sample(10, t0.Add(10*time.Minute), "groq", 270))
			key := s.readSalt()
			_, _ = s.SetBaseline("usual", sample(0, t0, "groq", 0).Series, time.Time{}, time.Time{})
			_ = s.keepChanges(map[history.Series]*seriesChanges{sample(0, t0, "groq", 0).Series: {}})
			_ = indexed(s)
			_, _ = s.View(history.Query{})
			_, _ = s.Remove(history.Query{Filter: "endpoint:groq", From: t0.Add(9 * time.Minute)})
			if got, err := os.ReadFile(victim); string(got) != "of another" || string(key) == "of another" {
				t.Errorf("%s leads out of the store: the file there has %q, %v", planted, got, err)
			}
			v, err := openedAt(t, s.dir, t0.Add(time.Hour)).View(history.Query{})
			switch planted {
			case fileName, baselinesName:
				testkit.That(t, errors.Is(err, files.ErrNotRegular), "a planted %s is read: %v", planted, err)
			case "lock": // nothing can be written
			default:
				testkit.That(t, err == nil && v.All == 9, "with a planted %s the store has %d entries, %v", planted, v.All, err)
			}
		}
	}
}
