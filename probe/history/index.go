package history

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/probe/files"
)

// The index is a copy of the table, read in place of all lines before its offset: a line
// of JSON, the memory of the rows, and the sum of both. Who reads many lines behind that,
// in whichever command, writes it.
const (
	indexName   = "index"
	indexFormat = "tokscope history index 3"
	// indexAfter is the size of the lines that the index lacks, from which it is
	// written anew: they take some 10 ms to read.
	indexAfter = 512 << 10
	// indexEvery is how long lines are read before what they hold is written: a
	// command that ends before it has read all leaves less to the next.
	indexEvery = 300 * time.Millisecond
	// indexRoom is how much larger an index may be than the lines that it stands for.
	indexRoom = 64 << 10
)

// indexHead is the first line of the index.
type indexHead struct {
	Format                  string
	RowSize                 int
	Head                    []byte // of the file
	Offset                  int64  // of the file, that the index covers
	Damaged, Newer, LeftOut int
	Texts                   []string
	Series                  []history.Series
}

// checksum is the end of the index.
type checksum [4]byte

// sumOf returns the sum of all before it.
func sumOf(parts ...[]byte) (sum checksum) {
	crc := uint32(0)
	for _, part := range parts {
		crc = crc32.Update(crc, crc32.MakeTable(crc32.Castagnoli), part)
	}
	binary.LittleEndian.PutUint32(sum[:], crc)
	return sum
}

// saveIndex writes the index of all lines that were read, so that nobody reads them
// again: s.mu is held. It waits for nobody.
func (s *Store) saveIndex() error {
	unlock, err := s.lock(0)
	if err != nil {
		return err
	}
	defer unlock()
	if info, err := os.Lstat(s.Path()); err != nil || !os.SameFile(info, s.file) {
		return err // it was rewritten, with an index
	}
	return s.writeIndex()
}

// writeIndex is saveIndex under the lock, for a file that nobody has rewritten.
func (s *Store) writeIndex() error {
	t := &s.table
	index, err := json.Marshal(indexHead{indexFormat, rowSize, s.head, s.offset, s.damaged, s.newer, s.leftOut,
		t.texts.list, t.series.list})
	if err != nil {
		return err
	}
	index = append(slices.Grow(index, len(t.order)*rowSize+5), '\n')
	for _, i := range t.order {
		index = append(index, bytesOf(t.rows[i:i+1])...)
	}
	sum := sumOf(index)
	if err = s.replace(indexName, append(index, sum[:]...), false); err == nil {
		s.indexed = s.offset
	}
	return err
}

// readIndex fills the empty table from the index, if it fits the file of that
// size; else the lines have all: s.mu is held.
func (s *Store) readIndex(size int64) {
	f, err := files.Open(s.path(indexName), os.O_RDONLY)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() > size+indexRoom {
		return
	}
	in := bufio.NewReaderSize(f, 256<<10)
	head, err := in.ReadBytes('\n')
	room := int(info.Size()) - len(head) - len(checksum{})
	if err != nil || room < 0 || room%rowSize != 0 {
		return
	}
	n := room / rowSize
	rows, sum := make([]row, n, n+indexAfter/rowSize), checksum{} // with room for those of further lines
	for _, part := range [][]byte{bytesOf(rows), sum[:]} {
		if _, err := io.ReadFull(in, part); err != nil {
			return
		}
	}
	var h indexHead
	if sum != sumOf(head, bytesOf(rows)) || json.Unmarshal(head, &h) != nil || h.Format != indexFormat ||
		h.RowSize != rowSize || !bytes.Equal(h.Head, s.head) || h.Offset < 0 || h.Offset > size {
		return
	}
	t := &s.table
	t.rows = rows
	t.texts, t.series = numberedOf(h.Texts...), numberedOf(h.Series...)
	t.order = make([]int32, n)
	for i := range t.order {
		t.order[i] = int32(i)
		if !t.valid(&t.rows[i]) {
			t.reset()
			return
		}
	}
	s.offset, s.indexed = h.Offset, h.Offset
	s.damaged, s.newer, s.leftOut = h.Damaged, h.Newer, h.LeftOut
	s.note(t.order, true)
}

// valid reports whether all that r refers to is there.
func (t *table) valid(r *row) bool {
	return int(r.series) < len(t.series.list) && r.state <= metrics.Cancelled &&
		int(slices.Max(r.texts[:])) < len(t.texts.list)
}
