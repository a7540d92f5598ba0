// Package hostile holds the matrix of hostile servers: one table with what a
// server sends and how the program must end. Its tests run `tokscope probe` in
// this process in every format, and some of the rows in a virtual terminal.
//
// A row is a line of the table in table_test.go: its group and name, what the
// server sends, the class of the fault ("" is a good end), a phrase of the words,
// the exit code, and options.
package hostile
