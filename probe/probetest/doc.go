// Package probetest is a scripted endpoint for tests and for the accuracy
// benchmark. A line of text sets the bytes of an answer, its writes and their
// times. The server logs the monotonic time around each write.
//
// A script is a list of items separated by semicolons:
//
//	prefill 400ms; 3 tokens @ 20ms; stall 2s; burst 12; 50 tokens @ 1.4ms
//
// Items that send something, in this order:
//
//	prefill D, stall D      wait before the next item
//	N tokens @ D            N token events, D apart (the first right after a wait)
//	burst N                 N token events in one write
//	N reasoning @ D         reasoning_content instead of content
//	N thinking @ D          the key `reasoning` instead
//	N comments @ D          keep-alive comments
//	N empty @ D             events with empty content
//	role                    the role-only chunk
//	say "quoted"            one token event with this text
//	raw "quoted"            these bytes as one event's bytes
//	finish, usage, error    a finish chunk, a usage chunk, an error event
//	done                    data: [DONE]
//	flood N                 a line of N KiB without an end
//
// Ends of the answer, after the last item (default: `finish; done`, then a
// regular HTTP end):
//
//	end                     add nothing; the body ends properly
//	cut                     close the connection without the body's end
//	rst                     reset the connection
//	hang                    send nothing more until the client leaves
//
// Items that shape the bytes on the wire:
//
//	headers                 response headers at once, in a separate write
//	hints                   a 103 before the answer
//	crlf, cr                line ends
//	nospace, blanks         no space after data: / one before the line's end
//	unchunked, length       body until close / with Content-Length
//	extensions, trailers    of chunked framing
//	straddle                each write ends inside the next event's chunk
//	halves D                each event in two writes, D apart
//	group N                 N events per write
//	size N                  events of about N bytes
//	per N                   N tokens per event, counted by usage on every event
//	usage-each              usage on every event
//	role-first              the first token event carries the role
//	numbered                each token is "REQUEST.N ": the request's number in 12
//	                        digits, and that of the token; straddle and halves need
//	                        a size of 400, so that they cut behind it
//	lockstep N, spread D    wait for N requests and begin them together / over D
//
// Or one answer that is not a stream: unauthorized (echoes the key),
// ratelimited, redirect URL, html, json, gzip, broken (malformed chunk).
//
// A Comparison holds what a client measured against the log. Reference is the
// client that all others are compared with. In short mode TakesTime
// skips a test, and Cases makes it try fewer cases.
package probetest
