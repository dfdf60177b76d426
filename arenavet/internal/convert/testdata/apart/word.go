package apart

func word(p *parser) *Node { return &Node{Text: lower(p)} }
