package golden

import (
	"reflect"

	"tokscope/metrics"
)

// Scale multiplies every known figure that view holds by factor, so that a
// screen shows it in another unit. view is a pointer to a struct. Slices and
// what pointers lead to are copied before; unexported fields stay.
func Scale(view any, factor float64) {
	scale(reflect.ValueOf(view).Elem(), factor)
}

var figure = reflect.TypeFor[metrics.Value]()

func scale(v reflect.Value, factor float64) {
	if !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == figure {
			known := v.Addr().Interface().(*metrics.Value)
			known.V *= factor
			return
		}
		for i := range v.NumField() {
			scale(v.Field(i), factor)
		}
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range v.Len() {
			scale(v.Index(i), factor)
		}
	case reflect.Array:
		for i := range v.Len() {
			scale(v.Index(i), factor)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			at := reflect.New(v.Type().Elem())
			at.Elem().Set(v.Elem())
			v.Set(at)
			scale(at.Elem(), factor)
		}
	}
}
