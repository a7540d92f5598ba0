// Package ui is the terminal interface: routing, key map, layout, frame clock.
// It shows what a Backend tells it and sends it commands; it knows themes and
// metrics and nothing of how a measurement is made.
package ui
