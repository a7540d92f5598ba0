// Package vterm runs a program in a virtual terminal. It needs a pseudo
// terminal, which this system's tests do without.
package vterm
