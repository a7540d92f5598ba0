package live

import "tokscope/ui/draw"

type line = draw.Line
