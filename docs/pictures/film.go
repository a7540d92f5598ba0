//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/svg"
	"tokscope/ui/uitest/vterm"
)

// Bounds of a moving picture.
const (
	filmEvery = 100 * time.Millisecond // a frame
	filmRests = 3 * time.Second        // the last frame, before the film begins again
	filmMost  = 600_000                // bytes: every second frame is left out until it fits
	filmBlock = 10                     // columns of a row that change together
)

// film is what a terminal has shown: its frames, each with the rows of its cells, and
// when each began. The last one is also what is seen where nothing moves.
type film struct {
	frames [][][]svg.Cell
	at     []time.Duration
	lasts  time.Duration
}

// shoot takes a frame of the terminal's screen every filmEvery until d has passed since
// its first whole frame, whose footer says how to quit.
func shoot(x *vterm.Term, d time.Duration) (*film, error) {
	f := &film{lasts: d + filmRests}
	if err := x.Until(patience, "q quit"); err != nil {
		return nil, err
	}
	begun := time.Now()
	for tick := time.NewTicker(filmEvery); ; <-tick.C {
		at := time.Since(begun)
		f.frames, f.at = append(f.frames, x.Cells(svg.Dark)), append(f.at, at)
		if at >= d {
			tick.Stop()
			return f, nil
		}
	}
}

// svg draws the film in at most filmMost bytes, with as many frames as that allows.
func (f *film) svg() []byte {
	for {
		out := f.draw()
		if len(out) <= filmMost || len(f.frames) < 3 {
			return out
		}
		f.halve()
	}
}

// halve leaves out every second frame, never the last.
func (f *film) halve() {
	kept := &film{lasts: f.lasts}
	for i := range f.frames {
		if (len(f.frames)-1-i)%2 == 0 {
			kept.frames, kept.at = append(kept.frames, f.frames[i]), append(kept.at, f.at[i])
		}
	}
	*f = *kept
}

// draw draws the film. A block of a row that never changes is drawn once. Of another one
// all that it shows lies in a strip, each once, behind a window of its size; steps move
// the strip. It begins with what the last frame shows, which a reader without motion
// sees.
func (f *film) draw() []byte {
	w, h := len(f.frames[0][0]), len(f.frames[0])
	d := drawing{ids: map[string]int{}}
	for y := range h {
		for x := 0; x < w; x += filmBlock {
			end := min(x+filmBlock, w)
			shows := pick.Each(f.frames, func(frame *[][]svg.Cell) string { return string(svg.Row((*frame)[y][x:end])) })
			left, top, wide, high := svg.Place(x, y, end-x)
			if still := slices.Compact(slices.Clone(shows)); len(still) == 1 {
				fmt.Fprintf(&d.body, `<g transform="translate(%.1f,%.1f)">%s</g>`+"\n", left, top, still[0])
				continue
			}
			fmt.Fprintf(&d.body, `<svg x="%.1f" y="%.1f" width="%.1f" height="%.1f">`, left, top, wide, high)
			d.strip(f, shows, 2*int(high))
			d.body.WriteString("</svg>\n")
		}
	}
	var out bytes.Buffer
	svg.Begin(&out, w, h, svg.Dark.Background)
	fmt.Fprintf(&out, "<style>\n@media (prefers-reduced-motion:no-preference){.m{animation:%.4gs step-end infinite}}\n",
		f.lasts.Seconds())
	fmt.Fprintf(&out, "%s</style>\n<defs>\n%s</defs>\n%s</svg>\n", &d.style, &d.defs, &d.body)
	return out.Bytes()
}

// drawing is a film as it is drawn. What several strips show is drawn once, with an id.
type drawing struct {
	defs, style, body bytes.Buffer
	ids               map[string]int
	strips            int
}

// strip draws what a block shows in each frame of f, each once, apart px below the one
// before, and the steps that move it.
func (d *drawing) strip(f *film, shows []string, apart int) {
	name := fmt.Sprintf("k%d", d.strips)
	d.strips++
	fmt.Fprintf(&d.body, `<g class="m" style="animation-name:%s">`, name)
	fmt.Fprintf(&d.style, "@keyframes %s{", name)
	places := map[string]int{}
	place := func(s string) int {
		at, placed := places[s]
		if !placed {
			at = apart * len(places)
			places[s] = at
			fmt.Fprintf(&d.body, `<use href="#a%d" y="%d"/>`, d.id(s), at)
		}
		return at
	}
	place(shows[len(shows)-1])
	for i, s := range shows {
		if i == 0 || s != shows[i-1] {
			share := 100 * format.Either(i == 0, 0, f.at[i].Seconds()/f.lasts.Seconds())
			fmt.Fprintf(&d.style, "%.4g%%{translate:0 %dpx}", share, -place(s))
		}
	}
	d.style.WriteString("}\n")
	d.body.WriteString("</g>")
}

// id returns the id of what a block shows.
func (d *drawing) id(s string) int {
	id, drawn := d.ids[s]
	if !drawn {
		id = len(d.ids)
		d.ids[s] = id
		fmt.Fprintf(&d.defs, `<g id="a%d">%s</g>`+"\n", id, s)
	}
	return id
}
