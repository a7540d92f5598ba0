package dialog

import "strconv"

// NewLessons returns the picker for the number of a lesson of the tour, from 1, with
// lesson now selected. seen marks the lessons that were shown to their verdict.
func NewLessons(titles []string, now int, seen []bool) *Picker[int] {
	d := newPicker[int](list{title: "the tour", hint: "type a number or a word", width: 62}, nil)
	for i, title := range titles {
		it := item{name: strconv.Itoa(i+1) + "  " + title, value: i + 1}
		if i < 9 {
			it.name = " " + it.name
		}
		switch {
		case i+1 == now:
			it.mark, it.detail = isCurrent, []string{"you are here"}
		case i < len(seen) && seen[i]:
			it.mark, it.detail = isReady, []string{"seen"}
		default:
			it.mark = notReady
		}
		d.items = append(d.items, it)
	}
	d.open()
	d.at = max(min(now, len(d.items))-1, 0) // the last one where the tour is over
	return d
}
