// Package vterm runs a program in a virtual terminal. It needs a pseudo
// terminal, so the tests of this system do not use it.
package vterm
