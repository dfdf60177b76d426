package apart

import "bytes"

func lower(p *parser) []byte { return bytes.ToLower(p.text) }
