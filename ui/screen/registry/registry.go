// Package registry is the list of the screens that the program opens with: a screen is
// its own package and one line here. Tap and Watch are of one command each, which makes them.
package registry

import (
	"tokscope/ui/screen"
	"tokscope/ui/screen/explain"
	"tokscope/ui/screen/history"
	"tokscope/ui/screen/live"
	"tokscope/ui/screen/load"
	"tokscope/ui/screen/race"
)

// All returns the screens in the order of the header's tabs and of the help.
// The first is shown first.
func All() []screen.Maker {
	return []screen.Maker{
		screen.For(live.New),
		screen.For(load.New),
		screen.For(live.NewLane),
		screen.For(live.NewReplay),
		screen.For(load.NewReplay),
		screen.For(race.New),
		screen.For(explain.New),
		screen.For(history.New),
	}
}
