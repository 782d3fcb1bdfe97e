/**
 * `/debug/pprof`: what Go's package of that name gives of a Go program, made of what V8 tells. Start at `profile-pages.ts` (what is
 * answered), then `cpu-profiler.ts` and `heap-sampler.ts` (where it is from) and `pprof-profile.ts` (the format).
 */
export { heapSampler } from './heap-sampler.ts';
export { isProfilePath, type ProfileRequest, profilePages } from './profile-pages.ts';
