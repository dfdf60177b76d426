// Package page keeps generated tables in a Markdown page, between markers.
package page

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Sections of the pages: Front and Load of the README, JSON of docs/generated/json-speed.md,
// Bench and Instructions of docs/generated/cpp-speed.md, and the others of docs/numbers.md.
const (
	Front        = "front"
	Bench        = "bench"
	Stress       = "stress"
	Load         = "load"
	Lab          = "lab"
	JSON         = "json"
	Instructions = "instructions"
)

// ErrNoMarkers tells that a page has no place for a section.
var ErrNoMarkers = errors.New("page: the markers of the section are missing")

func markers(section string) (begin, end string) {
	return "<!-- " + section + ":begin -->", "<!-- " + section + ":end -->"
}

// Extract returns what stands between a section's markers.
func Extract(page, section string) (string, error) {
	begin, end := markers(section)
	_, rest, ok := strings.Cut(page, begin+"\n")
	table, _, okEnd := strings.Cut(rest, end)
	if !ok || !okEnd {
		return "", fmt.Errorf("%w: a line %s and after it a line %s", ErrNoMarkers, begin, end)
	}
	return table, nil
}

// Insert replaces what stands between a section's markers.
func Insert(page, section, table string) (string, error) {
	old, err := Extract(page, section)
	if err != nil {
		return "", err
	}
	begin, end := markers(section)
	return strings.Replace(page, begin+"\n"+old+end, begin+"\n"+table+end, 1), nil
}

// Check tells whether Update can replace a section of a file.
func Check(file, section string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := Extract(string(text), section); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Update replaces a section of a file.
func Update(file, section, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := Insert(string(text), section, table)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}
