package dialog

import (
	"slices"
	"strconv"

	"tokscope/ui/prompts"
)

// lengthMost is the largest limit that can be typed.
const lengthMost = 1_000_000

// NewLength returns the picker for the output limit, with n selected; 0 is the server's.
func NewLength(n int) *Picker[int] {
	d := newPicker[int](list{title: "output length", hint: "type a number for any other", width: 62}, nil)
	d.extra = func(s string) (item, bool) {
		v, err := strconv.Atoi(s)
		if err != nil || v <= 0 || v > lengthMost {
			return item{}, false
		}
		it := lengthItem(v, n)
		it.mark = isOffer
		return it, true
	}
	known := slices.Contains(prompts.Lengths, n)
	for _, l := range prompts.Lengths {
		if !known && (l > n || l == 0) { // the present limit is listed in order
			d.items, known = append(d.items, lengthItem(n, n)), true
		}
		d.items = append(d.items, lengthItem(l, n))
	}
	return d.open()
}

func lengthItem(v, current int) item {
	it := item{name: strconv.Itoa(v), detail: []string{"tokens at most"}, value: v}
	if v == 0 {
		it.name, it.detail = "open", []string{"the server decides when to stop"}
	}
	if v == current {
		it.mark = isCurrent
		it.detail = []string{"in use"}
	}
	return it
}
