// Package hostile holds the matrix of hostile servers: one table with what a
// server, a proxy or another program sends, and how the program must end. Its
// tests run `tokscope probe` in this process in every format, and some of the rows
// in a virtual terminal.
//
// A row is a line of the table in table_test.go: its group and name, what the
// server sends, the class of the fault ("" is a good end), a phrase of the words,
// the exit code, and options. Below HTTP the groups are framing, TLS, redirects,
// proxies, compression, status codes and Retry-After. Above it they are events,
// JSON, text, usage, empty answers, errors in the stream, keys, cuts and slow
// answers.
//
// TestMatrix runs every row in text, JSON and NDJSON: class, words, exit code,
// memory, goroutines, schemas, UTF-8, control characters, and the key. Rows without
// a heap bound of their own run beside each other. leastRows is the number of rows
// that the table must have.
//
// TestMatrixOnTheScreen runs rows in a virtual terminal: the words on the screen,
// the bytes that reach the terminal, and the terminal afterwards.
//
// TestChecksSee, TestProblemsAreFound and TestGoroutinesAreFound hold that each of
// these checks fails when it should.
package hostile
