package journey

import (
	"tokscope/probe/app"
	"tokscope/ui"
)

// What the Explain screen asks for is what a session gives.
var _ ui.ExplainBackend = (*app.Session)(nil)
