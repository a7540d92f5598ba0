package record

import (
	"reflect"
	"testing"
)

// The schema of tokscope replay is made as those of TestSchemas:
// go test ./probe/record -run Schemas -update
func TestReplaySchemas(t *testing.T) {
	g := generator{docs: fieldDocs(t), defs: object{}}
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tokscope:replay:v1", "title": "Result of tokscope replay --json",
		"$ref": g.of(reflect.TypeOf(Replay{})).(object)["$ref"], "$defs": g.defs,
	}
	published(t, "replay-v1", schema)
}
