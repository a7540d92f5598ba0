package record

// InJSON is what encoding/json is given for a value.
var InJSON = (*Sentences)(nil).inJSON
