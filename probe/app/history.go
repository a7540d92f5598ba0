package app

import (
	"context"
	"errors"
	"io"

	"tokscope/metrics/history"
	stored "tokscope/probe/history"
	"tokscope/probe/result"
)

// History is the backend of the History screen: the store of this machine.
type History struct{ *base }

// store returns the store to read.
func (h *History) store() (*stored.Store, error) {
	if h.o.Stored == nil {
		return nil, errors.New("this session has no place for a history: no folder of state is known")
	}
	return h.o.Stored, nil
}

// HistoryView answers q.
func (h *History) HistoryView(_ context.Context, q history.Query) (history.View, error) {
	s, err := h.store()
	if err != nil {
		return history.View{}, err
	}
	return s.View(q)
}

// HistoryVersion changes whenever an answer would differ: with entries, baselines
// and change points, of this process and of others. It is 0 while the store cannot
// be read.
func (h *History) HistoryVersion(context.Context) uint64 {
	s, err := h.store()
	if err != nil {
		return 0
	}
	v, err := s.Version()
	if err != nil {
		return 0
	}
	return v + 1
}

// HistoryBaseline makes the range of b the baseline of its series.
func (h *History) HistoryBaseline(_ context.Context, b history.Baseline) (history.Baseline, error) {
	s, err := h.store()
	if err != nil {
		return b, err
	}
	return s.SetBaseline(b.Name, b.Series, b.From, b.To)
}

// HistorySave writes what q finds as a JSON document beside the recording.
func (h *History) HistorySave(ctx context.Context, q history.Query) (string, error) {
	v, err := h.HistoryView(ctx, q)
	if err != nil {
		return "", err
	}
	return h.write(".history.json", func(out io.Writer) error {
		return result.Sentences(nil).WriteDocument(out, result.HistoryOf(h.o.Version, q.Filter, &v))
	})
}
