package endpoint

import (
	"net/url"
	"path/filepath"
	"strings"

	"tokscope/probe/transport"
)

// socketBase returns the base of unix:///PATH[:/v1], an HTTP server that listens on a unix
// socket.
func socketBase(s string) (Base, error) {
	u, err := url.Parse(s)
	next := "write unix:///run/llama.sock, or with the path of its API unix:///run/llama.sock:/v1"
	if err != nil {
		return Base{}, Refuse("the address of a unix socket is malformed", next)
	}
	file, over, ok := transport.Socket(u)
	if !ok || strings.HasSuffix(file, "/") {
		return Base{}, Refuse("the address of a unix socket needs the whole path of its file", next)
	}
	b := Base{Host: over.Hostname(), Socket: file}
	if b.Query = over.Query(); len(b.Query) == 0 {
		b.Query = nil
	}
	address := url.URL{Scheme: "unix", Path: "/" + strings.TrimPrefix(file, "/")}
	b.fill(address.String()+":", b.strip(over.EscapedPath()))
	return b, nil
}

// name is how a person calls the place of b: its host, or the file of its socket.
func (b Base) name() string {
	switch {
	case b.Socket != "":
		return filepath.Base(b.Socket)
	case b.Port != "":
		return b.hostPort()
	}
	return b.Host
}

// overSocket returns the file of a unix socket and the address of what is asked over it;
// of any other address "" and itself.
func overSocket(address string) (file, over string) {
	if u, err := url.Parse(address); err == nil {
		if file, over, ok := transport.Socket(u); ok {
			return file, over.String()
		}
	}
	return "", address
}
