// Package say has the words of what the program shows: what a figure means, by its
// ID. A figure that is added to metrics/figure gets its definition in definitions.go;
// without one the package does not compile.
package say
