package sim

import "math"

// never is the time of the next event when there is no event.
var never = math.Inf(1)
