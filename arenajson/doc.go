// Package arenajson is encoding/json with its memory in an arena: what it writes
// and returns is what encoding/json does, and nothing is left for the collector.
//
// Values and documents lie in the arena that is passed, and end with its life. A
// nil arena stands for the heap.
package arenajson
