package dialog

import (
	"slices"
	"strconv"
	"strings"

	"tokscope/ui/format"
)

// Users is the picker for a number of users: the doublings, or any number that
// is typed.
type Users struct{ picker }

// NewUsers returns the picker with n selected, for 1 to most users.
func NewUsers(n, most int) *Users {
	d := &Users{}
	d.list = list{title: "users", hint: "type a number, 1 to " + format.Count(most), width: 44, whole: true}
	d.leave = Closed{}
	d.accept = func(it item) Act { return UseUsers{it.value.(int)} }
	d.extra = func(s string) (item, bool) {
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 || v > most {
			return item{}, false
		}
		it := usersItem(v, n)
		it.mark = isOffer
		return it, true
	}
	d.rank = func(filter string, it item) int {
		if strings.HasPrefix(it.name, strings.TrimSpace(filter)) {
			return 1
		}
		return 0
	}
	var all []int
	for v := 1; v < most; v *= 2 {
		all = append(all, v)
	}
	all = append(all, most)
	if at, found := slices.BinarySearch(all, n); !found && n >= 1 && n < most {
		all = slices.Insert(all, at, n)
	}
	for _, v := range all {
		d.items = append(d.items, usersItem(v, n))
	}
	d.refresh()
	d.seek(func(it item) bool { return it.value == n })
	return d
}

func usersItem(v, current int) item {
	it := item{name: strconv.Itoa(v), detail: []string{"users"}, value: v}
	if v == 1 {
		it.detail[0] = "user"
	}
	if v == current {
		it.mark, it.detail[0] = isCurrent, "now"
	}
	return it
}
