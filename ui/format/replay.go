package format

import (
	"strconv"

	"tokscope/metrics"
)

// ReplaySpeed writes the speed of a replay: "0.1x"; 1 is as it happened.
func ReplaySpeed(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) + "x" }

// ReplayPlace writes where a replay stands in the shown request. Its width
// changes only with that of the request's length.
func ReplayPlace(r *metrics.Replay) string {
	length := string(AppendSeconds(nil, r.Length.Seconds(), 2))
	at := strconv.FormatFloat(r.At.Seconds(), 'f', 2, 64)
	for len(at)+len(" s") < len(length) {
		at = " " + at
	}
	return at + " of " + length
}

// ReplayOf names the shown request: "session-….ndjson #3 of 12", and shorter.
func ReplayOf(file string, r *metrics.Replay) [3]string {
	number := "#" + strconv.Itoa(r.ID)
	if r.Count > 1 {
		number = "request " + Count(r.Index) + " of " + Count(r.Count)
	}
	return [3]string{file + " " + number, number, "#" + strconv.Itoa(r.ID)}
}

// missingWords say what a recording lacks of a request.
var missingWords = map[metrics.ReplayMissing]string{
	metrics.ReplayNoEvents:   "its events were not recorded: only its end line has figures",
	metrics.ReplayIncomplete: "events are missing here: these are not the figures of the request",
	metrics.ReplayNoEnd:      "the recording ends before the request",
}

// ReplayMissing says what the recording lacks of a request, "" for nothing.
func ReplayMissing(m metrics.ReplayMissing) string { return missingWords[m] }

// ReplayNoText says that other texts stand for those of the recording.
const ReplayNoText = "the texts were removed from this recording: nothing is said about reading"

// ReplayNewer says that a later version wrote the file.
const ReplayNewer = "a later version of tokscope wrote this file: what this one knows of it is shown"

// ReplayLacks says what the recording lacks of n of all requests.
func ReplayLacks(n, all int, m metrics.ReplayMissing) string {
	return Count(n) + " of " + Count(all) + " requests: " + missingWords[m]
}
