// Package testkit supports tests of all areas. Only tests import it. It imports
// nothing of ours, so that tests of metrics can; streams and results to look at
// stand in testkit/example.
//
// It gives every random test one fixed seed, so that no test fails by chance:
// the value of the flag -rapid.seed, for properties of rapid and for tests that
// draw numbers of their own. Importing the package sets that flag before the
// command line is read. Variable asks for another seed.
//
// OK and Must end a test with an error; Is, Same, Has, Lacks, Refuses and That say what is
// not as it should be and go on; Need and Given end the test. Allocates holds a bound of
// allocations. Their last arguments say of which case. Allocated measures bytes.
//
// Ratio is for benchmarks that can fail. It measures two functions in turn, so
// that a time budget holds as a ratio, on any machine and on a busy one.
package testkit
