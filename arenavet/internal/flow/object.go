package flow

import "slices"

// object is what lies in the objects of a site, by path. States share those that they
// have not changed since they were one.
type object struct {
	parts map[string][]Atom
	sites []*Site // those that parts mention, each once; nil where that is to be found yet
}

// mentions reports whether what lies in o leads to a site that is meant, or was allocated
// from it, and adds to cost what it takes to find that.
func (o *object) mentions(meant func(*Site) bool, cost *int) bool {
	if o.sites == nil {
		seen := map[*Site]bool{nil: true}
		o.sites = []*Site{}
		for _, atoms := range o.parts {
			*cost += 1 + len(atoms)
			for _, a := range atoms {
				for _, k := range []*Site{a.Site, a.Region} {
					if !seen[k] {
						seen[k] = true
						o.sites = append(o.sites, k)
					}
				}
			}
		}
	}
	*cost += len(o.sites)
	return slices.ContainsFunc(o.sites, meant)
}
