package advise

import "github.com/ebbpool/arena/arenavet/internal/profile"

// Advice is the answer.
type Advice struct {
	Pays        bool              `json:"pays"` // reports whether Gain is at least Bar
	Gain        float64           `json:"gain"` // the process's throughput, of that today
	Low         float64           `json:"low"`  // the range that it lies in
	High        float64           `json:"high"`
	GOGC400     float64           `json:"gogc400"`        // what GOGC=400 alone gains
	JSON        float64           `json:"json,omitempty"` // what arenajson alone gains, with a nil arena
	Samples     int64             `json:"samples"`
	CPUSeconds  float64           `json:"cpuSeconds"`
	Collector   float64           `json:"collector"` // its part of the time
	Malloc      float64           `json:"malloc"`
	SavedCodec  float64           `json:"savedCodec"`  // what the codec saves, of the process's time
	SavedMemory float64           `json:"savedMemory"` // what allocation and collection save, of the process's time
	Rest        float64           `json:"rest"`        // what is left, so that the three add up to 1
	Functions   []Function        `json:"functions"`   // that take an arena, those that save most first
	Others      float64           `json:"others"`      // what functions save that are not listed
	Root        string            `json:"root,omitempty"`
	Convert     string            `json:"convert,omitempty"` // flags of "arena convert"
	Heap        []Site            `json:"heap"`              // what stays there
	Sites       []Site            `json:"sites"`
	BytesTaken  float64           `json:"bytesTaken"` // in the time of the profile
	BytesLeft   float64           `json:"bytesLeft"`
	Requests    int               `json:"requests,omitempty"`
	Unknown     []profile.Unknown `json:"unknown,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
	GoVersion   string            `json:"go"`

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
