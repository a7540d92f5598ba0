package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// OpenSweep opens the file at path, or makes it, readable by its owner alone.
// A file of another workload, endpoint, load or objective is refused with a
// *SweepMismatch, anything else with the line that is wrong.
func OpenSweep(path, version string, now time.Time, key SweepKey) (*SweepFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the file of finished steps: %w", err)
	}
	s := &SweepFile{f: f}
	if err := s.load(path, version, now, key); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// load reads what is there and leaves the file ready to be appended to.
func (s *SweepFile) load(path, version string, now time.Time, key SweepKey) error {
	var good int64 // bytes of whole lines
	br := bufio.NewReaderSize(s.f, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		if err == io.EOF {
			break // what stands behind the last line end was cut
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if err := s.take(path, n, line, key); err != nil {
			return err
		}
		good += int64(len(line)) + 1
	}
	if err := s.f.Truncate(good); err != nil {
		return err
	}
	if _, err := s.f.Seek(good, io.SeekStart); err != nil {
		return err
	}
	if good == 0 {
		return s.write(SweepHead{"sweep", SweepFileSchema, version, now.UTC().Format(time.RFC3339Nano), key})
	}
	return nil
}
