package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"tokscope/probe/filelock"
	"tokscope/probe/files"
)

// Beginnings of the lines of a file of finished steps, as write makes them.
const (
	headPrefix = `{"type":"sweep","schema":"` + SweepFileSchema + `",`
	runPrefix  = `{"type":"run",`
	stepPrefix = `{"type":"step",`
)

// sweepFamily begins the schemas of all versions of the format.
const sweepFamily = "tokscope/sweep-steps/"

// SweepRefused reports that a file cannot keep finished steps. The file is
// unchanged.
type SweepRefused struct {
	Path string
	Why  string // what the file is
	Next string // what to do
}

// Error implements error.
func (r *SweepRefused) Error() string { return r.Path + " " + r.Why + ": " + r.Next }

// anotherFile is the advice for a file that is not ours.
const anotherFile = "give another file to --resume"

// OpenSweep opens the file at path, or creates it, readable only by its
// owner, and locks it until Close. It changes no file that it refuses: one
// that another sweep holds, that is not a file of finished steps, or that
// belongs to another workload, endpoint, load or objective (*SweepMismatch).
func OpenSweep(path, version string, now time.Time, key SweepKey) (*SweepFile, error) {
	f, err := openSteps(path)
	if err != nil {
		return nil, err
	}
	s := &SweepFile{path: path, f: f, out: f}
	if err := s.begin(version, now, key); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// openSteps opens path for appending, or creates it. It never opens what is
// not a regular file: a FIFO would wait, a link may lead anywhere.
func openSteps(path string) (*os.File, error) {
	have, err := os.Lstat(path)
	verb, next := "opened for writing", "change its permissions, or "+anotherFile
	switch {
	case errors.Is(err, fs.ErrNotExist):
		verb, next = "created", "check the folder, or "+anotherFile
	case err != nil:
		return nil, &SweepRefused{path, "cannot be opened (" + cause(err) + ")", anotherFile}
	default:
		if err := regular(path, have); err != nil {
			return nil, err
		}
	}
	f, err := files.Open(path, os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, &SweepRefused{path, "cannot be " + verb + " (" + cause(err) + ")", next}
	}
	return f, nil
}

// regular refuses what is not a writable regular file.
func regular(path string, have fs.FileInfo) error {
	switch mode := have.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return &SweepRefused{path, "is a symbolic link", "give the file that it leads to"}
	case mode.IsDir():
		return &SweepRefused{path, "is a folder", "give a file in it"}
	case !mode.IsRegular():
		return &SweepRefused{path, "is not a regular file", anotherFile}
	case mode.Perm()&0o222 == 0:
		return &SweepRefused{path, "is read-only", "make it writable, or " + anotherFile}
	}
	return nil
}

// cause returns the innermost text of an error of a file.
func cause(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// begin locks the file, reads it and writes its first lines.
func (s *SweepFile) begin(version string, now time.Time, key SweepKey) error {
	if err := s.lock(); err != nil {
		return err
	}
	empty, err := s.load(key)
	if err != nil {
		return err
	}
	at := now.UTC().Format(time.RFC3339Nano)
	host, _ := os.Hostname()
	lines := []any{SweepRun{"run", at, version, os.Getpid(), host}}
	if empty {
		lines = append([]any{SweepHead{"sweep", SweepFileSchema, version, at, key}}, lines...)
	}
	if err := s.write(lines...); err != nil {
		return &SweepRefused{s.path, "cannot be written (" + cause(err) + ")", "free space on its disk, or " + anotherFile}
	}
	return nil
}

// lock locks the file.
func (s *SweepFile) lock() error {
	err := filelock.Try(s.f)
	if errors.Is(err, filelock.ErrLocked) {
		return &SweepRefused{s.path, "is in use by another program", "wait for its end, or " + anotherFile}
	}
	if err != nil {
		s.warning = fmt.Sprintf("%s is not locked (%s): let no other sweep use it meanwhile", s.path, cause(err))
	}
	return nil
}

// load reads the file. It removes nothing but the cut last line of an earlier
// run. empty means that the file needs a head.
func (s *SweepFile) load(key SweepKey) (empty bool, err error) {
	br := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, 1<<40), 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		if err != nil && err != io.EOF {
			return false, s.notOurs(n, err.Error())
		}
		if err == io.EOF {
			return n == 1, s.tail(n, line)
		}
		if err := s.readLine(n, line, key); err != nil {
			return false, err
		}
		s.size += int64(len(line)) + 1
	}
}

// tail handles the rest of the file after its last line end: line n.
func (s *SweepFile) tail(n int, rest []byte) error {
	text := string(bytes.TrimRight(rest, "\x00")) // blocks that never reached the disk
	if len(rest) == 0 {
		return nil
	}
	if n == 1 {
		if !strings.HasPrefix(text, headPrefix) {
			return s.notOurs(1, "")
		}
		return s.cut()
	}
	var l SweepLine
	if len(text) == len(rest) && Unmarshal(rest, &l) == nil && l.Type == "step" {
		// Only its line end is missing.
		if _, err := s.f.Write([]byte("\n")); err != nil {
			return &SweepRefused{s.path, "cannot be written (" + cause(err) + ")", "free space on its disk, or " + anotherFile}
		}
		s.size += int64(len(rest)) + 1
		s.have = append(s.have, l)
		return nil
	}
	for _, p := range []string{runPrefix, stepPrefix} {
		if strings.HasPrefix(text, p) || strings.HasPrefix(p, text) {
			return s.cut()
		}
	}
	return s.damaged(n)
}

// cut removes the cut last line.
func (s *SweepFile) cut() error {
	if err := filelock.Truncate(s.f, s.path, s.size); err != nil {
		return &SweepRefused{s.path, "ends with a cut line that cannot be removed (" + cause(err) + ")", anotherFile}
	}
	return nil
}

// readLine reads complete line n.
func (s *SweepFile) readLine(n int, line []byte, key SweepKey) error {
	if n == 1 {
		var h SweepHead
		if err := Unmarshal(line, &h); err != nil || h.Type != "sweep" || !strings.HasPrefix(h.Schema, sweepFamily) {
			return s.notOurs(1, "")
		}
		if h.Schema != SweepFileSchema {
			return &SweepRefused{s.path, fmt.Sprintf("has the format %q, which this version does not write", h.Schema),
				"use the version that wrote it, or " + anotherFile}
		}
		if diff := difference(h.Key, key); diff != "" {
			return &SweepMismatch{s.path, diff}
		}
		return nil
	}
	var l SweepLine
	if err := Unmarshal(line, &l); err != nil || l.Type != "step" && l.Type != "run" {
		return s.damaged(n)
	}
	if l.Type == "step" {
		s.have = append(s.have, l)
	}
	return nil
}

// notOurs refuses a file that no sweep has written. why is "" when its first
// line says so.
func (s *SweepFile) notOurs(n int, why string) error {
	if why == "" {
		why = fmt.Sprintf("does not say %q", SweepFileSchema)
	}
	return &SweepRefused{s.path, fmt.Sprintf("is not a file of finished steps (line %d %s)", n, why), anotherFile}
}

// damaged refuses a file of finished steps with a line that is none.
func (s *SweepFile) damaged(n int) error {
	return &SweepRefused{s.path, fmt.Sprintf("is damaged (line %d is not a finished step)", n),
		"remove that line from a copy and give the copy, or " + anotherFile}
}
