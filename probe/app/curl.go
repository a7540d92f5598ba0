package app

import (
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// fromCurl makes the target and the workload of the curl command of o. What the command
// reads must be named on the command line: where its text comes from standard input
// nobody could answer a question.
func (a *App) fromCurl(o *CommandLine) error {
	p, err := endpoint.ParseCurl(o.Curl)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(p.Needs, func(need string) bool { return !slices.Contains(o.CurlReads, need) }) {
		return endpoint.Refuse("the curl command reads "+strings.Join(p.Needs, ", ")+", for "+p.Endpoint().URL,
			"if that is meant, add --curl-reads "+strings.Join(p.Needs, ","))
	}
	t, w, err := a.Resolver.FromCurl(p)
	a.Target, a.Pasted = t, &w
	return err
}

// Typed is endpoint.Typed.
func (s *base) Typed(text string) (e metrics.Endpoint, reads []string, err error) {
	return endpoint.Typed(text)
}

// UseCurl makes the endpoint of a pasted curl command that of the next request. It reads
// what the command names. notes are sentences for the person.
func (s *base) UseCurl(text string) (w metrics.Workload, notes []string, err error) {
	p, err := endpoint.ParseCurl(text)
	if err != nil {
		return w, nil, err
	}
	t, w, err := s.o.Resolver.FromCurl(p)
	if err == nil {
		err = s.use(t)
	}
	return w, t.Warnings, err
}
