package cli

import (
	"runtime"
	"runtime/debug"

	"tokscope/ui/report"
)

// origin is this program on this machine.
func origin() report.Origin {
	return report.Origin{Version: Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU()}
}

// Version returns the version of the program: the module's, or the commit of
// the build.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel " + s.Value[:12]
		}
	}
	return "devel"
}
