package history

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"

	"tokscope/metrics/history"
	"tokscope/probe/files"
)

// The index is a copy of the table. It is written when the lines behind it have
// become many, and read in place of all lines before them.
const (
	indexName  = "index"
	indexMagic = "tokscope history index 1\n"
	// indexAfter is the size of the lines that the index lacks, from which it is
	// written anew: they take some 10 ms to read.
	indexAfter = 512 << 10
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

// encodeIndex returns the index of the table: s.mu is held.
func (s *Store) encodeIndex() []byte {
	t := &s.table
	head, err := json.Marshal(indexHead{s.head, s.offset, s.damaged, s.newer, s.leftOut, t.texts, t.series, len(t.order)})
	if err != nil {
		return nil
	}
	out := make([]byte, 0, len(indexMagic)+4+len(head)+len(t.order)*rowSize+4)
	out = append(out, indexMagic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	out = append(out, head...)
	for _, i := range t.order {
		out = append(out, t.row(i)...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli()))
}

// readIndex fills the empty table from the index, if it fits the file of that
// size; else the lines have all: s.mu is held.
func (s *Store) readIndex(size int64) {
	data, err := files.Read(s.path(indexName))
	if err != nil || len(data) < len(indexMagic)+8 || !bytes.HasPrefix(data, []byte(indexMagic)) {
		return
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli()) != sum {
		return
	}
	rest := body[len(indexMagic):]
	n := int(binary.LittleEndian.Uint32(rest))
	if n > len(rest)-4 {
		return
	}
	var h indexHead
	if json.Unmarshal(rest[4:4+n], &h) != nil || !bytes.Equal(h.Head, s.head) || h.Offset < 0 || h.Offset > size {
		return
	}
	rows := rest[4+n:]
	if len(rows)%rowSize != 0 || len(rows)/rowSize != h.Rows {
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
	if int(t.seriesAt(i)) >= len(t.series) {
		return false
	}
	for k := range 6 {
		if int(binary.LittleEndian.Uint32(r[rowTexts+4*k:])) >= len(t.texts) {
			return false
		}
	}
	return true
}
