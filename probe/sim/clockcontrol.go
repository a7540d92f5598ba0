package sim

import "math"

// never is the time of what comes next while nothing is to come.
var never = math.Inf(1)
