package tap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

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
	return len(sockets) > 0 && belowHolds(strconv.Itoa(os.Getpid()), sockets)
}

// belowHolds reports whether a process below that one holds one of the sockets.
func belowHolds(process string, sockets map[string]bool) bool {
	lists, _ := filepath.Glob("/proc/" + process + "/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			files, _ := filepath.Glob("/proc/" + child + "/fd/*")
			for _, file := range files {
				if to, _ := os.Readlink(file); sockets[to] {
					return true
				}
			}
			if belowHolds(child, sockets) {
				return true
			}
		}
	}
	return false
}
