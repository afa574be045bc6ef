// How jemalloc shares memory out among the threads of the service. With its own choice, four arenas for each
// processor, what long questions free in one arena stays there for some seconds while others grow: beside a
// tenant who asks all that it may the process had a quarter more (bench_isolation, mixed). Its name is
// jemalloc's, which reads it at the start; the environment's MALLOC_CONF goes before it.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming,cppcoreguidelines-avoid-non-const-global-variables)
__attribute__((visibility("default"))) const char* malloc_conf = "narenas:4";
}
