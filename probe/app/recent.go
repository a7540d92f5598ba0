package app

import (
	"slices"

	"tokscope/metrics"
	kinds "tokscope/metrics/history"
)

// mostRecent bounds what recent finds.
const mostRecent = 8

// recent returns the endpoints of others that the last recentEntries of the history
// measured, the newest first, each with when.
func (s *base) recent() (all []metrics.Endpoint) {
	if s.o.Stored == nil {
		return nil
	}
	v, err := s.o.Stored.View(kinds.Query{Limit: recentEntries})
	if err != nil {
		return nil
	}
	for i := range v.Entries {
		of := &v.Entries[i].Series
		known := slices.ContainsFunc(all, func(e metrics.Endpoint) bool { return e.URL == of.URL && e.Name == of.Endpoint })
		if of.URL == "" || known || len(all) == mostRecent { // "" is the embedded one
			continue
		}
		all = append(all, metrics.Endpoint{Kind: metrics.EndpointURL, Name: of.Endpoint, URL: of.URL, Model: of.Model,
			Ready: true, Note: "last run " + v.Entries[i].At.UTC().Format("2 Jan 15:04 UTC")})
	}
	return all
}

// recentFirst puts what was measured last before the rest of all, which knows more of
// some of them.
func recentFirst(recent, all []metrics.Endpoint) []metrics.Endpoint {
	for i := range recent {
		same := func(e metrics.Endpoint) bool { return e.URL == recent[i].URL }
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
