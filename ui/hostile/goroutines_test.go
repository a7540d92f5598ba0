package hostile

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"
)

// goWithin bounds the wait for the goroutines of a run; the machines are shared.
var goWithin = patience

var ownRuns atomic.Int64

// inOwnGoroutines runs f and returns the stacks of the goroutines that it began
// and that do not end, "" when there are none. A label tells them from those of
// what runs beside f: a goroutine has the labels of the one that began it.
func inOwnGoroutines(f func()) (left string) {
	id := fmt.Sprint(ownRuns.Add(1))
	pprof.Do(context.Background(), pprof.Labels("hostile", id), func(context.Context) { f() })
	mark := fmt.Appendf(nil, "# labels: {%q:%q}\n", "hostile", id)
	deadline := time.Now().Add(goWithin)
	for pause := 500 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		var all bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
			return err.Error()
		}
		if !bytes.Contains(all.Bytes(), mark) {
			return ""
		}
		if time.Now().After(deadline) {
			for stack := range strings.SplitSeq(all.String(), "\n\n") {
				if strings.Contains(stack, string(mark)) {
					left += stack + "\n"
				}
			}
			return left
		}
		time.Sleep(pause)
	}
}
