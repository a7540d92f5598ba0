// Package secret keeps keys out of everything that is printed or written: a
// Secret redacts itself, and a Scrubber removes keys from text that came from
// elsewhere, in every usual spelling of them.
//
// A new shape of key that must never be shown is one line in patterns.go.
package secret
