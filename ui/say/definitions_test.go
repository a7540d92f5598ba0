package format

import (
	"reflect"
	"testing"

	"tokscope/metrics/slo"
)

func TestDefinitions(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Definitions {
		v := reflect.ValueOf(d)
		for i := range v.NumField() {
			if v.Field(i).String() == "" {
				t.Errorf("definition %q has no %s", d.Name, v.Type().Field(i).Name)
			}
		}
		if seen[d.Name] {
			t.Errorf("%q is defined twice", d.Name)
		}
		seen[d.Name] = true
		if got, ok := Define(d.Name); !ok || got != d {
			t.Errorf("Define(%q) = %v, %v", d.Name, got, ok)
		}
	}
	for _, name := range slo.Names() {
		if !seen[name] {
			t.Errorf("objective %q has no definition", name)
		}
	}
	if _, ok := Define("vibes"); ok {
		t.Error("there is no such figure")
	}
}
