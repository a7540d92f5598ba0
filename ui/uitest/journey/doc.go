// Package journey holds the tests that use tokscope as a person does. They
// run the built program in a virtual terminal, on the embedded endpoint and
// on servers that misbehave.
//
// BenchmarkProgram compares the built program with a server that logs what it
// sent; docs/benchmark.md explains it.
package journey
