package app

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// mostRecent bounds what recent finds, recentEntries how far back entries looks.
const (
	mostRecent    = 8
	recentEntries = 500
)

// entries returns those of the newest recentEntries of the history that measured other
// endpoints than the embedded one, the newest first.
func (s *base) entries() []history.Entry {
	if s.o.Stored == nil {
		return nil
	}
	v, err := s.o.Stored.View(history.Query{Limit: recentEntries})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(v.Entries, func(e history.Entry) bool { return e.Series.URL == "" })
}

// recent returns the endpoints that were measured last, the newest first, each with when.
func (s *base) recent() (all []metrics.Endpoint) {
	for _, last := range s.entries() {
		of := &last.Series
		e := metrics.Endpoint{Kind: metrics.EndpointURL, Name: of.Endpoint, URL: of.URL, API: of.API, Model: of.Model,
			Ready: true, Note: "last run " + last.At.UTC().Format("2 Jan 15:04 UTC")}
		known := func(o metrics.Endpoint) bool { return o.Name == e.Name && o.Same(&e) }
		if !slices.ContainsFunc(all, known) && len(all) < mostRecent {
			all = append(all, e)
		}
	}
	return all
}

// recentFirst puts what was measured last before the rest of all, which knows more of
// some of them.
func recentFirst(recent, all []metrics.Endpoint) []metrics.Endpoint {
	for i := range recent {
		same := func(e metrics.Endpoint) bool { return e.Same(&recent[i]) }
		at := slices.IndexFunc(all, func(e metrics.Endpoint) bool { return same(e) && e.Name == recent[i].Name })
		if at < 0 {
			at = slices.IndexFunc(all, same)
		}
		if at >= 0 {
			note := recent[i].Note
			if recent[i] = all[at]; recent[i].Note != "" {
				note = recent[i].Note + ", " + note
			}
			recent[i].Note = note
			all = slices.Delete(all, at, at+1)
		}
	}
	return append(recent, all...)
}
