package history

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"os"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/probe/files"
)

// The index is a copy of the table, read in place of all lines before its offset. Who
// reads many lines behind that, in whichever command, writes it.
const (
	indexName  = "index"
	indexMagic = "tokscope history index 2\n"
	// indexAfter is the size of the lines that the index lacks, from which it is
	// written anew: they take some 10 ms to read.
	indexAfter = 512 << 10
	// indexEvery is how long lines are read before what they hold is written: a
	// command that ends before it has read all leaves less to the next.
	indexEvery = 300 * time.Millisecond
)

// castagnoli returns the table of the sum. It is made when it is first asked for.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// indexHead is the part of the index that is JSON, before the rows.
type indexHead struct {
	Head                    []byte // of the file
	Offset                  int64  // of the file, that the index covers
	Damaged, Newer, LeftOut int
	Texts                   []string
	Series                  []history.Series
	Rows                    int
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
	head, err := json.Marshal(indexHead{s.head, s.offset, s.damaged, s.newer, s.leftOut, t.texts, t.series, len(t.order)})
	if err != nil {
		return err
	}
	err = s.fill(indexName, false, func(w *bufio.Writer) error {
		sum := crc32.New(castagnoli())
		out := io.MultiWriter(w, sum)
		_, _ = io.WriteString(out, indexMagic) // the first error of w is that of its Flush
		_ = binary.Write(out, binary.LittleEndian, uint32(len(head)))
		_, _ = out.Write(head)
		for _, i := range t.order {
			_, _ = out.Write(t.row(i))
		}
		return binary.Write(w, binary.LittleEndian, sum.Sum32())
	})
	if err == nil {
		s.indexed = s.offset
	}
	return err
}

// indexRoom is how much larger an index may be than the lines that it stands for.
const indexRoom = 64 << 10

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
	sum := crc32.New(castagnoli())
	in := io.TeeReader(bufio.NewReaderSize(f, 256<<10), sum)
	fixed := make([]byte, len(indexMagic)+4)
	if _, err := io.ReadFull(in, fixed); err != nil || !bytes.HasPrefix(fixed, []byte(indexMagic)) {
		return
	}
	n := int64(binary.LittleEndian.Uint32(fixed[len(indexMagic):]))
	length := int(info.Size() - int64(len(fixed)) - n - 4) // of the rows
	if length < 0 || length%rowSize != 0 {
		return
	}
	head := make([]byte, n)
	rows := make([]byte, length, length+indexAfter) // with room for those of further lines
	for _, part := range [][]byte{head, rows} {
		if _, err := io.ReadFull(in, part); err != nil {
			return
		}
	}
	have, last := sum.Sum32(), make([]byte, 4)
	var h indexHead
	if _, err := io.ReadFull(in, last); err != nil || binary.LittleEndian.Uint32(last) != have ||
		json.Unmarshal(head, &h) != nil || !bytes.Equal(h.Head, s.head) ||
		h.Offset < 0 || h.Offset > size || h.Rows != length/rowSize {
		return
	}
	t := &s.table
	t.rows, t.texts, t.series = rows, h.Texts, h.Series
	for i, text := range t.texts {
		t.textOf[text] = uint32(i)
	}
	for i, series := range t.series {
		t.serieOf[series] = uint32(i)
	}
	t.order = make([]int32, h.Rows)
	for i := range t.order {
		t.order[i] = int32(i)
		if !t.valid(int32(i)) {
			t.reset()
			return
		}
	}
	s.offset, s.indexed = h.Offset, h.Offset
	s.damaged, s.newer, s.leftOut = h.Damaged, h.Newer, h.LeftOut
	s.note(t.order, true)
}

// valid reports whether all that row i refers to is there.
func (t *table) valid(i int32) bool {
	r := t.row(i)
	if int(t.seriesAt(i)) >= len(t.series) || metrics.State(r[rowState]) > metrics.Cancelled {
		return false
	}
	for k := range numTexts {
		if int(binary.LittleEndian.Uint32(r[rowTexts+4*k:])) >= len(t.texts) {
			return false
		}
	}
	return true
}
