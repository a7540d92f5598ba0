package dialect

import (
	"net/http"

	"tokscope/metrics"
)

// HTTPFault turns an answer that is not a stream into a fault.
func HTTPFault(status int, h http.Header, body []byte) *metrics.Fault {
	return &metrics.Fault{Kind: metrics.FaultHTTP, Status: status}
}
