package recipes

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/coder/websocket"
	"github.com/ebbpool/arena"
	"github.com/gin-gonic/gin"
	"github.com/graphql-go/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jmoiron/sqlx"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/valyala/fasthttp"
	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	otlpb "go.opentelemetry.io/proto/otlp/logs/v1"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"gorm.io/gorm"
	"gorm.io/gorm/utils/tests"
	_ "modernc.org/sqlite"
)

const (
	order    = `{"ID":"A-1","Items":[{"SKU":"tea","Quantity":3,"Cents":250}]}`
	answered = `{"ID":"A-1","Total":"7.50"}` + "\n"
)

func newPool() *arena.ArenaPool {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(1<<20, 8<<20)
	return pool
}

func TestHTTP(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	gin.DefaultErrorWriter = io.Discard
	for name, recipe := range map[string]func(*arena.ArenaPool) http.Handler{
		"net/http": NetHTTP, "chi": Chi, "gin": Gin, "echo": Echo,
	} {
		t.Run(name, func(t *testing.T) {
			pool := newPool()
			handler := recipe(pool)
			post := func(body string) (int, string) {
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader(body)))
				return answer.Code, answer.Body.String()
			}
			check(t, pool, post)
		})
	}
}

func TestFastHTTP(t *testing.T) {
	for name, recipe := range map[string]func(*arena.ArenaPool) fasthttp.RequestHandler{"fasthttp": FastHTTP, "fiber": Fiber} {
		t.Run(name, func(t *testing.T) {
			pool := newPool()
			handler := recipe(pool)
			check(t, pool, func(body string) (int, string) {
				var ctx fasthttp.RequestCtx
				ctx.Request.Header.SetMethod(http.MethodPost)
				ctx.Request.SetRequestURI("/orders")
				ctx.Request.SetBodyString(body)
				handler(&ctx)
				return ctx.Response.StatusCode(), string(ctx.Response.Body())
			})
		})
	}
}

// check posts an order, a document that is not JSON, and an order beyond the pool's limit.
func check(t *testing.T, pool *arena.ArenaPool, post func(body string) (int, string)) {
	t.Helper()
	if status, body := post(order); status != http.StatusCreated || body != answered {
		t.Errorf("answer to an order = %d %q, want 201 %q", status, body, answered)
	}
	if status, _ := post("{"); status != http.StatusBadRequest {
		t.Errorf("status for half a document = %d, want 400", status)
	}
	if status, _ := post(`{"ID":"` + strings.Repeat("x", 2<<20) + `"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("status for 2 MB = %d, want 413", status)
	}
	if s := pool.Stats(); s.Gets != s.Puts || s.Gets == 0 || s.Abandoned != 0 {
		t.Errorf("pool has %d gets, %d puts and %d abandoned arenas", s.Gets, s.Puts, s.Abandoned)
	}
}

func logs() *logspb.ExportLogsServiceRequest {
	return &logspb.ExportLogsServiceRequest{ResourceLogs: []*otlpb.ResourceLogs{{SchemaUrl: "first"}, {SchemaUrl: "second"}}}
}

func TestGRPC(t *testing.T) {
	pool, service := newPool(), &Logs{audit: make(chan *logspb.ExportLogsServiceRequest, 1)}
	server := GRPC(pool, service)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := logspb.NewLogsServiceClient(conn).Export(t.Context(), logs()); err != nil {
		t.Fatal(err)
	}
	server.GracefulStop()
	if kept := <-service.audit; len(kept.ResourceLogs) != 2 || kept.ResourceLogs[1].SchemaUrl != "second" {
		t.Errorf("audit got %v", kept)
	}
	if s := pool.Stats(); s.Gets != 1 || s.Puts != 1 {
		t.Errorf("pool has %d gets and %d puts, want 1 and 1", s.Gets, s.Puts)
	}
}

func TestConnect(t *testing.T) {
	pool := newPool()
	server := httptest.NewServer(Connect(pool))
	defer server.Close()
	client := connect.NewClient[logspb.ExportLogsServiceRequest, logspb.ExportLogsServiceResponse](server.Client(), server.URL+procedure)
	answer, err := client.CallUnary(t.Context(), connect.NewRequest(logs()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := answer.Msg.PartialSuccess.ErrorMessage, "no room for 2 resources"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

func TestWork(t *testing.T) {
	pool, jobs, results := newPool(), make(chan []byte, 100), make(chan string, 100)
	for range cap(jobs) {
		jobs <- []byte(order)
	}
	close(jobs)
	Work(pool, jobs, results, 4)
	close(results)
	n := 0
	for total := range results {
		if n++; total != "7.50" {
			t.Errorf("total = %q, want 7.50", total)
		}
	}
	if s := pool.Stats(); n != 100 || s.Gets != 100 || s.Puts != 100 {
		t.Errorf("%d results, %d gets, %d puts, want 100 of each", n, s.Gets, s.Puts)
	}
}

func TestAnswer(t *testing.T) {
	client, err := kgo.NewClient(kgo.SeedBrokers("localhost:1"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // there is no broker, so nothing is sent
	records := make([]*kgo.Record, 10)
	for i := range records {
		records[i] = &kgo.Record{Value: []byte(strings.Replace(order, "A-1", fmt.Sprint("A-", i), 1))}
	}
	fetches := kgo.Fetches{{Topics: []kgo.FetchTopic{{Partitions: []kgo.FetchPartition{{Records: records}}}}}}
	produced := make(chan string, len(records))
	if err := Answer(ctx, client, newPool(), fetches, func(r *kgo.Record, _ error) { produced <- string(r.Value) }); err != nil {
		t.Fatal(err)
	}
	for range records {
		if got := <-produced; !strings.HasPrefix(got, `{"ID":"A-`) || !strings.HasSuffix(got, `","Total":"7.50"}`) {
			t.Errorf("produced %s", got)
		}
	}
}

func TestQuantities(t *testing.T) {
	other := strings.ReplaceAll(order, "tea", "cup")
	got, err := Quantities(strings.NewReader(strings.Repeat(order+"\n"+other+"\n", 1000)))
	if err != nil || len(got) != 2 || got["tea"] != 3000 || got["cup"] != 3000 {
		t.Errorf("Quantities = %v, %v, want 3000 of tea and cup", got, err)
	}
}

func TestGroupBy(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		groups := GroupBy(a, []string{"tea", "cup", "pot", "milk"}, func(s string) int { return len(s) })
		three, _ := groups.Get(3)
		four, _ := groups.Get(4)
		if !slices.Equal(three, []string{"tea", "cup", "pot"}) || !slices.Equal(four, []string{"milk"}) {
			t.Errorf("groups = %v, %v", three, four)
		}
	}
}

func TestReceipts(t *testing.T) {
	orders := make([]*Order, 20)
	for i := range orders {
		orders[i] = &Order{ID: "A-1", Items: []Item{{Quantity: int64(i), Cents: 100}}}
	}
	a := arena.NewArena(4096, 0)
	for i, r := range Receipts(arena.NewContext(t.Context(), a), orders) {
		if want := *receipt(nil, orders[i]); *r != want {
			t.Errorf("receipt = %+v, want %+v", *r, want)
		}
	}
}

func TestLogging(t *testing.T) {
	var out bytes.Buffer
	var later *zap.Logger
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"}), zapcore.AddSync(&out), zap.InfoLevel)
	newPool().Do(func(a *arena.Arena) {
		o := arena.NewOf(a, Order{ID: a.AllocString("A-1")})
		Log(t.Context(), slog.New(slog.NewTextHandler(&out, nil)), o)
		later = LogZap(zap.New(core), o)
	})
	later.Info("later")
	for _, want := range []string{"id=A-1 items=0\n", `{"msg":"order","id":"A-1"}`, `{"msg":"later","id":"A-1"}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("log has no %s:\n%s", want, &out)
		}
	}
}

func TestDatabases(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has a database of its own
	if _, err := db.Exec(`create table customers (id integer, full_name text, team text);
		insert into customers values (1, 'Jo', 'red'), (2, 'Mia', 'blue'), (3, 'Li', 'red')`); err != nil {
		t.Fatal(err)
	}
	g, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{ConnPool: db})
	if err != nil {
		t.Fatal(err)
	}
	for name, recipe := range map[string]func(context.Context) ([]Customer, error){
		"database/sql": func(ctx context.Context) ([]Customer, error) { return CustomersSQL(ctx, db, "red") },
		"sqlx": func(ctx context.Context) ([]Customer, error) {
			return CustomersSQLX(ctx, sqlx.NewDb(db, "sqlite"), "red")
		},
		"gorm": func(ctx context.Context) ([]Customer, error) { return CustomersGORM(ctx, g, "red") },
	} {
		t.Run(name, func(t *testing.T) {
			newPool().Do(func(a *arena.Arena) {
				got, err := recipe(arena.NewContext(t.Context(), a))
				if want := []Customer{{1, "Jo"}, {3, "Li"}}; err != nil || !slices.Equal(got, want) {
					t.Errorf("customers = %v, %v, want %v", got, err, want)
				}
			})
		})
	}
}

func TestCachedReceipt(t *testing.T) {
	cache, err := lru.New[string, *Receipt](10)
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool()
	for range 3 {
		pool.Do(func(a *arena.Arena) {
			o := arena.NewOf(a, Order{ID: a.AllocString("A-1")})
			if r := CachedReceipt(a, cache, o); r.Total != "0.00" {
				t.Errorf("receipt = %+v", r)
			}
		})
		pool.Do(func(a *arena.Arena) { a.AllocString(strings.Repeat("x", 4000)) }) // overwrites values that were not copied
	}
	if r, ok := cache.Get("A-1"); !ok || *r != (Receipt{"A-1", "0.00"}) || cache.Len() != 1 {
		t.Errorf("cache has %v, %v, %d entries", r, ok, cache.Len())
	}
}

// The memory of a stream does not grow with the number of its lines.
func TestStream(t *testing.T) {
	pool := newPool()
	n := 0
	stream := Stream(pool, func(*http.Request) *Order {
		if n++; n > 10_000 {
			return nil
		}
		return &Order{ID: "A-1", Items: []Item{{SKU: "tea", Quantity: int64(n), Cents: 100}}}
	})
	w := httptest.NewRecorder()
	stream.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	lines := strings.Split(w.Body.String(), "\n")
	if len(lines) != 10_001 || lines[9999] != `{"ID":"A-1","Total":"10000.00"}` {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-2])
	}
	if got := pool.Stats().LargestArena; got > 16<<10 {
		t.Errorf("LargestArena = %d", got)
	}
}

func TestWebSocket(t *testing.T) {
	pool := newPool()
	server := httptest.NewServer(WebSocket(pool))
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for range 3 {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(order)); err != nil {
			t.Fatal(err)
		}
		_, got, err := conn.Read(t.Context())
		if want := strings.TrimSpace(answered); err != nil || string(got) != want {
			t.Fatalf("reply = %q, %v, want %q", got, err, want)
		}
	}
	if s := pool.Stats(); s.Puts < 2 {
		t.Errorf("%d arenas were put back after 3 messages", s.Puts)
	}
}

func TestGraphQL(t *testing.T) {
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"hello": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return "world", nil }},
	}})})
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool()
	for body, want := range map[string]int{`{"query":"{ hello }"}`: http.StatusOK, "{": http.StatusBadRequest, `{"query":"` + strings.Repeat("x", 2<<20) + `"}`: http.StatusRequestEntityTooLarge} {
		answer := httptest.NewRecorder()
		GraphQL(pool, schema).ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		if answer.Code != want {
			t.Errorf("status = %d %s, want %d", answer.Code, answer.Body, want)
		}
		if got := strings.TrimSpace(answer.Body.String()); want == http.StatusOK && got != `{"data":{"hello":"world"}}` {
			t.Errorf("answer = %s", got)
		}
	}
	if s := pool.Stats(); s.Abandoned != 0 {
		t.Errorf("%d arenas were abandoned", s.Abandoned)
	}
}
