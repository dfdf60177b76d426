package jsonbench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Web is a document of a kind that services exchange, and a pointer to a value of the type that a program
// would use.
type Web struct {
	Name  string
	Value any
	New   func() any
}

type (
	record     = map[string]any
	githubUser struct {
		Login, URL, Type string
		ID               int64
		SiteAdmin        bool `json:"site_admin"`
	}
	githubIssue struct {
		ID        int64                          `json:"id"`
		Number    int                            `json:"number"`
		Title     string                         `json:"title"`
		State     string                         `json:"state"`
		User      githubUser                     `json:"user"`
		Labels    []struct{ Name, Color string } `json:"labels"`
		Comments  int                            `json:"comments"`
		Created   time.Time                      `json:"created_at"`
		Body      *string                        `json:"body"`
		Reactions map[string]int                 `json:"reactions"`
	}
	kubeEvent struct {
		Metadata struct {
			Name, Namespace, UID string
			Labels, Annotations  map[string]string
		} `json:"metadata"`
		Involved struct{ Kind, Namespace, Name string } `json:"involvedObject"`
		Reason   string                                 `json:"reason"`
		Message  string                                 `json:"message"`
		Count    int                                    `json:"count"`
		Type     string                                 `json:"type"`
		First    time.Time                              `json:"firstTimestamp"`
	}
	schema struct {
		Type       string             `json:"type,omitempty"`
		Ref        string             `json:"$ref,omitempty"`
		Properties map[string]*schema `json:"properties,omitempty"`
		Items      *schema            `json:"items,omitempty"`
		Required   []string           `json:"required,omitempty"`
	}
	media struct {
		Schema schema `json:"schema"`
	}
	response struct {
		Description string           `json:"description"`
		Content     map[string]media `json:"content,omitempty"`
	}
	operation struct {
		ID        string              `json:"operationId"`
		Summary   string              `json:"summary,omitempty"`
		Tags      []string            `json:"tags,omitempty"`
		Responses map[string]response `json:"responses"`
	}
	openAPI struct {
		OpenAPI    string                          `json:"openapi"`
		Info       map[string]string               `json:"info"`
		Paths      map[string]map[string]operation `json:"paths"`
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	geoFeature struct {
		Type       string            `json:"type"`
		Properties map[string]string `json:"properties"`
		Geometry   struct {
			Type        string         `json:"type"`
			Coordinates [][][2]float64 `json:"coordinates"`
		} `json:"geometry"`
	}
	logLine struct {
		Level  string         `json:"level"`
		Time   float64        `json:"ts"`
		Caller string         `json:"caller"`
		Msg    string         `json:"msg"`
		Fields map[string]any `json:"fields"`
	}
	searchHit struct {
		Index  string              `json:"_index"`
		ID     string              `json:"_id"`
		Score  float64             `json:"_score"`
		Source map[string]any      `json:"_source"`
		Marks  map[string][]string `json:"highlight"`
	}
	charge struct {
		ID       string            `json:"id"`
		Object   string            `json:"object"`
		Amount   int64             `json:"amount"`
		Currency string            `json:"currency"`
		Paid     bool              `json:"paid"`
		Metadata map[string]string `json:"metadata"`
		Billing  struct {
			Address map[string]*string `json:"address"`
			Email   *string            `json:"email"`
		} `json:"billing_details"`
		Outcome *struct {
			Network, Type string
			Risk          int `json:"risk_score"`
		} `json:"outcome"`
	}
	cloudEvent struct {
		SpecVersion string          `json:"specversion"`
		ID          string          `json:"id"`
		Source      string          `json:"source"`
		Type        string          `json:"type"`
		Time        time.Time       `json:"time"`
		Data        json.RawMessage `json:"data"`
	}
	lockedPackage struct {
		Version      string            `json:"version"`
		Resolved     string            `json:"resolved,omitempty"`
		Integrity    string            `json:"integrity,omitempty"`
		Dev          bool              `json:"dev,omitempty"`
		Dependencies map[string]string `json:"dependencies,omitempty"`
		Engines      map[string]string `json:"engines,omitempty"`
		Bin          map[string]string `json:"bin,omitempty"`
	}
	packageLock struct {
		Name     string                   `json:"name"`
		Version  int                      `json:"lockfileVersion"`
		Packages map[string]lockedPackage `json:"packages"`
	}
	goPackage struct {
		Dir, ImportPath, Name  string
		GoFiles, Imports, Deps []string
		ImportMap              map[string]string
		Module                 *struct{ Path, Version string }
	}
	sarif struct {
		Version string `json:"version"`
		Runs    []struct {
			Results []struct {
				Rule    string            `json:"ruleId"`
				Level   string            `json:"level"`
				Message map[string]string `json:"message"`
				Prints  map[string]string `json:"partialFingerprints"`
				Places  []struct {
					Region map[string]int       `json:"region"`
					File   struct{ URI string } `json:"artifactLocation"`
				} `json:"locations"`
			} `json:"results"`
		} `json:"runs"`
	}
	patient struct {
		Type   string `json:"resourceType"`
		ID     string `json:"id"`
		Active bool   `json:"active"`
		Name   []struct {
			Use    string   `json:"use"`
			Family string   `json:"family"`
			Given  []string `json:"given"`
		} `json:"name"`
		Birth string           `json:"birthDate"`
		More  []map[string]any `json:"extension"`
	}
)

// Webs returns a document of each kind. As in practice, they also contain members that the types do not have.
func Webs() (all []Web) {
	r := rand.New(rand.NewPCG(3, 4))
	word := func() string {
		b := make([]byte, 3+r.IntN(9))
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		return string(b)
	}
	text := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = word()
		}
		return strings.Join(list, " ")
	}
	texts := func(n int) record {
		m := record{}
		for range n {
			m[word()] = word()
		}
		return m
	}
	many := func(n int, f func(i int) any) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = f(i)
		}
		return list
	}
	at := func(i int) string { return time.Unix(1_700_000_000+int64(i)*77, 0).UTC().Format(time.RFC3339) }
	add := func(name string, v any, fresh func() any) { all = append(all, Web{name, v, fresh}) }

	add("github", many(60, func(i int) any {
		user := record{"login": word(), "id": i, "node_id": word(), "avatar_url": "https://avatars.example.com/" + word(), "url": "https://api.example.com/users/" + word(), "html_url": word(), "followers_url": word(), "gists_url": word(), "type": "User", "site_admin": false}
		return record{"url": word(), "id": 1_000_000 + i, "node_id": word(), "number": i, "title": text(6), "user": user, "labels": many(r.IntN(4), func(int) any { return record{"id": r.IntN(1e9), "name": word(), "color": "ff00aa", "default": false} }), "state": "open", "locked": false, "assignee": nil, "comments": r.IntN(40), "created_at": at(i), "updated_at": at(i + 1), "closed_at": nil, "author_association": "NONE", "body": text(60),
			"reactions": record{"total_count": 3, "+1": 1, "-1": 0, "laugh": 0, "hooray": 2, "confused": 0, "heart": 0, "rocket": 0, "eyes": 0}}
	}), func() any { return new([]githubIssue) })
	add("kubernetes", record{"kind": "EventList", "items": many(150, func(i int) any {
		return record{"metadata": record{"name": word(), "namespace": "default", "uid": word(), "resourceVersion": fmt.Sprint(i), "labels": texts(4), "annotations": texts(2)}, "involvedObject": record{"kind": "Pod", "namespace": "default", "name": word(), "uid": word()},
			"reason": "Pulled", "message": text(8), "source": record{"component": "kubelet", "host": word()}, "firstTimestamp": at(i), "lastTimestamp": at(i + 2), "count": i, "type": "Normal"}
	})}, func() any {
		return new(struct {
			Kind  string
			Items []kubeEvent
		})
	})
	var shape func(depth int) record
	shape = func(depth int) record {
		switch n := r.IntN(6); {
		case depth == 0 || n == 0:
			return record{"type": "string", "description": text(5)}
		case n == 1:
			return record{"$ref": "#/components/schemas/" + word()}
		case n == 2:
			return record{"type": "array", "items": shape(depth - 1)}
		}
		fields := record{}
		for range 2 + r.IntN(9) {
			fields[word()] = shape(depth - 1)
		}
		return record{"type": "object", "properties": fields, "required": []string{word(), word()}}
	}
	paths, schemas := record{}, record{}
	for range 40 {
		methods := record{}
		for _, m := range []string{"get", "post", "delete"}[:1+r.IntN(3)] {
			methods[m] = record{"operationId": word(), "summary": text(6), "description": text(10), "tags": []string{word()}, "responses": record{
				"200": record{"description": text(2), "content": record{"application/json": record{"schema": shape(1)}}}, "404": record{"description": "not found"}, "default": record{"description": text(2), "content": record{"application/json": record{"schema": shape(0)}}}}}
		}
		paths["/"+word()+"/{id}"] = methods
	}
	for range 60 {
		schemas[word()] = shape(3)
	}
	add("openapi", record{"openapi": "3.0.3", "info": texts(4), "paths": paths, "components": record{"schemas": schemas}}, func() any { return new(openAPI) })
	add("geojson", record{"type": "FeatureCollection", "features": many(40, func(int) any {
		ring := make([][2]float64, 40)
		for i := range ring {
			ring[i] = [2]float64{float64(r.IntN(36e6)-18e6) / 1e5, float64(r.IntN(18e6)-9e6) / 1e5}
		}
		return record{"type": "Feature", "properties": texts(8), "geometry": record{"type": "Polygon", "coordinates": [][][2]float64{ring}}}
	})}, func() any {
		return new(struct {
			Type     string
			Features []geoFeature
		})
	})
	add("logs", many(200, func(i int) any {
		return record{"level": "info", "ts": 1.7e9 + float64(i)/8, "caller": "server/" + word() + ".go:42", "msg": text(4), "fields": record{"user": word(), "status": 200, "took": 0.25, "attempt": i % 3, "cached": i%2 == 0, "headers": texts(2)}}
	}), func() any { return new([]logLine) })
	add("elastic", record{"took": 5, "timed_out": false, "hits": record{"total": record{"value": 10000, "relation": "eq"}, "hits": many(100, func(i int) any {
		source := texts(6)
		source["price"], source["tags"], source["stock"] = float64(i)/4, []string{word(), word()}, record{"berlin": i, "paris": 2}
		return record{"_index": "products", "_id": word(), "_score": 1.5, "_source": source, "highlight": record{"title": []string{text(5)}, "body": []string{text(9), text(8)}}}
	})}}, func() any {
		return new(struct {
			Took int
			Hits struct{ Hits []searchHit }
		})
	})
	add("stripe", record{"object": "list", "has_more": true, "data": many(100, func(i int) any {
		return record{"id": "ch_" + word(), "object": "charge", "amount": i * 99, "amount_refunded": 0, "currency": "eur", "paid": true, "captured": true, "created": 1_700_000_000 + i, "metadata": texts(r.IntN(5)), "refunds": record{}, "billing_details": record{"address": record{"city": word(), "country": "DE", "line1": text(3), "line2": nil, "postal_code": "10115", "state": nil}, "email": word() + "@example.com", "name": nil},
			"outcome": record{"network_status": "approved", "risk_score": 12, "type": "authorized", "network": word()}, "payment_method_details": record{"type": "card", "card": record{"brand": "visa", "last4": "4242", "checks": record{}}}}
	})}, func() any {
		return new(struct {
			Object string
			Data   []charge
		})
	})
	add("cloudevents", many(100, func(i int) any {
		return record{"specversion": "1.0", "id": word(), "source": "/orders", "type": "com.example.order", "time": at(i), "datacontenttype": "application/json", "data": record{"order": i, "items": many(3, func(int) any { return texts(3) })}}
	}), func() any { return new([]cloudEvent) })
	packages := record{"": record{"version": "1.0.0", "dependencies": texts(30)}}
	for i := range 300 {
		p := record{"version": fmt.Sprintf("%d.%d.0", i%9, i%7), "resolved": "https://registry.example.com/" + word() + "/-/" + word() + ".tgz", "integrity": "sha512-" + text(8), "license": "MIT", "funding": record{"url": "https://example.com/" + word()}, "engines": record{"node": ">=14"}}
		if n := r.IntN(12); n > 3 {
			p["dependencies"] = texts(n - 3)
		}
		if i%10 == 0 {
			p["bin"], p["peer"], p["dev"] = texts(1), true, true
		}
		packages["node_modules/"+word()+fmt.Sprint(i)] = p
	}
	add("package-lock", record{"name": word(), "lockfileVersion": 3, "requires": true, "packages": packages}, func() any { return new(packageLock) })
	add("golist", many(80, func(i int) any {
		names := many(10+r.IntN(40), func(int) any { return "example.com/" + word() + "/" + word() })
		return record{"Dir": "/src/" + word(), "ImportPath": "example.com/" + word(), "Name": word(), "GoFiles": many(5, func(int) any { return word() + ".go" }), "Imports": names[:8], "Deps": names, "ImportMap": texts(i % 3), "Module": record{"Path": word(), "Version": "v1.2.3", "Main": true, "GoVersion": "1.25"}, "Match": []string{"./..."}, "Stale": true}
	}), func() any { return new([]goPackage) })
	add("sarif", record{"version": "2.1.0", "runs": []any{record{"tool": record{"driver": record{"name": word(), "rules": many(20, func(int) any { return texts(4) })}}, "results": many(150, func(i int) any {
		return record{"ruleId": word(), "ruleIndex": i % 20, "level": "warning", "message": record{"text": text(9)}, "partialFingerprints": texts(2), "locations": []any{record{"physicalLocation": record{}, "artifactLocation": record{"uri": word() + ".go", "index": i}, "region": record{"startLine": i, "startColumn": 2, "endLine": i + 1, "endColumn": 9}}}}
	})}}}, func() any { return new(sarif) })
	add("fhir", record{"resourceType": "Bundle", "entry": many(80, func(i int) any {
		return record{"fullUrl": "urn:uuid:" + word(), "resource": record{"resourceType": "Patient", "id": word(), "active": true, "name": []any{record{"use": "official", "family": word(), "given": []string{word(), word()}}}, "birthDate": "1970-01-01", "telecom": []any{texts(3)}, "extension": many(3, func(int) any {
			return record{"url": "http://example.com/" + word(), "valueCode": word(), "valueCoding": texts(3)}
		})}}
	})}, func() any { return new(struct{ Entry []struct{ Resource patient } }) })
	return all
}
