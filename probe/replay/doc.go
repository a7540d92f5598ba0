// Package replay opens session files again: the streams as they were, a clock of
// its own to show them by, a server that sends them again, and a copy without
// texts.
//
// A session file may be anybody's. Its lines, counts and gaps are bounded, and
// every text is as hostile as a server's.
package replay
