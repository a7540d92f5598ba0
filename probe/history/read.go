package history

import (
	"bytes"
	"io"
	"os"
	"time"

	"tokscope/metrics/history"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// maxLine bounds a line of the file; an entry has less than 2 kB.
const maxLine = 1 << 20

// lineKind says what a line is.
type lineKind uint8

const (
	lineDamaged lineKind = iota
	lineEmpty
	lineHead
	lineEntry
	lineNewer // in the format of a later version
)

// parseLine reads one line without its end. leftOut is that of a head.
func parseLine(line []byte) (kind lineKind, e history.Entry, leftOut int) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return lineEmpty, e, 0
	}
	var l struct {
		result.HistoryLine
		Schema  string `json:"schema"`
		LeftOut int    `json:"left_out"`
	}
	if len(line) > maxLine || result.Unmarshal(line, &l) != nil {
		return lineDamaged, e, 0
	}
	switch {
	case l.Type == "history" && l.Schema == result.HistoryFileSchema:
		return lineHead, e, max(l.LeftOut, 0)
	case l.Type == "entry" && l.V == result.HistoryLineVersion:
		e, err := l.Of()
		if _, ok := parseID(e.ID); err != nil || !ok {
			return lineDamaged, e, 0
		}
		return lineEntry, e, 0
	case l.Type == "entry" && l.V < result.HistoryLineVersion, l.Type == "":
		return lineDamaged, e, 0
	}
	return lineNewer, e, 0
}

// lines calls f for each line of data, without its end, and returns the size of
// the whole lines: what follows has no end.
func lines(data []byte, f func(line []byte)) (whole int) {
	for {
		n := bytes.IndexByte(data[whole:], '\n')
		if n < 0 {
			return whole
		}
		f(data[whole : whole+n])
		whole += n + 1
	}
}

// refresh reads what has been added to the file since the last time: s.mu is held.
func (s *Store) refresh() error {
	info, err := os.Lstat(s.Path())
	if missing(err) {
		s.forget()
		return nil
	}
	if err != nil {
		return err
	}
	if s.file != nil && os.SameFile(s.file, info) && info.Size() == s.offset && info.ModTime().Equal(s.file.ModTime()) {
		return nil
	}
	tail, info, err := s.readTail()
	if err != nil {
		return err
	}
	s.file = info
	s.addLines(tail)
	return nil
}

// readTail returns the file from offset on. It starts anew where the file is not
// the one that was read. A line without an end may be in the middle of being
// written: then it reads again with the lock.
func (s *Store) readTail() (tail []byte, info os.FileInfo, err error) {
	read := func() error {
		f, err := files.Open(s.Path(), os.O_RDONLY)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if info, err = f.Stat(); err != nil {
			return err
		}
		if err := s.checkHead(f, info.Size()); err != nil {
			return err
		}
		tail, err = io.ReadAll(io.NewSectionReader(f, s.offset, max(info.Size()-s.offset, 0)))
		return err
	}
	if err = read(); err != nil {
		return nil, nil, err
	}
	if n := len(tail); n == 0 || tail[n-1] == '\n' {
		return tail, info, nil
	}
	unlock, lockErr := s.lock(200 * time.Millisecond)
	if lockErr == nil {
		defer unlock()
		err = read()
	}
	return tail, info, err
}

// headBytes is more than the head of a file has.
const headBytes = 512

// checkHead forgets what was read if the file has another head: each rewriting
// gives it a new one.
func (s *Store) checkHead(f io.ReaderAt, size int64) error {
	head := make([]byte, min(size, headBytes))
	if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if n := bytes.IndexByte(head, '\n'); n >= 0 {
		head = head[:n]
	}
	if s.offset == 0 || !bytes.Equal(head, s.head) || size < s.offset {
		s.forget()
		s.head = head
		s.readIndex(size)
	}
	return nil
}

// addLines adds whole lines of the file to the table: s.mu is held.
func (s *Store) addLines(data []byte) {
	from := s.table.len()
	whole := lines(data, func(line []byte) {
		switch kind, e, leftOut := parseLine(line); kind {
		case lineEntry:
			s.table.add(&e)
		case lineHead:
			s.leftOut = leftOut
		case lineDamaged:
			s.damaged++
		case lineNewer:
			s.newer++
		}
	})
	if whole > 0 {
		s.generation++
	}
	s.offset += int64(whole)
	s.partial = whole < len(data)
	added, atEnd := s.table.arrange(from)
	s.note(added, atEnd)
}

// forget drops everything that was read: s.mu is held.
func (s *Store) forget() {
	if s.offset > 0 {
		s.generation++
	}
	s.table.reset()
	s.file, s.head, s.offset, s.indexed = nil, nil, 0, 0
	s.damaged, s.newer, s.leftOut, s.partial = 0, 0, 0, false
	s.series = nil
	s.results.forget()
}
