package copies

import "testing"

func TestKeep(t *testing.T) {
	var h holder
	for _, name := range []string{"x", "y", "z"} {
		if text := Keep(name, &h); text != "changed"+map[string]string{"x": "X", "y": "Y", "z": "Z"}[name] {
			t.Error(text)
		}
	}
	for i, name := range []string{"X", "Y", "Z"} {
		w := <-queue
		for _, at := range []*word{w, all[2*i]} {
			if at.next.text != name || texts[i] != name {
				t.Error(at.next.text, texts[i])
			}
		}
	}
	if byName["y"].next.text != "Y" || kept.first.next.text != "Z" || kept.fold("a") != "az" || last.text == "KEPT" || count != 6 || len(fields) != 2 || couple.one.text != "D" ||
		h.first.text != "TO" || kept.value.(*word).text != "ANY" || split.parts[1] != "Z" || all[5].text != "C" {
		t.Error(byName, kept, last, h, split)
	}
}
