package app

import (
	"io"

	"tokscope/metrics"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// Recordings opens session files for the commands that show no screen.
type Recordings struct {
	Version   string // of the program
	Sentences result.Sentences
}

// OpenRecordings opens session files, of which "-" is stdin.
func OpenRecordings(files []string, stdin io.Reader) (all []*session.Recording, err error) {
	for _, path := range files {
		rec, err := session.Open(path, stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}

// each calls opened with each file, "-" being stdin, and f with each of its
// requests of that id; 0 is all.
func each(files []string, stdin io.Reader, id int, opened func(*session.Recording), f func(*session.Stream)) error {
	for _, path := range files {
		rec, err := session.Open(path, stdin)
		if err != nil {
			return err
		}
		all, err := rec.Find(id)
		if err != nil {
			return err
		}
		opened(rec)
		for _, q := range all {
			f(session.StreamOf(q))
		}
	}
	return nil
}

// ReplayRuns returns the recorded requests with their figures, computed anew, and
// what the recording lacks of each.
func (r Recordings) ReplayRuns(files []string, stdin io.Reader,
	id int) (runs []metrics.Run, missing []metrics.ReplayMissing, err error) {
	err = each(files, stdin, id, func(*session.Recording) {}, func(s *session.Stream) {
		runs = append(runs, s.Run())
		missing = append(missing, s.Missing)
	})
	return runs, missing, err
}

// ReplayJSON writes the recorded requests with their figures, computed anew.
func (r Recordings) ReplayJSON(out io.Writer, files []string, stdin io.Reader, id int) error {
	d := session.ReplayOf(r.Version)
	err := each(files, stdin, id,
		func(rec *session.Recording) { d.AddFile(rec) }, func(s *session.Stream) {
			v := s.Final()
			d.AddRequest(s.Recorded, &v, s.Missing)
		})
	if err != nil {
		return err
	}
	return r.Sentences.WriteDocument(out, d)
}

// ReplayShare writes a copy of the session file without texts, names and ids. With
// widths texts keep their lengths.
func (r Recordings) ReplayShare(out io.Writer, file string, stdin io.Reader, widths bool) error {
	rec, err := session.Open(file, stdin)
	if err != nil {
		return err
	}
	return session.Share(out, rec, widths)
}
