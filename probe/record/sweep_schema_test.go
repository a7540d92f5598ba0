package record

import (
	"reflect"
	"testing"
)

// The schemas of the sweep are made as those of TestSchemas:
// go test ./probe/record -run Schemas -update
func TestSweepSchemas(t *testing.T) {
	document := generator{docs: fieldDocs(t), defs: object{}}
	sweep := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tokscope:sweep:v1", "title": "Result of tokscope sweep --json",
		"$ref": document.of(reflect.TypeOf(Sweep{})).(object)["$ref"], "$defs": document.defs,
	}
	lines := generator{docs: fieldDocs(t), defs: object{}}
	steps := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tokscope:sweep-steps:v1", "title": "One line of a file of tokscope sweep --resume",
		"oneOf": []any{lines.of(reflect.TypeOf(SweepHead{})), lines.of(reflect.TypeOf(SweepRun{})), lines.of(reflect.TypeOf(SweepLine{}))}, "$defs": lines.defs,
	}
	requests := generator{docs: fieldDocs(t), defs: object{}}
	lined := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tokscope:sweep-requests:v1", "title": "One line of a file of tokscope sweep --request-lines",
		"oneOf": []any{requests.of(reflect.TypeOf(RequestsHead{})), requests.of(reflect.TypeOf(RequestLine{})), requests.of(reflect.TypeOf(RequestsEnd{}))}, "$defs": requests.defs,
	}
	for name, schema := range map[string]object{"sweep-v1": sweep, "sweep-steps-v1": steps, "sweep-requests-v1": lined} {
		published(t, name, schema)
	}
}
