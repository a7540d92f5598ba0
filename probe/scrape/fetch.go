package scrape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

const (
	// mostPage bounds the bytes of a page. One of vLLM with a dozen models has
	// 300 kB.
	mostPage = 8 << 20
	// patience bounds the wait for a page. A busy server writes it between two
	// steps of its engine.
	patience = 2 * time.Second
)

// Page is a server's page of metrics. Its methods are not safe for concurrent
// use.
type Page struct {
	url    string
	model  string
	now    func() metrics.Stamp
	client *http.Client
	read   bool   // one page was read
	why    string // why there is no page at all; "" while there may be
}

// URLOf returns the address of the page beside an API: /metrics on the same
// host, or beside the path in front of /v1. It is "" for an API that has no
// usable address.
func URLOf(api string) string {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path + "/metrics"}).String()
}

// NewPage returns the page at address. Series of other models than model are
// left out where the page names several. No key is sent. A redirect is not
// followed, because it may lead to another machine.
func NewPage(address, model string, now func() metrics.Stamp) *Page {
	return &Page{url: address, model: model, now: now, client: &http.Client{
		Timeout:       patience,
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// URL returns the address of the page without its query, which can hold a key.
func (p *Page) URL() string {
	address, _, _ := strings.Cut(p.url, "?")
	return address
}

// Read fetches the page. It waits 2 s at most. After a failure of the first
// read it does not try again and returns the same reason.
func (p *Page) Read(ctx context.Context) (loadstat.ServerCounts, error) {
	if p.why != "" {
		return loadstat.ServerCounts{}, errors.New(p.why)
	}
	c, err := p.fetch(ctx)
	switch {
	case err == nil:
		p.read = true
	case !p.read && ctx.Err() == nil:
		p.why = err.Error()
	}
	return c, err
}

func (p *Page) fetch(ctx context.Context) (c loadstat.ServerCounts, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return c, errors.New("its address is malformed")
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	asked := p.now()
	res, err := p.client.Do(req)
	if err != nil {
		return c, errors.New(reason(err))
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return c, fmt.Errorf("the server answers %d", res.StatusCode)
	}
	page, err := io.ReadAll(io.LimitReader(res.Body, mostPage+1))
	if err != nil {
		return c, errors.New(reason(err))
	}
	if len(page) > mostPage {
		return c, fmt.Errorf("the page is longer than %d MiB", mostPage>>20)
	}
	if c = Parse(page, p.model); c.From == "" {
		return c, errors.New("the page has no names of vLLM, SGLang, llama.cpp or TGI")
	}
	c.At = p.now()
	c.Wait = time.Duration(c.At - asked)
	return c, nil
}

// reason says why a page could not be read, without its address.
func reason(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return fmt.Sprintf("no answer within %v", patience)
		}
		err = u.Err
	}
	return err.Error()
}
