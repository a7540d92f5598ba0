package journey

import (
	"tokscope/probe/session"
	"tokscope/ui"
)

// What the Explain screen asks for is what a session gives.
var _ ui.ExplainBackend = (*session.Session)(nil)
