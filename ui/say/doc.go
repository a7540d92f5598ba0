// Package say has the words of what the program shows: sentences, one file a
// subject, and what a figure means, by its ID. One fact has one text and at most one
// brief form, under its code where it has one (doubt.go, conclusion.go,
// load.go). Numbers in them are written by package format.
//
// A text that may have to be shorter is a Sentence: clauses with ranks, of which
// Fit and FitRows drop what does not fit. No sentence is made by replacing words in
// another one.
//
// A figure that is added to metrics/figure gets its definition in definitions.go, or is
// named in TestDefinitions as a part of another.
package say
