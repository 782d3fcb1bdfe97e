import { argumentError, type Directive, errorAt, zonesOf } from '../../corefile/index.ts';
import { type BlockInfo, durationOf, integerOf, noArguments, oneArgument, onlyOne, originsOf } from '../setup/index.ts';

/** Limits for one kind of answers. */
interface KindOptions {
  capacity: number;
  /** In seconds. */
  maxTtl: number;
  minTtl: number;
  /** Zones whose answers are not kept. */
  except: readonly string[];
}

export interface StaleOptions {
  readonly forMs: number;
  /** Ask first, and use the stale answer only when there is no better one. */
  readonly verifies: boolean;
  /** How long to wait for the better one; 0: as long as it takes. */
  readonly verifyTimeoutMs: number;
  /** The TTL of stale answers in seconds. */
  readonly ttl: number;
  /** After a failed attempt to get a new answer, the next one waits for so long. */
  readonly recheckMs: number;
}

export interface CacheOptions {
  readonly zones: readonly string[];
  readonly success: KindOptions;
  readonly denial: KindOptions;
  failureTtl: number;
  /** Number of hits within `prefetchWindowMs` from which on an entry is renewed before it expires; 0: never. */
  prefetch: number;
  prefetchWindowMs: number;
  /** The part of the TTL that is left when an entry is renewed. */
  prefetchPercentage: number;
  stale?: StaleOptions;
  keepsTtl: boolean;
}

const defaultCapacity = 9984;
const maxTtl = 3600;
const minTtl = 5;

/** Parses the directive `cache`. Throws a CorefileError. */
export function cacheOptions(directives: readonly Directive[], block: BlockInfo): CacheOptions {
  const directive = onlyOne(directives);
  const args = [...directive.args];
  const success: KindOptions = { capacity: defaultCapacity, maxTtl, minTtl, except: [] };
  const denial: KindOptions = { ...success, maxTtl: maxTtl / 2 };
  if (/^[+-]?\d+$/.test(args[0] ?? '')) {
    const ttl = positiveTtl(directive, args.shift());
    success.maxTtl = ttl;
    denial.maxTtl = ttl;
  }
  const options: CacheOptions = {
    zones: originsOf(directive, args, block),
    success,
    denial,
    failureTtl: minTtl,
    prefetch: 0,
    prefetchWindowMs: 60_000,
    prefetchPercentage: 10,
    keepsTtl: false,
  };
  for (const option of directive.block ?? []) readOption(option, options);
  return options;
}

function positiveTtl(option: Directive, text: string | undefined): number {
  const ttl = integerOf(option, text);
  if (ttl <= 0) throw errorAt(option, `cache TTL can not be zero or negative: ${ttl}`);
  return ttl;
}

function readOption(option: Directive, options: CacheOptions): void {
  switch (option.name) {
    case 'success':
      readKind(option, options.success);
      return;
    case 'denial':
      readKind(option, options.denial);
      return;
    case 'prefetch':
      readPrefetch(option, options);
      return;
    case 'serve_stale':
      options.stale = staleOptions(option);
      return;
    case 'servfail': {
      const ms = durationOf(option, oneArgument(option));
      if (ms < 0) throw errorAt(option, 'invalid negative ttl for servfail');
      if (ms > 300_000) throw errorAt(option, 'caching SERVFAIL responses over 5 minutes is not permitted');
      options.failureTtl = ms / 1000;
      return;
    }
    case 'disable': {
      const [kind, ...zones] = option.args;
      if (kind === undefined) throw argumentError(option);
      if (kind !== 'success' && kind !== 'denial') {
        throw errorAt(option, 'cache type for disable must be "success" or "denial"');
      }
      options[kind].except = zones.length === 0 ? ['.'] : zones.flatMap((zone) => zonesOf(zone, option));
      return;
    }
    case 'keepttl':
      noArguments(option);
      options.keepsTtl = true;
      return;
    case 'serve_stale_policy':
      throw errorAt(option, `'serve_stale_policy' is not supported`);
    default:
      throw argumentError(option);
  }
}

function readKind(option: Directive, kind: KindOptions): void {
  const [capacity, ttl, least] = option.args;
  kind.capacity = Math.max(1, integerOf(option, capacity));
  if (ttl !== undefined) kind.maxTtl = positiveTtl(option, ttl);
  if (least === undefined) return;
  kind.minTtl = integerOf(option, least);
  if (kind.minTtl < 0) throw errorAt(option, `cache min TTL can not be negative: ${kind.minTtl}`);
}

function readPrefetch(option: Directive, options: CacheOptions): void {
  const [amount, window, percentage, ...more] = option.args;
  if (more.length > 0) throw argumentError(option);
  options.prefetch = integerOf(option, amount);
  if (options.prefetch < 0) throw errorAt(option, `prefetch amount should be positive: ${options.prefetch}`);
  if (window !== undefined) options.prefetchWindowMs = durationOf(option, window);
  if (percentage === undefined) return;
  if (!percentage.endsWith('%')) {
    throw errorAt(option, `last character of percentage should be \`%\`, but is: ${JSON.stringify(percentage.at(-1))}`);
  }
  const value = integerOf(option, percentage.slice(0, -1));
  if (value < 10 || value > 90) throw errorAt(option, `percentage should fall in range [10, 90]: ${value}`);
  options.prefetchPercentage = value;
}

const hourMs = 3_600_000;

/** `serve_stale [DURATION] [immediate | verify [TIMEOUT]] [TTL] [RECHECK]` */
function staleOptions(option: Directive): StaleOptions {
  const [duration, mode = 'immediate', ...rest] = option.args;
  const verifies = mode.toLowerCase() === 'verify';
  if (!verifies && mode.toLowerCase() !== 'immediate') {
    throw errorAt(option, `invalid value for serve_stale refresh mode: ${mode}`);
  }
  const timeout = verifies ? rest.shift() : undefined;
  const [ttl, recheck, ...more] = rest;
  if (more.length > 0) throw argumentError(option);
  const ms = (text: string | undefined, otherwise: number): number => {
    const value = text === undefined ? otherwise : durationOf(option, text);
    if (value < 0) throw errorAt(option, 'invalid negative duration for serve_stale');
    return value;
  };
  const recheckMs = ms(recheck, 0);
  if (recheckMs > 300_000) throw errorAt(option, 'serve_stale failure recheck cannot exceed 5 minutes');
  return {
    forMs: ms(duration, hourMs),
    verifies,
    verifyTimeoutMs: ms(timeout, 0),
    ttl: Math.floor(ms(ttl, 0) / 1000),
    recheckMs,
  };
}
