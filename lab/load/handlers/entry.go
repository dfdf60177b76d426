package handlers

import (
	"strconv"
	"strings"
	"time"
)

// entry is a line in Combined Log Format. Its strings are substrings of the line.
type entry struct {
	ip, auth       string
	at             int64 // seconds since 1970
	method, path   string
	query          string
	status, bytes  int
	referer, agent string
}

// parseEntry parses a line without allocating, so all handlers share it.
func parseEntry(line string) (e entry, err error) {
	ok := true
	cut := func(sep string) (before string) {
		var found bool
		before, line, found = strings.Cut(line, sep)
		ok = ok && found
		return before
	}
	e.ip = cut(" ")
	cut(" ")
	e.auth = cut(" [")
	at := cut(`] "`)
	e.method = cut(" ")
	e.path, e.query, _ = strings.Cut(cut(" "), "?")
	cut(`" `)
	status, size := cut(" "), cut(` "`)
	e.referer = cut(`" "`)
	e.agent = cut(`"`)
	if !ok || line != "" {
		return entry{}, errEntry
	}
	if e.at, err = parseTime(at); err != nil {
		return entry{}, err
	}
	if e.status, err = strconv.Atoi(status); err != nil {
		return entry{}, err
	}
	if size != "-" {
		if e.bytes, err = strconv.Atoi(size); err != nil {
			return entry{}, err
		}
	}
	return e, nil
}

// parseTime parses "02/Jan/2006:15:04:05 -0700" as seconds since 1970. It parses the zone itself, because
// package time allocates a *time.Location for each zone other than the local one.
func parseTime(s string) (int64, error) {
	date, zone, _ := strings.Cut(s, " ")
	t, err := time.Parse("02/Jan/2006:15:04:05", date)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(zone)
	if err != nil || len(zone) != 5 {
		return 0, errEntry
	}
	return t.Unix() - int64(n/100*3600+n%100*60), nil
}
