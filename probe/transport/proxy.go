package transport

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// spoken returns find with an error for a proxy whose scheme net/http does not know: it
// would speak HTTP to it.
func spoken(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		proxy, err := find(req)
		if err != nil || proxy == nil {
			return proxy, err
		}
		switch proxy.Scheme {
		case "http", "https", "socks5", "socks5h":
			return proxy, nil
		}
		return nil, errors.New("a proxy of " + proxy.Scheme + ":// is not supported")
	}
}

// UnusedProxy returns the name of the variable that holds a proxy for addresses of
// scheme as other programs read it, and that is not used here: ALL_PROXY, where the
// variable of the scheme is not set. "" for none.
func UnusedProxy(scheme string) string {
	own := strings.ToUpper(scheme) + "_PROXY"
	if cmp.Or(os.Getenv(own), os.Getenv(strings.ToLower(own))) != "" {
		return ""
	}
	for _, name := range []string{"ALL_PROXY", "all_proxy"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return ""
}
