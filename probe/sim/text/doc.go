// Package text generates the text of the embedded endpoint and counts its
// tokens. It has its own prose about how language models are served, in
// several languages and scripts, and a little code. Its tokenizer has
// plausible granularity. The same seed gives the same text.
//
// Where to add what: a passage is a file prose/<language>/<title>.txt. Its
// first line is its title.
package text
