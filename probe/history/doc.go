// Package history keeps what this machine has measured in one local store.
//
// The store is a folder. history.ndjson has one line for each request or point of
// a load, and is the only thing that counts; all else can be made again from it,
// but for the baselines, which a person set.
//
//	history.ndjson   the entries, appended to
//	index            the same in a form that opens at once, up to some offset
//	changes.json     change points, computed when a slot of time is complete
//	baselines.json   named ranges
//	salt             the key of the digests of prompts
//	lock             held while one of them is written
//
// Several processes may use it at the same time, and each may be killed at any
// moment: lines are appended whole under the lock, a line that was cut is skipped
// and counted, and an entry whose ID is there already is not read twice. All other
// files are replaced as a whole. Entries hold figures: no prompt, answer, key,
// header or body of an error.
//
// Why no database: those in pure Go either let only one process open a file, or
// add 6 MB to the program for SQL that nothing here asks for. A file of lines can
// be read by a person, repaired by hand, and merged with that of another machine.
package history
