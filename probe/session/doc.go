// Package session writes what is appended line by line while streams run, and opens
// it again: the session file (docs/session-format.md), the live lines of `tokscope
// probe --ndjson`, the lines of a sweep's steps and requests, and the dump of stamps.
//
// Session file and live lines write on a goroutine of their own (backlog), so no
// caller waits for a disk or a pipe. They report what they dropped for lack of room
// (journal). A new type of line needs changes in file.go, read.go and the schemas of
// result.
//
// A session file is played by a clock of its own, served again, and copied without
// texts. It may be anybody's: its lines, counts and gaps are bounded, and every text is
// as hostile as a server's.
package session
