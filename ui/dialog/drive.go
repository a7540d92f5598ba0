package dialog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// driveForms are the forms that can be typed, the shortest first.
const driveForms = "8 users, 12/s poisson or 10-200 in 60s"

// NewDrive returns the picker for what makes the requests of a load begin, with now
// selected, for most users at most: steps of users, or of a rate, in requests a second,
// where now is an open loop, or whatever is typed, a ramp too.
func NewDrive(now loadstat.Drive, most int, steps []float64) *Picker[loadstat.Drive] {
	title := format.Either(now.Open(), "requests a second", "users")
	d := newPicker[loadstat.Drive](list{title: title, hint: "type " + driveForms, forms: driveForms,
		width: 50, whole: true}, nil)
	d.extra = func(s string) (item, bool) {
		v, err := loadstat.ParseDrive(s, now, most)
		if err != nil {
			return item{}, false
		}
		it := driveItem(v, now)
		it.mark = isOffer
		return it, true
	}
	d.rank = func(filter string, it item) int {
		return format.Either(strings.HasPrefix(it.name, strings.TrimSpace(filter)), 1, 0)
	}
	plain := now
	plain.To, plain.Within = 0, 0
	var all []loadstat.Drive
	for _, step := range steps {
		v := plain
		if now.Open() {
			v.Rate = step
		} else {
			v.Users = int(step)
		}
		all = append(all, v)
	}
	by := func(v loadstat.Drive, from float64) int { return cmp.Compare(v.From(), from) }
	if i, listed := slices.BinarySearchFunc(all, plain.From(), by); !listed {
		all = slices.Insert(all, i, plain)
	}
	if now.Open() {
		other := plain
		other.Poisson = !now.Poisson
		all = slices.Insert(all, 0, other)
	}
	for _, v := range all {
		d.items = append(d.items, driveItem(v, now))
	}
	d.refresh()
	d.seek(func(it item) bool { return it.value == plain })
	return d
}

// driveItem is the row of v, where now is in use.
func driveItem(v, now loadstat.Drive) item {
	it := item{name: strconv.Itoa(v.Users), detail: []string{"users"}, value: v}
	switch {
	case v.Open():
		it.name = format.Exact(v.Rate) + "/s"
		it.detail[0] = format.Either(v.Poisson, "at random (Poisson)", "evenly spaced")
	case v.Users == 1:
		it.detail[0] = "user"
	}
	if v.Ramps() {
		it.name += " to " + format.Exact(v.To)
		it.detail[0] += " in " + string(format.AppendElapsed(nil, v.Within.Seconds()))
	}
	if v == now {
		it.mark, it.detail[0] = isCurrent, "now"
	}
	return it
}
