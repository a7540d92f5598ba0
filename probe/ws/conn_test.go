package ws_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"tokscope/metrics/testkit"
	"tokscope/probe/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agreement is the head of a server's answer to a handshake.
func agreement(r *http.Request) http.Header {
	return http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"},
		"Sec-Websocket-Accept": {ws.Signature(r.Header.Get("Sec-Websocket-Key"))}}
}

func TestAgreed(t *testing.T) {
	r := testkit.Must(http.NewRequest(http.MethodGet, "http://host/", nil))(t)
	ws.Ask(r)
	testkit.OK(t, ws.Agreed(r, agreement(r)))
	for _, name := range []string{"Upgrade", "Connection", "Sec-Websocket-Accept", "Sec-Websocket-Extensions", "Sec-Websocket-Protocol"} {
		h := agreement(r)
		h.Set(name, "other")
		err := ws.Agreed(r, h)
		testkit.That(t, err != nil, "another %s is accepted", name)
	}
}
