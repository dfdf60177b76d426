package advise

import "github.com/ebbpool/arena/arenavet/internal/profile"

// Advice is the answer.
type Advice struct {
	Pays       bool              `json:"pays"` // reports whether Gain is at least Bar
	Gain       float64           `json:"gain"` // the process's throughput, of that today
	Low        float64           `json:"low"`  // the range that it lies in
	High       float64           `json:"high"`
	GOGC400    float64           `json:"gogc400"`        // what GOGC=400 alone gains
	JSON       float64           `json:"json,omitempty"` // what arenajson alone gains, with a nil arena
	Samples    int64             `json:"samples"`
	CPUSeconds float64           `json:"cpuSeconds"`
	Collector  float64           `json:"collector"` // its part of the time
	Malloc     float64           `json:"malloc"`
	Functions  []Function        `json:"functions"` // that take an arena, those that save most first
	Heap       []Site            `json:"heap"`      // what stays there
	Sites      []Site            `json:"sites"`
	BytesTaken float64           `json:"bytesTaken"` // in the time of the profile
	BytesLeft  float64           `json:"bytesLeft"`
	Requests   int               `json:"requests,omitempty"`
	Unknown    []profile.Unknown `json:"unknown,omitempty"`
	Notes      []string          `json:"notes,omitempty"`
	GoVersion  string            `json:"go"`

	total  float64
	flames *flame
}

// Bar is the gain from which an arena is worth its conversion.
const Bar = 1.10

// Function is one that would take an arena.
type Function struct {
	Name  string  `json:"name"`
	File  string  `json:"file"`
	Saved float64 `json:"saved"` // of the process's time
	Sites []Site  `json:"sites"`
}
