package loadgen

import "time"

// ms returns d in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / 1e6 }
