package uitest

import "tokscope/probe/program"

// Program runs programs as the session does, for tests of what waits for them.
var Program = program.Run
