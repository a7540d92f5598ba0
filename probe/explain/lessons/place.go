package lessons

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"tokscope/probe/files"
)

// placeFile stores the tour's progress, in the state directory.
const placeFile = "tour.json"

// place is the progress in the tour.
type place struct {
	// Lesson is the key of the last shown lesson. Seen are the lessons shown up
	// to their verdict. Keys stay valid when a lesson is inserted between
	// others.
	Lesson string   `json:"lesson"`
	Seen   []string `json:"seen,omitempty"`
}

// load reads the progress from a directory. A missing, unreadable or invalid
// file means the beginning; "" keeps it in memory only.
func load(dir string) (at int, seen []bool) {
	seen = make([]bool, len(lessons))
	if dir == "" {
		return 1, seen
	}
	data, err := os.ReadFile(filepath.Join(dir, placeFile))
	var p place
	if err != nil || json.Unmarshal(data, &p) != nil {
		return 1, seen
	}
	at = 1
	for i, l := range lessons {
		if l.key == p.Lesson {
			at = i + 1
		}
		seen[i] = slices.Contains(p.Seen, l.key)
	}
	return at, seen
}

// save writes the progress, completely or not at all. It ignores errors: the
// tour then starts at the beginning next time.
func save(dir string, at int, seen []bool) {
	if dir == "" {
		return
	}
	p := place{Lesson: lessons[at-1].key}
	for i, l := range lessons {
		if seen[i] {
			p.Seen = append(p.Seen, l.key)
		}
	}
	data, err := json.Marshal(p)
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	_ = files.Replace(filepath.Join(dir, placeFile), false, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	})
}
