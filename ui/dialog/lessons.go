package dialog

import "strconv"

// Lessons is the picker for the tour's lessons.
type Lessons struct{ picker }

// UseLesson reports the number of the chosen lesson, from 1.
type UseLesson struct{ Number int }

func (UseLesson) act() {}

// NewLessons returns the picker with lesson now selected. seen marks the
// lessons that were shown to their verdict.
func NewLessons(titles []string, now int, seen []bool) *Lessons {
	d := &Lessons{}
	d.list = list{title: "the tour", hint: "type a number or a word", width: 62}
	d.leave = Closed{}
	d.accept = func(it item) Act { return UseLesson{it.value.(int)} }
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
	d.refresh()
	d.at = max(min(now, len(d.items))-1, 0)
	return d
}
