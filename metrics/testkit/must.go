package testkit

// T is what tests, benchmarks and properties have.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// OK ends the test with err, if there is one. what says which case this is, as in Is.
func OK(t T, err error, what ...any) {
	if err != nil {
		t.Helper()
		t.Fatal(which(what...) + err.Error())
	}
}

// Must returns v, or ends the test with err: Must(f())(t).
func Must[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		OK(t, err)
		return v
	}
}
