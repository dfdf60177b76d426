package jsonbench

import (
	"fmt"

	simdjson "github.com/minio/simdjson-go"
)

// moreSearches returns simdjson-go, if the processor supports it. It returns only strings without quotes;
// found holds the text of other values.
func moreSearches() []search {
	if !simdjson.SupportedCPU() {
		return nil
	}
	var parsed *simdjson.ParsedJson
	return []search{{"simdjson-go", func(text []byte, paths *[3][]any) (found [3]string, err error) {
		parsed, err = simdjson.Parse(text, parsed, simdjson.WithCopyStrings(false))
		if err != nil {
			return found, err
		}
		root := parsed.Iter()
		root.Advance()
		_, top, err := root.Root(nil)
		if err != nil {
			return found, err
		}
		for i, path := range paths {
			at := *top
			for _, p := range path {
				if name, ok := p.(string); ok {
					object, err := at.Object(nil)
					if err != nil {
						return found, err
					}
					element := object.FindKey(name, nil)
					if element == nil {
						return found, fmt.Errorf("no %s", name)
					}
					at = element.Iter
					continue
				}
				array, err := at.Array(nil)
				if err != nil {
					return found, err
				}
				at = array.Iter()
				for range p.(int) + 1 {
					at.Advance()
				}
			}
			text, err := at.MarshalJSON()
			if err != nil {
				return found, err
			}
			found[i] = string(text)
		}
		return found, nil
	}}}
}
