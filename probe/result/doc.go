// Package result is what tokscope says in JSON: the documents and lines of probe,
// sweep, race, watch, compare, doctor, history, definitions and models, made of the
// types of metrics by one codec (codec.go), and read again by it.
//
// Every format names its schema, and units in its field names. Texts are the
// server's own, escaped by JSON; keys are removed before they reach this package.
// The schemas in docs/schema are made from the types and their comments.
package result
