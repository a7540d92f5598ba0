package sim

import "tokscope/probe/sim/schema"

// parseFormat reads response_format. Text that must fit a schema is written
// by package schema.
func (r *request) parseFormat(f *fields) {
	o := f.object("response_format")
	if !o.exists {
		return
	}
	switch kind := o.text("type"); {
	case o.err != nil:
	case kind == "text":
	case kind == "json_object":
		r.format = schema.Object()
	case kind == "json_schema":
		r.parseSchema(o)
	default:
		o.fail("type", "response_format.type must be text, json_object or json_schema, got %q", clip(kind))
	}
	f.include(o)
}

func (r *request) parseSchema(f *fields) {
	o := f.object("json_schema")
	if !o.exists {
		f.fail("json_schema", "response_format.json_schema is missing")
	}
	if o.text("name") == "" && o.err == nil {
		o.fail("name", "response_format.json_schema.name is missing")
	}
	o.boolean("strict")
	r.format = schema.Object()
	if v := o.raw("schema"); v != nil {
		s, err := schema.Compile(v)
		if err != nil {
			o.fail("schema", "response_format.json_schema.schema: %v", err)
		}
		r.format = s
	}
	f.include(o)
}
