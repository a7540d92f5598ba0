// Package handover prints a load as command lines of other tools, for work on
// many machines, traces or a cluster. It only makes text: it runs nothing,
// and no command line holds a key.
//
// A new tool is one file here and one entry in Handovers.
package handover
