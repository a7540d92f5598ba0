//go:build race

package chart

const underRace = true
