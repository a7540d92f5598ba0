// Package reports plays streams as people report them, and tests what the program says.
package reports
