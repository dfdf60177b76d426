package codec

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	for range 3 {
		w := httptest.NewRecorder()
		Serve(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"ID": "seven", "Lines": [{"Name": "pen", "Tags": ["a", "b"]}]}`)))
		text, _, _ := strings.Cut(w.Body.String(), "\n")
		if !strings.HasPrefix(text, `{"ID":"seven","Lines":[{"Name":"pen","Tags":["a","b"]},{"Name":"","Tags":null},`) {
			t.Error(text)
		}
		if shared.Name != "pen" || !strings.HasPrefix(string(reply), text[:60]) {
			t.Error(shared, string(reply))
		}
		if current.Max != 0 || !seen[""] || kept[0] != "seven" || decoder == nil {
			t.Error(current, seen, kept)
		}
	}
}
