// Package keepers gives texts to functions of the standard library that keep them elsewhere than in what they return:
// only those of names may move.
package keepers

import (
	"mime"
	"net/http"
	"os"
	"strings"
	"text/template"
)

var (
	reader   = strings.NewReader("")
	page     = template.New("")
	replacer = strings.NewReplacer("<", "&lt;")
)

// Parse is the root. Nothing but its own texts uses the request's arena.
func Parse(w http.ResponseWriter, r *http.Request, name string) string {
	os.Setenv("NAME_"+name, name)
	mime.AddExtensionType("."+name, "text/plain")
	http.Get("http://" + name)
	http.DefaultClient.Post("http://"+name, "text/plain", nil)
	reader.Reset(name + name)
	page.Parse("{{" + name + "}}")
	http.Redirect(w, r, "/"+name, http.StatusFound)
	if text := r.FormValue("name " + name); text != "" {
		return text
	}
	return replacer.Replace("name " + name)
}
