// Package figures has a test alone: every row of the table of figures is found
// wherever figures of a request are shown.
package figures
