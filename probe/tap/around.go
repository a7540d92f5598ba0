package tap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Around waits until a child of this program, or one of theirs, holds a TCP connection to port:
// it may go around the tap. It returns false when a request has come or ctx has ended before.
// Only Linux tells: elsewhere nothing is found.
func (t *Tap) Around(ctx context.Context, port int) bool {
	for tick := time.Tick(500 * time.Millisecond); !t.came.Load(); {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
		}
		if !t.came.Load() && childHolds(port) {
			return true
		}
	}
	return false
}

// childHolds reports whether a process below this one holds a connection to port. What cannot be
// read is left out. Sockets of this program are no child's: they close where one is started.
func childHolds(port int) bool {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line) // address of the other side, state, and inode
			if len(f) > 9 && f[3] == "01" && strings.HasSuffix(f[2], fmt.Sprintf(":%04X", port)) {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	for all := []string{strconv.Itoa(os.Getpid())}; len(sockets) > 0 && len(all) > 0; all = all[1:] {
		lists, _ := filepath.Glob("/proc/" + all[0] + "/task/*/children")
		for _, list := range lists {
			children, _ := os.ReadFile(list)
			for _, child := range strings.Fields(string(children)) {
				files, _ := filepath.Glob("/proc/" + child + "/fd/*")
				for _, file := range files {
					if to, _ := os.Readlink(file); sockets[to] {
						return true
					}
				}
				all = append(all, child)
			}
		}
	}
	return false
}
