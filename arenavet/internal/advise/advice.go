package advise

import "github.com/ebbpool/arena/arenavet/internal/profile"

// Advice is a prediction for one root.
type Advice struct {
	Root        string            `json:"root,omitempty"` // the function whose call the arena ends with
	Pays        bool              `json:"pays"`           // reports whether Gain is at least Bar
	Gain        float64           `json:"gain"`           // throughput of the process, as a multiple of today's
	Low         float64           `json:"low"`            // the range of Gain
	High        float64           `json:"high"`
	GOGC400     float64           `json:"gogc400"`        // the gain of GOGC=400 alone
	JSON        float64           `json:"json,omitempty"` // the gain of arenajson alone, with a nil arena
	Samples     int64             `json:"samples"`
	CPUSeconds  float64           `json:"cpuSeconds"`
	Collector   float64           `json:"collector"` // its part of the time
	Malloc      float64           `json:"malloc"`
	SavedCodec  float64           `json:"savedCodec"`        // by the codec, of the process's time
	SavedMemory float64           `json:"savedMemory"`       // in allocation and collection, of the process's time
	Rest        float64           `json:"rest"`              // SavedCodec, SavedMemory and Rest add up to 1
	Functions   []Function        `json:"functions"`         // that take an arena, by their saving
	Others      float64           `json:"others"`            // the saving of functions that are not listed
	Convert     string            `json:"convert,omitempty"` // flags of "arena convert"
	Heap        []Site            `json:"heap"`              // sites that stay there
	Sites       []Site            `json:"sites"`
	BytesTaken  float64           `json:"bytesTaken"` // in the time of the profile
	BytesLeft   float64           `json:"bytesLeft"`
	Requests    int               `json:"requests,omitempty"`
	Unknown     []profile.Unknown `json:"unknown,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
	GoVersion   string            `json:"go"`

	total float64
}

// Bar is the gain from which an arena is worth its conversion.
const Bar = 1.10

// Function is a function with sites that move.
type Function struct {
	Name  string  `json:"name"`
	File  string  `json:"file"`
	Saved float64 `json:"saved"` // of the process's time
	Sites []Site  `json:"sites"`
}
