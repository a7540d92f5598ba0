// Package figures has a test alone: every figure stands on a screen, in text and
// in JSON, or in a list of exceptions with its reason.
package figures
