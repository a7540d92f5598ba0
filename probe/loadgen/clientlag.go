package loadgen

import "time"

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
