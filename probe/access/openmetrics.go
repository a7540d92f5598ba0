package access

import (
	"mime"
	"strconv"
	"strings"
)

// Content types of a page of metrics.
const (
	PlainMetrics = "text/plain; version=0.0.4; charset=utf-8"
	OpenMetrics  = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// MetricsType returns the content type of a page of metrics: OpenMetrics where Accept
// names 1.0 or no version of it, and likes it at least as much as plain text. accept are
// the values of that header.
func MetricsType(accept []string) (kind string, isOpen bool) {
	open, plain := 0.0, 0.0
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if x, err := strconv.ParseFloat(params["q"], 64); err == nil {
			q = x
		}
		switch kind {
		case "application/openmetrics-text":
			if v := params["version"]; v == "" || v == "1.0.0" {
				open = max(open, q)
			}
		case "text/plain", "text/*", "*/*":
			plain = max(plain, q)
		}
	}
	if open > 0 && open >= plain {
		return OpenMetrics, true
	}
	return PlainMetrics, false
}
