package figure

import (
	"reflect"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestTable holds that every figure has one row, and that names and keys are
// unique.
func TestTable(t *testing.T) {
	rows, names := map[ID]bool{}, map[string]bool{}
	for i := range table {
		f := &table[i]
		testkit.That(t, !rows[f.ID], "%s has two rows", f.Label)
		rows[f.ID] = true
		for _, name := range append(f.Aliases, f.Name, "label "+f.Label, "key "+f.Key) {
			testkit.That(t, !names[name] || name == "key ", "%q is the name of two figures", name)
			names[name] = true
		}
		if id, ok := Named(f.Name); !ok || id != f.ID || f.Label == "" || Of(f.ID) != f {
			t.Errorf("the row of %s is %+v", f.Label, f)
		}
	}
	if _, ok := Named("vibes"); ok {
		t.Error("there is no such figure")
	}
}

// parts are the fields of metrics.Figures that are no figure of their own.
var parts = map[string]string{
	"Elapsed":   "it is the total, at the end",
	"Predicted": "it is told with the residual",
}

// TestEveryFieldHasARow holds that every value and distribution of metrics.Figures
// is the value of one row.
func TestEveryFieldHasARow(t *testing.T) {
	for field := range reflect.TypeFor[metrics.Figures]().Fields() {
		var f metrics.Figures
		v := reflect.ValueOf(&f).Elem().FieldByIndex(field.Index)
		n := 1
		switch to := v.Addr().Interface().(type) {
		case *metrics.Value:
			*to = metrics.Known(739, 1)
		case *metrics.Dist:
			to.P50 = metrics.Known(739, 1)
		case *[2]metrics.Value:
			n, to[0], to[1] = 2, metrics.Known(739, 1), metrics.Known(739, 1)
		default:
			continue
		}
		for i := range table {
			if got := table[i].Value(&metrics.Stream{}, &f); got.OK && got.V == 739 && table[i].ID != Connect {
				n--
			}
		}
		_, part := parts[field.Name]
		testkit.That(t, n == 0 || part, "%s has no row in the table of figures, or two", field.Name)
	}
}
