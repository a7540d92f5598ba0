package access

import (
	"mime"
	"strconv"
	"strings"
)

// PrefersOpenMetrics reports whether Accept names OpenMetrics 1.0 or names no
// version of it, and likes it at least as much as plain text. accept are the values
// of that header.
func PrefersOpenMetrics(accept []string) bool {
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
	return open > 0 && open >= plain
}
