/**
 * `/debug/pprof`: profiles like those of Go's net/http/pprof, made from the data of V8's profilers. Start at `profile-pages.ts` (the HTTP
 * responses), then `cpu-profiler.ts` and `heap-sampler.ts` (the data) and `pprof-profile.ts` (the format).
 */
export { heapSampler } from './heap-sampler.ts';
export { isProfilePath, type ProfileRequest, profilePages } from './profile-pages.ts';
