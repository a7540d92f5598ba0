package path

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/probe/transport"
)

// How often the socket is read, and what counts as long.
const (
	// readEvery is the least time between two readings.
	readEvery = 10 * time.Millisecond
	// Nothing new is worth a reading after a quarter of the silence so far, and
	// at the latest after quietMost.
	quietShare = 4
	// uploadShare is the same for the time that a request is on its way.
	uploadShare = 50
	quietMost   = 250 * time.Millisecond
	// A gap is long when it exceeds the usual one by longBy, and longFactor times
	// it. Without a usual gap it is long above longAlone.
	longBy     = 30 * time.Millisecond
	longFactor = 1.15
	longAlone  = 200 * time.Millisecond
	// usualOf is the number of gaps whose median is the usual one, usualMin the
	// least number of them.
	usualOf, usualMin = 32, 5
	// A reading belongs to a gap's begin or end if it is at most this far away.
	readNear = 150 * time.Millisecond
	// firstWindow is the number of segments that may be sent before the first
	// acknowledgment; RFC 6928.
	firstWindow = 10
	// A connect is due after silentFor without a byte, and every connectEvery.
	silentFor    = time.Second
	connectEvery = time.Second
)

// reading is one look at the socket.
type reading struct {
	at metrics.Stamp
	transport.TCPInfo
}

// Look is what a Watcher is handed.
type Look struct {
	Now       metrics.Stamp
	GotConn   metrics.Stamp // NoStamp: no connection yet, and nothing is done
	Sent      metrics.Stamp // NoStamp before that is certain
	FirstByte metrics.Stamp
	Chunks    []metrics.Chunk // all of the stream so far
	Body      int64           // bytes of the body so far
	// Local is true when the other end is this machine, Proxied when it is a
	// proxy. Neither is connected to.
	Local, Proxied bool
	Ended          bool // the last look
}

// Watcher follows one request. Use New. One goroutine at a time may use it.
type Watcher struct {
	read    func() (transport.TCPInfo, error)
	connect bool // may ask for connects

	path  metrics.Path
	dirty bool // path has changed since the last Changes
	news  []Event

	begun, ended bool
	first        transport.TCPInfo // counters when the request got the connection
	last         reading
	readings     [64]reading // ring
	n            int         // readings so far

	seen     int // chunks
	gaps     [usualOf]float64
	gapCount int
	open     []openGap // gaps whose end is not settled
	base     uint32    // out-of-order segments before the present silence

	sign       metrics.Stamp // of life of the other end
	body       int64
	uploading  bool // more was on its way than a first window holds
	connecting bool
	connected  metrics.Stamp // begin of the last connect
}

// openGap is a gap whose end has come, but not all that belongs to it.
type openGap struct {
	g        metrics.PathGap
	from, to metrics.Stamp // own stamps of the chunks around it
	window   metrics.Stamp // for chunks that come together
	before   reading
	counted  bool // before is near enough
}

// Kind says what an Event tells.
type Kind string

// The kinds.
const (
	KindBegin   Kind = "begin"   // the first look at the socket
	KindSent    Kind = "upload"  // the request is acknowledged
	KindGap     Kind = "gap"     // a long gap is judged
	KindConnect Kind = "connect" // a connect has ended
	KindEnd     Kind = "end"     // the last look
)

// Kinds are all of them.
var Kinds = []Kind{KindBegin, KindSent, KindGap, KindConnect, KindEnd}

// Event is one thing that became known. Path is as of that moment.
type Event struct {
	Kind    Kind
	At      metrics.Stamp
	Path    *metrics.Path
	Gap     *metrics.PathGap     // of KindGap
	Connect *metrics.PathConnect // of KindConnect
}

// New returns a Watcher that reads the socket with read. connect allows it to
// ask for connects.
func New(read func() (transport.TCPInfo, error), connect bool) *Watcher {
	return &Watcher{
		read: read, connect: connect, path: metrics.Path{Acked: metrics.NoStamp},
		sign: metrics.NoStamp, connected: metrics.NoStamp,
	}
}

// Changes returns the path if it has changed since the last call, else nil, and
// what became known. The caller owns both.
func (w *Watcher) Changes() (p *metrics.Path, news []Event) {
	if !w.dirty {
		return nil, nil
	}
	w.dirty = false
	c := w.path
	c.Gaps, c.Connects = c.Gaps[:len(c.Gaps):len(c.Gaps)], c.Connects[:len(c.Connects):len(c.Connects)]
	for i := range w.news {
		w.news[i].Path = &c
	}
	news, w.news = w.news, nil
	return &c, news
}

func (w *Watcher) add(e Event) { w.dirty, w.news = true, append(w.news, e) }

// Connected takes the result of a connect that Look asked for.
func (w *Watcher) Connected(c metrics.PathConnect) {
	w.connecting = false
	// It began later than Look asked for it; the next one is due after that.
	w.connected = max(w.connected, c.At)
	if w.ended {
		return
	}
	w.path.Connects = append(w.path.Connects, c)
	w.add(Event{Kind: KindConnect, At: c.At, Connect: &c})
}

// Look takes what has arrived since the last call, and reads the socket when
// that is due. It returns true when a connect to the other end is due: its
// result goes to Connected.
func (w *Watcher) Look(l *Look) (connect bool) {
	if w.ended || !l.GotConn.Known() {
		return false
	}
	if !w.begun {
		w.begin(l)
	}
	fresh := len(l.Chunks) > w.seen
	w.follow(l)
	if w.due(l, fresh) {
		w.sample(l)
	}
	w.close(l)
	w.silence(l)
	if l.Ended {
		w.end(l)
		return false
	}
	return w.connectDue(l)
}

// begin takes the first reading: counters of the connection's earlier requests
// are not this one's.
func (w *Watcher) begin(l *Look) {
	w.begun, w.sign = true, l.GotConn
	info, err := w.read()
	switch {
	case err == transport.ErrNoTCPInfo:
		w.path.Source = metrics.PathUnsupported
	case err == transport.ErrUnixSocket:
		w.path.Source = metrics.PathUnixSocket
	case err != nil:
		w.path.Source = metrics.PathNoSocket
	case !info.Counts:
		w.path.Source = metrics.PathOldKernel
	default:
		w.path.Source = metrics.PathTCPInfo
	}
	w.first = info
	w.keep(l.Now, info)
	w.add(Event{Kind: KindBegin, At: l.Now})
}

// reads reports whether the socket can be read.
func (w *Watcher) reads() bool {
	return w.path.Source == metrics.PathTCPInfo || w.path.Source == metrics.PathOldKernel
}

// follow finds long gaps among the new chunks.
func (w *Watcher) follow(l *Look) {
	if l.Body != w.body {
		w.body, w.sign = l.Body, l.Now
	}
	for i := w.seen; i < len(l.Chunks); i++ {
		c := &l.Chunks[i]
		w.sign = max(w.sign, c.User)
		for k := range w.open {
			w.open[k].add(c)
		}
		if i == 0 || c.Read == l.Chunks[i-1].Read {
			continue
		}
		w.gap(l, i)
	}
	w.seen = len(l.Chunks)
}

// gap looks at the gap before chunk i.
func (w *Watcher) gap(l *Look, i int) {
	c, before := &l.Chunks[i], &l.Chunks[i-1]
	d := time.Duration(c.At - before.At)
	usual := w.usual()
	w.gaps[w.gapCount%usualOf] = float64(d) / 1e6
	w.gapCount++
	long := max(usual+longBy, time.Duration(float64(usual)*longFactor))
	if usual == 0 {
		long = longAlone
	}
	if d <= long || !w.reads() {
		return
	}
	o := openGap{
		g: metrics.PathGap{Chunk: i, At: c.At, Ms: float64(d) / 1e6,
			Usual: float64(usual) / 1e6, Together: 1, Local: l.Local},
		from: before.User, to: c.User, window: metrics.Stamp(min(max(usual/2, 2*time.Millisecond), 25*time.Millisecond)),
	}
	o.before, o.counted = w.before(o.from)
	w.open = append(w.open, o)
}

// add counts a chunk that was readable together with the one at the gap's end.
func (o *openGap) add(c *metrics.Chunk) {
	if c.User-o.to <= o.window {
		o.g.Together++
	}
}

// usual is the median of the last gaps, 0 without enough of them.
func (w *Watcher) usual() time.Duration {
	n := min(w.gapCount, usualOf)
	if n < usualMin {
		return 0
	}
	gaps := w.gaps
	return time.Duration(stats.Median(gaps[:n]) * 1e6)
}

// before returns the last reading at or before at, and whether it is near
// enough to belong to it.
func (w *Watcher) before(at metrics.Stamp) (r reading, near bool) {
	for i := w.n - 1; i >= max(0, w.n-len(w.readings)); i-- {
		if r = w.readings[i%len(w.readings)]; r.at <= at {
			return r, at-r.at <= metrics.Stamp(readNear)
		}
	}
	return r, false
}

// after returns the first reading at or after at.
func (w *Watcher) after(at metrics.Stamp) (r reading, ok bool) {
	for i := max(0, w.n-len(w.readings)); i < w.n; i++ {
		if r = w.readings[i%len(w.readings)]; r.at >= at {
			return r, true
		}
	}
	return reading{}, false
}

// due reports whether to read the socket.
func (w *Watcher) due(l *Look, fresh bool) bool {
	since := time.Duration(l.Now - w.last.at)
	if !w.reads() || since < readEvery {
		return false
	}
	if fresh || l.Ended {
		return true
	}
	pause := time.Duration(l.Now-w.sign) / quietShare
	if !w.path.Acked.Known() {
		pause = time.Duration(l.Now-l.GotConn) / uploadShare
	}
	return since >= min(max(readEvery, pause), quietMost)
}

// sample reads the socket.
func (w *Watcher) sample(l *Look) {
	info, err := w.read()
	if err != nil { // the connection is closed: the last reading stands
		return
	}
	if info.Received != w.last.Received || info.NotSent != w.last.NotSent || info.Unacked < w.last.Unacked {
		w.sign = l.Now // an acknowledgment is a sign of life as well
	}
	was := w.last
	w.keep(l.Now, info)
	w.upload(l, &was)
}

// keep stores a reading and what the path shows of it.
func (w *Watcher) keep(at metrics.Stamp, info transport.TCPInfo) {
	w.last = reading{at, info}
	w.readings[w.n%len(w.readings)] = w.last
	w.n++
	p := &w.path
	p.RTT, p.MinRTT = info.RTT, info.MinRTT
	p.OutOfOrder = int(info.OutOfOrder - w.first.OutOfOrder)
	p.Segments = int(info.DataSegments - w.first.DataSegments)
	p.Resent = int(info.Resent - w.first.Resent)
}

// upload finds the moment at which the request was acknowledged whole. The
// kernel tells how long ago the last acknowledgment came.
func (w *Watcher) upload(l *Look, was *reading) {
	p, now := &w.path, &w.last
	if p.Acked.Known() {
		return
	}
	w.uploading = w.uploading || now.NotSent > 0 || now.Unacked > firstWindow
	if now.NotSent > 0 || now.Unacked > 0 {
		if now.Rate > 0 && w.uploading {
			p.Rate = int64(now.Rate)
		}
		return
	}
	if !l.Sent.Known() {
		return
	}
	at := max(now.at-metrics.Stamp(now.LastAck), l.Sent, was.at)
	if l.FirstByte.Known() {
		at = max(min(at, l.FirstByte), l.Sent)
	}
	p.Acked, p.Upload = min(at, now.at), w.uploading
	w.add(Event{Kind: KindSent, At: p.Acked})
}

// close judges the gaps of which everything is known.
func (w *Watcher) close(l *Look) {
	rest := w.open[:0]
	for i := range w.open {
		o := &w.open[i]
		after, ok := w.after(o.to)
		if !l.Ended && (!ok || l.Now < o.to+o.window+metrics.Stamp(readEvery)) && l.Now-o.to < metrics.Stamp(readNear) {
			rest = append(rest, *o)
			continue
		}
		g := &o.g
		if ok && o.counted && w.path.Source == metrics.PathTCPInfo && after.at-o.to <= metrics.Stamp(readNear) {
			g.Counted = true
			g.OutOfOrder = int(after.OutOfOrder - o.before.OutOfOrder)
			from := o.before
			if near, ok := w.after(o.from); ok && near.at < o.to {
				from = near
			}
			g.Segments = int(after.DataSegments - from.DataSegments)
		}
		g.RTT = float64(w.last.RTT) / 1e6
		w.judged(g)
	}
	w.open = rest
}

func (w *Watcher) judged(g *metrics.PathGap) {
	if len(w.path.Gaps) == metrics.MaxPathGaps {
		w.path.Missed++
		w.dirty = true
		return
	}
	w.path.Gaps = append(w.path.Gaps, *g)
	c := *g
	w.add(Event{Kind: KindGap, At: g.At, Gap: &c})
}

// silence keeps what arrives beneath the wait for the next chunk.
func (w *Watcher) silence(l *Look) {
	now := metrics.PathSilence{}
	if n := len(l.Chunks); n > 0 && w.path.Source == metrics.PathTCPInfo && !l.Ended {
		if r, near := w.before(l.Chunks[n-1].User); near || w.path.Silence.Chunk == n {
			if w.path.Silence.Chunk != n {
				w.base = r.OutOfOrder
			}
			now = metrics.PathSilence{Chunk: n, OutOfOrder: int(w.last.OutOfOrder - w.base)}
		}
	}
	if now.OutOfOrder != w.path.Silence.OutOfOrder {
		w.dirty = true
	}
	w.path.Silence = now
}

// connectDue reports whether a connect is due: nothing has come for silentFor.
func (w *Watcher) connectDue(l *Look) bool {
	p := &w.path
	switch {
	case !w.connect || w.connecting || l.Local || l.Proxied ||
		!l.Sent.Known() || len(p.Connects) == metrics.MaxPathConnects:
		return false
	case l.Now-max(w.sign, l.Sent, l.FirstByte) < metrics.Stamp(silentFor):
		return false
	case w.connected.Known() && l.Now-w.connected < metrics.Stamp(connectEvery):
		return false
	}
	w.connecting, w.connected = true, l.Now
	return true
}

func (w *Watcher) end(l *Look) {
	w.ended = true
	w.add(Event{Kind: KindEnd, At: l.Now})
}
