package app

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"sync"

	mhistory "tokscope/metrics/history"
	"tokscope/probe/history"
	"tokscope/probe/record"
)

// History is the backend of the History screen: the store of this machine. It is
// opened when it is first asked for.
type History struct {
	*base
	store func() (*history.Store, error)
}

func newHistory(b *base) *History {
	return &History{base: b, store: sync.OnceValues(func() (*history.Store, error) {
		if b.o.Stored != nil {
			return b.o.Stored, nil
		}
		if b.o.StateDir == "" {
			return nil, errors.New("this session has no folder for its state, so it has no history")
		}
		return history.Open(history.Dir(b.o.StateDir), history.Options{})
	})}
}

// HistoryView answers q.
func (h *History) HistoryView(_ context.Context, q mhistory.Query) (mhistory.View, error) {
	s, err := h.store()
	if err != nil {
		return mhistory.View{}, err
	}
	return s.View(q)
}

// HistoryVersion changes whenever an answer would differ: with entries, baselines
// and change points, of this process and of others. It is 0 while the store cannot
// be read.
func (h *History) HistoryVersion(ctx context.Context) uint64 {
	v, err := h.HistoryView(ctx, mhistory.Query{Limit: 1})
	if err != nil {
		return 0
	}
	sum := fnv.New64a()
	number := func(n int64) { _ = binary.Write(sum, binary.LittleEndian, n) }
	for _, n := range [...]int{v.All, v.Damaged, v.LeftOut, v.Newer} {
		number(int64(n))
	}
	for i := range v.Entries {
		_, _ = io.WriteString(sum, v.Entries[i].ID)
	}
	for i := range v.Series {
		s := &v.Series[i]
		number(int64(s.N))
		if s.Baseline != nil {
			number(s.Baseline.Set.UnixNano())
		}
		for j := range s.Changes {
			number(s.Changes[j].At.UnixNano())
		}
	}
	return sum.Sum64()
}

// HistoryBaseline makes the range of b the baseline of its series.
func (h *History) HistoryBaseline(_ context.Context, b mhistory.Baseline) (mhistory.Baseline, error) {
	s, err := h.store()
	if err != nil {
		return b, err
	}
	return s.SetBaseline(b.Name, b.Series, b.From, b.To)
}

// HistorySave writes what q finds as a JSON document beside the recording.
func (h *History) HistorySave(ctx context.Context, q mhistory.Query) (string, error) {
	if h.o.File == nil {
		return "", errors.New("nothing is recorded in this session: start without --record=false to save")
	}
	v, err := h.HistoryView(ctx, q)
	if err != nil {
		return "", err
	}
	doc := record.HistoryOf(h.o.Version, q.Filter, &v)
	return h.write(".history.json", doc.Write)
}
