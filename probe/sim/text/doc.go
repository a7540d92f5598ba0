// Package text is what the embedded endpoint writes and how it counts: own
// prose about how language models are served, in several languages and
// scripts, a little code, and a tokeniser of plausible granularity. The text
// is the same for the same seed.
//
// Where to add what: a passage is one file prose/<language>/<title>.txt, first
// line its title.
package text
