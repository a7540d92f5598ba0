package record

import (
	"reflect"
	"testing"
)

// The schema of tokscope definitions is made as those of TestSchemas:
// go test ./probe/record -run Schemas -update
func TestDefinitionsSchemas(t *testing.T) {
	g := generator{docs: fieldDocs(t), defs: object{}}
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tokscope:definitions:v1", "title": "Result of tokscope definitions --json",
		"$ref": g.of(reflect.TypeOf(Definitions{})).(object)["$ref"], "$defs": g.defs,
	}
	published(t, "definitions-v1", schema)
}
