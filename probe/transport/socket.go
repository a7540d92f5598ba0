package transport

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"syscall"

	"tokscope/metrics"
)

// Socket splits the address of a request over a unix socket: unix:///run/llama.sock:/v1/models
// is the file /run/llama.sock and the request http://localhost/v1/models. The first colon
// before a slash or at the end parts them, behind a drive of Windows: /C:/run/llama.sock.
// It returns false for any other address.
func Socket(u *url.URL) (file string, over *url.URL, ok bool) {
	if u.Scheme != "unix" || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, "/") {
		return "", nil, false
	}
	file, drive := u.EscapedPath(), ""
	if len(file) > 2 && file[2] == ':' {
		drive, file = file[1:3], file[3:]
	}
	file, rest, found := strings.Cut(file, ":/")
	if found {
		rest = "/" + rest
	}
	file, err := url.PathUnescape(drive + strings.TrimSuffix(file, ":"))
	over = &url.URL{Scheme: "http", Host: "localhost", RawPath: rest, RawQuery: u.RawQuery}
	if err == nil {
		over.Path, err = url.PathUnescape(rest)
	}
	return file, over, err == nil
}

// socketFault returns the fault of a connection to a unix socket that failed with err.
func socketFault(file string, err error) *metrics.Fault {
	info, gone := os.Stat(file)
	f := &metrics.Fault{Kind: metrics.FaultConnect}
	switch {
	case errors.Is(err, syscall.EINVAL):
		f.Message, f.Next = "the path of the socket is longer than 100 bytes: "+file, "link to its folder from a shorter path"
	case errors.Is(err, fs.ErrPermission):
		f.Message = "this user may not connect to the socket " + file
		f.Next = "write access to it and to its folders is needed: a group of the server's, or its option for the mode"
	case errors.Is(gone, fs.ErrNotExist):
		f.Message, f.Next = "there is no socket "+file, "check the path, and that the server runs: it makes the file"
	case gone == nil && info.Mode().Type() != fs.ModeSocket:
		f.Message, f.Next = file+" is no socket", "give the file that the server makes where it listens"
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Message, f.Next = "nobody listens on the socket "+file, "start the server: the file is left from an earlier run"
	case errors.Is(err, syscall.EAGAIN):
		f.Message = "the socket " + file + " takes no more connections at once"
		f.Next = "use fewer users, or raise the server's backlog"
	default:
		f.Message = "no connection to the socket " + file + ": " + reason(err)
		f.Next = "check that the server listens there as a stream, and that this system has unix sockets"
	}
	return f
}
