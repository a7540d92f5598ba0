package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
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
	path := filepath.Join(schemaDir, "doctor-v1.schema.json")
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s is not what the types say: run go test ./probe/record -run Schemas -update", path)
	}
}
