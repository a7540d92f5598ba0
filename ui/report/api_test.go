package report

import (
	"io"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/doctor"
	"tokscope/metrics/history"
	"tokscope/metrics/racestat"
	"tokscope/metrics/watchstat"
)

// TestEveryDocumentSaysTheAPI holds that each document names an API that is not chat
// completions, in the words of its endpoint alone.
func TestEveryDocumentSaysTheAPI(t *testing.T) {
	written := func(write func(io.Writer) error) string {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := func(d *Doc) string { return d.Text(200) }
	for name, document := range map[string]func(e metrics.Endpoint) string{
		"runs": func(e metrics.Endpoint) string { return text(Runs([]metrics.Run{ranAt(e)}, Form{})) },
		"probe": func(e metrics.Endpoint) string {
			return text(Probe([]metrics.Run{ranAt(e)}, Form{}))
		},
		"probe CSV": func(e metrics.Endpoint) string {
			return written(func(w io.Writer) error { return ProbeCSV(w, []metrics.Run{ranAt(e)}) })
		},
		"ticket": func(e metrics.Endpoint) string { return ticketOf(ranAt(e)) },
		"doctor": func(e metrics.Endpoint) string {
			return written(func(w io.Writer) error {
				d := &Doctor{W: w, Width: 200}
				d.Head(&doctor.Report{Endpoint: e})
				return d.err
			})
		},
		"depth": func(e metrics.Endpoint) string {
			return text(edited(depthReport(), func(r *Depth) { r.Outcome.Endpoint = e }).Doc())
		},
		"depth CSV": func(e metrics.Endpoint) string {
			return written(edited(depthReport(), func(r *Depth) { r.Outcome.Endpoint = e }).CSV)
		},
		"sweep": func(e metrics.Endpoint) string {
			return text(edited(reportOf(t, ""), func(r *Sweep) { r.Endpoint = e }).Doc(false))
		},
		"sweep CSV": func(e metrics.Endpoint) string {
			return written(edited(reportOf(t, ""), func(r *Sweep) { r.Endpoint = e }).CSV)
		},
		"race": func(e metrics.Endpoint) string {
			return text(RaceHead(&racestat.View{Lanes: []racestat.Lane{{Endpoint: e}}}))
		},
		"watch": func(e metrics.Endpoint) string {
			return WatchHead(&watchstat.Board{Targets: []watchstat.Target{{Endpoint: e}}})
		},
		"comparison": func(e metrics.Endpoint) string {
			return comparedSide(&comparison.Sample{Endpoints: []metrics.Endpoint{e}})
		},
		"history CSV": func(e metrics.Endpoint) string {
			slot := history.Slot{N: 1}
			slot.Figures[0].N = 1
			return written(func(w io.Writer) error {
				_, err := HistoryCSV(w, &history.View{Series: []history.SeriesView{{Series: history.Series{API: e.API}, Slots: []history.Slot{slot}}}})
				return err
			})
		},
	} {
		chat := metrics.Endpoint{Name: "gateway", URL: "https://gateway/v1", Model: "m"}
		own := chat
		own.API, own.Settings = "messages", "api=messages"
		if strings.Contains(document(chat), "messages") || !strings.Contains(document(own), "messages") {
			t.Errorf("%s:\n%s\nand of chat completions:\n%s", name, document(own), document(chat))
		}
	}
}

// ranAt is a request to e that ended well.
func ranAt(e metrics.Endpoint) metrics.Run {
	r := ranOnce()
	r.Stream.Endpoint = e
	return r
}
