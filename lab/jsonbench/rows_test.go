package jsonbench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/corpora"
)

// small is a document of 100 bytes.
type small struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Admin bool   `json:"admin"`
	Score int    `json:"score"`
}

// project is an element of a large array, with one long text.
type project struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Technology  []string `json:"technologies"`
	Sponsor     struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"sponsor"`
}

// made returns documents with values of one kind each, for which codecs differ most.
func made(t testing.TB) (all []document) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(name string, v any, fresh func() any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, document{corpora.Corpus{Name: name, New: fresh}, text, v})
	}
	words := func(letters string, n int) string {
		var b strings.Builder
		set := []rune(letters)
		for range n {
			b.WriteRune(set[r.IntN(len(set))])
		}
		return b.String()
	}
	const latin = "abcdefghijklmnopqrstuvwxyz    ,.-"
	numbers := func(name string, text func() string) {
		list := make([]json.RawMessage, 10_000)
		for i := range list {
			list[i] = json.RawMessage(text())
		}
		add(name, list, func() any { return new([]float64) })
		v := new([]float64)
		if err := json.Unmarshal(all[len(all)-1].text, v); err != nil {
			t.Fatal(err)
		}
		all[len(all)-1].value = v
	}
	add("small", &small{73_114, "Grace Hopper", "grace@example.com", true, 992}, func() any { return new(small) })
	japanese := make([]string, 1000)
	for i := range japanese {
		japanese[i] = words("日本語の文章を読み書きする機械は速くなければならないかもしれません。、ー", 10+r.IntN(100))
	}
	add("japanese", &japanese, func() any { return new([]string) })
	numbers("floats_17", func() string { return strconv.FormatFloat(r.Float64(), 'e', 16, 64) })
	numbers("floats_18_to_25", func() string { return strconv.FormatFloat(r.Float64()*1000, 'f', 17+r.IntN(6), 64) })
	numbers("floats_below_0.0001", func() string { return strconv.FormatFloat(r.Float64()/1e4, 'f', 20, 64) })
	numbers("numbers", func() string {
		return strconv.FormatFloat(r.NormFloat64()*1000, "gef"[r.IntN(3)], r.IntN(12), 64)
	})
	integers := make([]int64, 10_000)
	for i := range integers {
		integers[i] = r.Int64() >> r.IntN(64)
	}
	add("integers", &integers, func() any { return new([]int64) })
	blob := make([]byte, 100_000)
	for i := range blob {
		blob[i] = byte(r.Uint32())
	}
	add("base64", &blob, func() any { return new([]byte) })
	texts := map[string]string{}
	for i := range 1000 {
		texts[fmt.Sprintf("%s-%d", words(latin[:26], 8), i)] = words(latin, 20)
	}
	add("map_1000", &texts, func() any { return new(map[string]string) })
	labels := func(n int) map[string]string {
		m := map[string]string{}
		for range n {
			m["app.example.com/"+words(latin[:26], 8)] = words(latin[:26], 12)
		}
		return m
	}
	list := pods{Kind: "PodList"}
	for i := range 500 {
		var p pod
		p.Metadata.Name, p.Metadata.Namespace, p.Metadata.UID = fmt.Sprintf("worker-%d", i), "default", words("0123456789abcdef", 32)
		p.Metadata.Created, p.Metadata.Labels, p.Metadata.Annotations = time.Unix(1_700_000_000+int64(i), 0).UTC(), labels(5), labels(3)
		p.Metadata.Managed = json.RawMessage(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{}}}}}`)
		grace := int64(30)
		p.Spec.Node, p.Spec.Selector, p.Spec.Grace = "node-7", labels(2), &grace
		for range 2 {
			p.Spec.Containers = append(p.Spec.Containers, container{words(latin[:26], 8), "registry.example.com/team/" + words(latin[:26], 10) + ":v1.2", []string{"--verbose", "--port=8080"}, map[resourceName]quantity{"cpu": {"500m"}, "memory": {"128Mi"}}})
		}
		p.Status.Phase, p.Status.IP, p.Status.QOS = "Running", "10.0.12.7", "Burstable"
		list.Items = append(list.Items, p)
	}
	add("podlist", &list, func() any { return new(pods) })
	projects := map[string]project{}
	for i := range 1000 {
		var p project
		p.Name, p.Description, p.Technology = words(latin, 40), words(strings.Repeat(latin, 3)+"\n\"é", 1500), []string{"go", "linux", "kubernetes"}
		p.Sponsor.Name, p.Sponsor.URL = words(latin[:26], 12), "https://example.com/"+words(latin[:26], 20)
		projects[strconv.Itoa(i)] = p
	}
	add("gsoc", &projects, func() any { return new(map[string]project) })
	return all
}
