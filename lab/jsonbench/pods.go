package jsonbench

import (
	"encoding/json"
	"strconv"
	"time"
)

// pods is like the response that lists the pods of a cluster: small maps in structs.
type pods struct {
	Kind  string `json:"kind"`
	Items []pod  `json:"items"`
}

type pod struct {
	Metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace,omitempty"`
		UID         string            `json:"uid,omitempty"`
		Created     time.Time         `json:"creationTimestamp"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
		Managed     json.RawMessage   `json:"managedFields,omitempty"`
	} `json:"metadata"`
	Spec struct {
		Containers []container       `json:"containers"`
		Node       string            `json:"nodeName,omitempty"`
		Selector   map[string]string `json:"nodeSelector,omitempty"`
		Grace      *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		IP    string `json:"podIP"`
		QOS   string `json:"qosClass"`
	} `json:"status"`
}

type container struct {
	Name   string                    `json:"name"`
	Image  string                    `json:"image"`
	Args   []string                  `json:"args,omitempty"`
	Limits map[resourceName]quantity `json:"limits,omitempty"`
}

type resourceName string

// quantity has methods, like the type of Kubernetes.
type quantity struct{ text string }

func (q quantity) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, q.text), nil }

func (q *quantity) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(b))
	q.text = text
	return err
}
