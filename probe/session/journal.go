package session

import (
	"fmt"
	"time"

	"tokscope/metrics"
)

// LeftOut counts the parts dropped from a recording because the disk or the
// pipe was too slow.
type LeftOut struct {
	Events int `json:"events"`     // events and comments
	Reads  int `json:"reads"`      // reads of the body
	Body   int `json:"body_bytes"` // bytes of the body, of --record=raw
}

func (n *LeftOut) add(m LeftOut) {
	n.Events, n.Reads, n.Body = n.Events+m.Events, n.Reads+m.Reads, n.Body+m.Body
}

// omission counts the dropped parts of one request: those not yet reported in
// the recording, and all.
type omission struct{ unsaid, all LeftOut }

// journal builds lines and passes them to a backlog, and counts those it
// refuses. It reports a gap before the next line of the same request. The
// lock of its owner guards it.
type journal struct {
	line
	out  *backlog
	gaps map[int]*omission // by request; only requests with a gap
	lost int               // essential lines dropped
	// written counts the queued bytes.
	written int64
	all     LeftOut // of ended requests
}

// of begins a line of request id.
func (j *journal) of(kind string, id int) {
	j.begin(kind)
	j.int("id", int64(id))
}

// head begins the first line of a session file.
func (l *line) head(version string, started time.Time, system string, raw bool, texts string) {
	l.begin("session")
	l.str("schema", SessionSchema)
	l.str("version", version)
	l.str("started", started.UTC().Format(time.RFC3339Nano))
	l.str("system", system)
	l.bool("bodies_recorded", raw)
	if texts != TextsKept {
		l.str("texts", texts)
	}
}

// firm ends and queues an essential line. It returns false when even the
// reserve was full.
func (j *journal) firm() bool {
	j.end()
	ok := j.put(0, false)
	if !ok {
		j.lost++
	}
	j.b = j.b[:0]
	return ok
}

// put queues the finished lines behind the first bytes, and then forgets all; without
// room for them it returns false.
func (j *journal) put(first int, detail bool) bool {
	ok := j.out.add(j.b[first:], detail)
	if ok {
		j.written += int64(len(j.b) - first)
		j.b = j.b[:0]
	}
	return ok
}

// detail queues the finished lines of request id, or counts them as dropped.
func (j *journal) detail(id int, count LeftOut) {
	if gap := j.gaps[id]; gap != nil && gap.unsaid != (LeftOut{}) {
		lines := len(j.b)
		j.leftOut(id, gap.unsaid)
		j.b = append(j.b, j.b[:lines]...) // the gap first
		if j.put(lines, true) {
			gap.unsaid = LeftOut{}
			return
		}
	} else if j.put(0, true) {
		return
	}
	j.omit(id, count)
}

// omit drops the finished lines of request id and counts them.
func (j *journal) omit(id int, count LeftOut) {
	j.b = j.b[:0]
	gap := j.gaps[id]
	if gap == nil {
		gap = &omission{}
		j.gaps[id] = gap
	}
	gap.unsaid.add(count)
	gap.all.add(count)
}

// leftOut writes a line that reports the dropped parts of request id.
func (j *journal) leftOut(id int, n LeftOut) {
	j.of("left_out", id)
	j.int("events", int64(n.Events))
	j.int("reads", int64(n.Reads))
	j.int("body_bytes", int64(n.Body))
	j.end()
}

// close reports the dropped parts of request id, which ends.
func (j *journal) close(id int) {
	gap := j.gaps[id]
	if gap == nil {
		return
	}
	delete(j.gaps, id)
	j.all.add(gap.all)
	if gap.unsaid != (LeftOut{}) {
		j.leftOut(id, gap.unsaid)
		if !j.out.add(j.b, false) {
			j.lost++
		}
		j.b = j.b[:0]
	}
}

// note returns a note when parts of request id were dropped.
func (j *journal) note(id int, code, slow string) (metrics.Note, bool) {
	if err := j.out.fault(); err != nil {
		return metrics.Note{Code: code, Text: err.Error()}, true
	}
	gap := j.gaps[id]
	if gap == nil {
		return metrics.Note{}, false
	}
	return metrics.Note{Code: code, Text: fmt.Sprintf("%s: %s", slow, gap.all.String())}, true
}

// String formats the counts: "120 events and 340 reads left out".
func (n LeftOut) String() string {
	if n.Reads == 0 {
		return fmt.Sprintf("%d events left out", n.Events)
	}
	return fmt.Sprintf("%d events and %d reads left out", n.Events, n.Reads)
}

// incomplete returns the error of a recording with gaps, nil without gaps.
func (j *journal) incomplete(slow string) error {
	all := j.all
	for _, gap := range j.gaps {
		all.add(gap.all)
	}
	switch {
	case all == (LeftOut{}) && j.lost == 0:
		return nil
	case j.lost == 0:
		return fmt.Errorf("%s: %s", slow, all)
	}
	return fmt.Errorf("%s: %s, and %d other lines", slow, all, j.lost)
}
