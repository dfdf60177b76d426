package subjects

import "github.com/ebbpool/arena/lab/programs"

// digestOf is what a program returns, whose inputs are the lab's own and right.
func digestOf(digest uint64, err error) uint64 {
	if err != nil {
		panic(err)
	}
	return digest
}

func (goHeap) Query(text string) uint64     { return digestOf(programs.ParseQuery(text)) }
func (goHeap) Markdown(text string) uint64  { return programs.RenderMarkdown(text) }
func (goHeap) Metrics(scrape []byte) uint64 { return digestOf(programs.ReadMetrics(scrape)) }
func (goHeap) Order(body []byte) uint64     { return digestOf(programs.ServeOrder(body)) }

// In an arena they are what they were converted to.

func (m memory) Query(text string) uint64     { return digestOf(programs.ParseQueryIn(m.a, text)) }
func (m memory) Markdown(text string) uint64  { return programs.RenderMarkdownIn(m.a, text) }
func (m memory) Metrics(scrape []byte) uint64 { return digestOf(programs.ReadMetricsIn(m.a, scrape)) }
func (m memory) Order(body []byte) uint64     { return digestOf(programs.ServeOrderIn(m.a, body)) }
