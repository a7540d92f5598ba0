package journey

import (
	"tokscope/probe/app"
	"tokscope/ui"
	"tokscope/ui/plain"
	"tokscope/ui/screen/explain"
	"tokscope/ui/screen/history"
	"tokscope/ui/screen/live"
	"tokscope/ui/screen/load"
	"tokscope/ui/screen/race"
)

// A session can drive every screen. A screen asks at run time, and would be
// missing without a word.
var (
	_ ui.Backend         = (*app.Session)(nil)
	_ live.Backend       = (*app.Session)(nil)
	_ live.ReplayBackend = (*app.Session)(nil)
	_ load.Backend       = (*app.Session)(nil)
	_ load.ReplayBackend = (*app.Session)(nil)
	_ race.Backend       = (*app.Session)(nil)
	_ explain.Backend    = (*app.Session)(nil)
	_ history.Backend    = (*app.Session)(nil)
	_ history.Replayer   = (*app.Session)(nil)
	_ plain.Backend      = (*app.Session)(nil)
	_ plain.TourBackend  = (*app.Session)(nil)
)
