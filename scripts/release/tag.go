package main

import (
	"fmt"
	"strings"
)

// tag makes the tags of all published modules, on the commit that is checked out, or none
// when one of them is there; and pushes them together, so that no module can be had
// without those it requires.
func (r *repo) tag(push bool) error {
	var tags []string
	for _, m := range r.published() {
		tags = append(tags, m.tag(r.version))
	}
	there, err := output(r.root, "git", append([]string{"tag", "--list"}, tags...)...)
	if err != nil {
		return err
	}
	if there = strings.Join(strings.Fields(there), ", "); there != "" {
		return fmt.Errorf("there is a tag already: %s: a version that may have been fetched is never moved, name the next one in CHANGELOG.md", there)
	}
	for _, tag := range tags {
		if _, err := output(r.root, "git", "tag", "-a", "-m", "Ebbpool "+r.version, tag); err != nil {
			return err
		}
	}
	fmt.Println("tagged: " + strings.Join(tags, ", "))
	if !push {
		return nil
	}
	_, err = output(r.root, "git", append([]string{"push", "--atomic", "origin"}, tags...)...)
	return err
}
