package app

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/export"
)

// exportEndsWithin bounds the sending of the last figures.
const exportEndsWithin = 5 * time.Second

// exports is the exporter of a command, and what is to be said of it.
type exports struct {
	exporter  *export.Exporter // nil when nothing is exported
	collector string           // that a flag names for it
	said      chan string      // its sentences; nil without it
}

// sentencesKept is how many sentences wait: one comes in ten minutes.
const sentencesKept = 64

// start starts what x asks for. notes are sentences for a person.
func (e *exports) start(x *metrics.Export, insecure bool, o export.Options,
	env func(string) string) (notes []string, err error) {
	if !x.Enabled {
		return nil, nil
	}
	o.OTLP, err = export.Settings(x.OTLPEndpoint, insecure, env)
	if err != nil || o.OTLP == nil && x.MetricsAddr == "" {
		return nil, err
	}
	e.said = make(chan string, sentencesKept)
	o.Version, o.Warn, o.Latest = cmp.Or(o.Version, "unknown"), e.say, export.Latest(env)
	if x.MetricsAddr != "" {
		o.Page = &export.Page{Addr: x.MetricsAddr, Remote: x.MetricsRemote, AllowHosts: x.MetricsHosts}
	}
	e.exporter, err = export.Start(o)
	e.collector = x.OTLPEndpoint
	if err == nil && o.OTLP != nil && x.OTLPEndpoint == "" {
		notes = append(notes, "figures also go to the collector that "+o.OTLP.From+" names; --otlp-endpoint off sends none")
	}
	return notes, err
}

// MetricsURL returns the address that Prometheus can read, "" without one.
func (e *exports) MetricsURL() string { return e.exporter.Address() }

// CloseExport sends the last figures, once. What went wrong is an error where a flag
// names the collector, else a warning: the measurement is not at fault.
func (a *App) CloseExport() (lost error) {
	said, lost := a.exports.close()
	a.Warnings = append(a.Warnings, said...)
	return lost
}

// close sends the last figures, once: see App.CloseExport.
func (e *exports) close() (said []string, lost error) {
	ctx, cancel := context.WithTimeout(context.Background(), exportEndsWithin)
	defer cancel()
	err := e.exporter.Close(ctx)
	for more := true; more; {
		select {
		case text := <-e.said:
			said = append(said, text)
		default:
			more = false
		}
	}
	if err != nil {
		said = append(said, err.Error())
	}
	if e.collector != "" && e.exporter.Lost() {
		lost = errors.New(strings.Join(append([]string{"results not written"}, said...), ": "))
		said, e.collector = nil, ""
	}
	return said, lost
}

// say keeps a sentence of the exporter until a watch reads it, or the end. It never waits.
func (e *exports) say(text string) {
	select {
	case e.said <- text:
	default: // there were sentencesKept before it
	}
}

// exportSink gives the ended requests of an engine to an exporter.
type exportSink struct{ to *export.Exporter }

// Detail asks for the ends alone, so that no event is kept for it.
func (exportSink) Detail(int) client.Detail { return client.DetailEnds }

func (exportSink) Begin(metrics.Stream) {}

func (exportSink) Event(*client.Folded) {}

func (s exportSink) End(v metrics.Stream, f *metrics.Figures) { s.to.Add(&v, f) }
