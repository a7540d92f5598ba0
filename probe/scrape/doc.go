// Package scrape reads the page of metrics that inference servers have beside
// their API, in the text format of Prometheus: what the server counts itself.
//
// Where to add what: the names of another server are a line in names.go.
package scrape
