// The reference of json-speed: the speed at which C++ reads documents into an untyped tree (DOM). `lab json`
// compiles this once with -DUSE_YYJSON, and once without, for simdjson.
// Usage: anchor MILLISECONDS NAME=FILE...
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#ifdef USE_YYJSON
#include <yyjson.h>
static const char* const codec = "yyjson_DOM,_C++";
struct reader {
    explicit reader(const std::string& text) : text(text), memory(yyjson_read_max_memory_usage(text.size(), 0)) {}
    bool read() {
        yyjson_alc from; // the same memory for each document, as simdjson's parser has
        return yyjson_alc_pool_init(&from, memory.data(), memory.size()) &&
               yyjson_read_opts(const_cast<char*>(text.data()), text.size(), 0, &from, nullptr) != nullptr;
    }
    const std::string& text;
    std::vector<char> memory;
};
#else
#include <simdjson.h>
static const char* const codec = "simdjson_DOM,_C++";
struct reader {
    explicit reader(const std::string& text) : text(text) {}
    bool read() { return parser.parse(text).error() == simdjson::SUCCESS; }
    const simdjson::padded_string text;
    simdjson::dom::parser parser; // with its memory, from document to document
};
#endif

// processor returns the processor time of this process in ns. The Go codecs are measured in the same way.
static double processor() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

int main(int argc, char** argv) {
    const double least = argc > 1 ? 1e6 * std::atof(argv[1]) : 0;
    for (int i = 2; i < argc; i++) {
        const std::string arg = argv[i];
        const auto at = arg.find('=');
        std::ifstream file(arg.substr(at + 1), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        reader r(text);
        long n = 0;
        double begun = 0, spent = 0;
        do {
            if (!r.read()) {
                std::fprintf(stderr, "%s does not read %s\n", codec, argv[i]);
                return 1;
            }
            if (n++ == 0) begun = processor(); // the first one makes its memory
            spent = processor() - begun;
        } while (n < 2 || spent < least);
        std::printf("BenchmarkJSON/op=decode/doc=%s/live=0/codec=%s %ld %f ns/op %f MB/s\n", arg.substr(0, at).c_str(), codec,
                    n - 1, spent / double(n - 1), double(text.size()) * double(n - 1) / spent * 1e3);
    }
}
