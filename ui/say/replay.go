package say

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// ReplaySpeed writes the speed of a replay: "0.1x"; 1 is as it happened.
func ReplaySpeed(x float64) string { return format.Exact(format.Digits(x, 3)) + "x" }

// ReplayPlace writes where a replay stands in the shown request. Its width
// changes only with that of the request's length.
func ReplayPlace(r *metrics.Replay) string {
	place := withDecimals(2)
	widest := format.PartOf(r.Length.Seconds(), r.Length.Seconds(), place)
	return fmt.Sprintf("%*s", len(widest), format.PartOf(r.At.Seconds(), r.Length.Seconds(), place))
}

// withDecimals writes seconds with that many decimals, so that a running time has an even width.
func withDecimals(n int) func(float64) string {
	return func(s float64) string { return string(format.AppendSeconds(nil, s, n)) }
}

// ReplayOf names the shown request, and its place where there are several:
// "session-….ndjson request 6 (35 of 60)", and shorter.
func ReplayOf(file string, r *metrics.Replay) [3]string {
	name := ReplayRequest(r) + format.If(r.Count > 1, " ("+format.Count(r.Index)+" of "+format.Count(r.Count)+")")
	return [3]string{file + " " + name, name, "#" + strconv.Itoa(r.ID)}
}

// ReplayRequest names the shown request by its number in the file, which the list of
// runs has too: "request 6".
func ReplayRequest(r *metrics.Replay) string { return "request " + strconv.Itoa(r.ID) }

// missingWords say what a recording lacks of a request.
var missingWords = map[metrics.ReplayMissing]string{
	metrics.ReplayNoEvents:   "the file has its figures and not its events",
	metrics.ReplayIncomplete: "events are missing here: these are not the figures of the request",
	metrics.ReplayNoEnd:      "the recording ends before the request",
}

// ReplayMissing says what the recording lacks of a request, "" for nothing.
func ReplayMissing(m metrics.ReplayMissing) string { return missingWords[m] }

// ReplayNoText says that other texts stand for those of the recording.
const ReplayNoText = "the texts were removed from this recording: nothing is said about reading"

// ToolFile says whose a file of another program is, and how many of its figures agree with its rows.
func ToolFile(f *metrics.ToolFile) string {
	return "a file of " + format.Join(" ", f.Tool, sanitize.Line(f.Version, nameMost)) + ToolFigures(f, "; ")
}

// ToolFigures says behind before how many of the figures of a file agree with its rows, "" without one.
func ToolFigures(f *metrics.ToolFile, before string) string {
	n := len(f.Printed)
	return format.If(n > 0, before+format.Count(f.Agreeing())+" of "+format.Plural(n, "figure", "figures")+
		" in it agree with its rows")
}

// ToolDiffers says of the figures of a file which do not agree with its rows.
func ToolDiffers(f *metrics.ToolFile) (all []string) {
	for i := range f.Printed {
		if p := &f.Printed[i]; !p.Agrees {
			all = append(all, sanitize.Line(p.Name, nameMost)+" is "+sanitize.Line(p.File, nameMost)+" in it, "+
				format.Exact(p.Rows)+" of its rows")
		}
	}
	return all
}

// ReplayNewer says that a later version wrote the file.
const ReplayNewer = "a later version of tokscope wrote this file: what this one knows of it is shown"

// ReplayLacks says what the recording lacks of n of all requests.
func ReplayLacks(n, all int, m metrics.ReplayMissing) string {
	return format.Count(n) + " of " + format.Count(all) + " requests: " + missingWords[m]
}

// noWindow is the sentence on a load without figures.
const noWindow = "no window of this load has ended: no figures"

// LoadReplay returns the sentence on the last window of a recorded load. It begins
// with which one it is of several loads.
func LoadReplay(v *loadstat.View, r *loadstat.Replay) Sentence {
	which := format.If(r.Count > 1, loadOf(r))
	switch {
	case len(v.Path) > 0:
	case which != "":
		return Sentence{{Text: which + ": " + noWindow}}
	default:
		return Sentence{{Text: noWindow}}
	}
	was := *v
	was.Running, was.Sent, was.Users = false, max(v.Sent, 1), v.Live.Users
	said := append(Sentence{{Text: "last window, ", Rank: 9}}, loadNow(&was)...)
	if failed := Failed(v.Failed, v.Done+v.Failed, v.Faults); failed != nil {
		said = failed.then("; ", said.after(2))
	}
	if which != "" {
		said = append(Sentence{{Text: which + ", "}}, said...)
	}
	return said
}

// LoadReplayState says how long the load lasted, or how much of it the recording
// has: "ended after 22.3 s".
func LoadReplayState(v *loadstat.View, r *loadstat.Replay) string {
	state := format.Either(r.NoEnd, "cut off after ", "ended after ")
	d, ok := v.Now.Sub(v.Began)
	return format.Either(ok, state+string(format.AppendElapsed(nil, d.Seconds())), strings.TrimSuffix(state, " after "))
}

// LoadReplaySent says how many requests the load sent.
func LoadReplaySent(r *loadstat.Replay) string {
	sent := format.Plural(r.Sent, "request", "requests") + " sent"
	return format.Either(r.Sent < 0, LoadReplayNoTotals("– requests sent"), sent)
}

// LoadReplayNote says why the load ended, or what the recording lacks of it; ""
// for neither. It may hold text of the file.
func LoadReplayNote(r *loadstat.Replay) string {
	switch {
	case r.Broken != "" || r.Stopped != "":
		return sanitize.Line(cmp.Or(r.Broken, r.Stopped), 200) // of the file
	case r.PointsLeft > 0:
		return format.Plural(r.PointsLeft, "point is", "points are") + " not in the file"
	case r.NoEnd:
		return "the recording ends before the load"
	case r.Newer:
		return ReplayNewer
	}
	return ""
}

// LoadReplayNoTotals is what, unknown totals of a load, and why they are unknown.
func LoadReplayNoTotals(what string) string { return what + "  no end in file" }

// LoadReplayOf names the shown load: "session-….ndjson load 2 of 3", and shorter.
// A load that is alone has its number in the file.
func LoadReplayOf(file string, r *loadstat.Replay) [3]string {
	load := loadOf(r)
	return [3]string{file + " " + load, load, load}
}

// loadOf is "load 2 of 3", and for a load that is alone its number in the file.
func loadOf(r *loadstat.Replay) string {
	return "load " + format.Either(r.Count > 1, format.Count(r.Index)+" of "+format.Count(r.Count), strconv.Itoa(r.Load))
}
