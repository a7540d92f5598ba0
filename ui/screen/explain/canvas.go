package explain

import ink "tokscope/ui/draw"

type line = ink.Line
