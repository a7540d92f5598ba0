package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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

// entryStart begins the line of an entry, as this program writes it. Its ID follows.
const entryStart = `{"type":"entry","v":1,"id":"`

// keyOf returns what a line is, and the ID of an entry. The values of a line of this
// program are not read for that, which would take twenty times as long.
func keyOf(line []byte) (key id, kind lineKind) {
	rest, ours := bytes.CutPrefix(line, []byte(entryStart))
	if digits, _, closed := bytes.Cut(rest, []byte(`"`)); ours && closed {
		if key, ok := parseID(string(digits)); ok {
			return key, lineEntry
		}
	}
	kind, e, _ := parseLine(line)
	key, _ = parseID(e.ID)
	return key, kind
}

// eachLine calls f with each line of r, without its end, until that returns false. It
// returns the size of those lines, and that of what follows the last one without an end.
// Of a line that is longer than maxLine f gets the beginning, which is longer too.
func eachLine(r *bufio.Reader, f func(line []byte) bool) (whole, rest int64, err error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		rest += int64(len(part))
		if len(line) <= maxLine+1 {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return whole, rest, nil
		case err != nil:
			return whole, rest, err
		}
		whole, rest = whole+rest, 0
		if !f(line[:len(line)-1]) {
			return whole, 0, nil
		}
		line = line[:0]
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
	if err := s.readTail(); err != nil || !s.partial {
		return err
	}
	unlock, err := s.lock(200 * time.Millisecond) // the last line may be in the middle of being written
	if err != nil {
		return nil
	}
	defer unlock()
	return s.readTail()
}

// readTail reads the file from offset on. It starts anew where the file is not the one
// that was read.
func (s *Store) readTail() error {
	f, err := files.Open(s.Path(), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := s.checkHead(f, info.Size()); err != nil {
		return err
	}
	s.file = info
	return s.addLines(io.NewSectionReader(f, s.offset, max(info.Size()-s.offset, 0)))
}

// maxFile bounds the file: far above all that is kept and imported at once.
const maxFile = 4 << 30

// headBytes is more than the head of a file has.
const headBytes = 512

// checkHead forgets what was read if the file has another head: each rewriting
// gives it a new one.
func (s *Store) checkHead(f io.ReaderAt, size int64) error {
	if size > maxFile {
		return fmt.Errorf("%s has %d MB, more than any history: move it away", s.Path(), size>>20)
	}
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

// addLines adds the lines of r, which are those of the file from offset on, to the table,
// and writes the index where they are many: s.mu is held.
func (s *Store) addLines(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		from, began := len(s.table.rows), time.Now()
		stopped := false
		whole, rest, err := eachLine(in, func(line []byte) bool {
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
			stopped = time.Since(began) > s.indexEvery
			return !stopped
		})
		if whole > 0 {
			s.generation++
		}
		s.offset += whole
		s.partial = rest > 0
		added, atEnd := s.table.arrange(from)
		s.note(added, atEnd)
		if s.offset-s.indexed > indexAfter {
			_ = s.saveIndex() // else the next one does
		}
		if err != nil || !stopped {
			return err
		}
	}
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
}
