package record

import (
	"reflect"
	"testing"
)

// The schema of tokscope doctor is made as those of TestSchemas:
// go test ./probe/record -run Schemas -update
func TestDoctorSchemas(t *testing.T) {
	g := generator{docs: fieldDocs(t), defs: object{}}
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tokscope:doctor:v1", "title": "Result of tokscope doctor --json",
		"$ref": g.of(reflect.TypeOf(CheckUp{})).(object)["$ref"], "$defs": g.defs,
	}
	published(t, "doctor-v1", schema)
}
