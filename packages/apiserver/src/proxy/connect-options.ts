import type { PodAttachOptions, PodExecOptions, PodLogOptions, PodPortForwardOptions } from '@coxswain/api/core/v1';
import { canonicalTime, newBadRequest, quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

type Reader<T> = (values: readonly string[]) => T;

/** A reader for each parameter. Parameters that the query does not have stay undefined. */
type Readers<T> = { readonly [K in keyof T]-?: Reader<NonNullable<T[K]>> };

const text: Reader<string> = (values) => values[0]!;
const list: Reader<string[]> = (values) => [...values];
/** As upstream: any value other than `0` and `false` is true, also an empty one. */
const flag: Reader<boolean> = ([value = '']) => value !== '0' && value.toLowerCase() !== 'false';

/** Clamps to safe integers, because counts of lines, bytes or seconds are never larger. */
const int64: Reader<number> = ([value = '']) => {
  if (!/^[+-]?\d+$/.test(value)) throw newBadRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  const exact = BigInt(value.replace('+', ''));
  if (BigInt.asIntN(64, exact) !== exact)
    throw newBadRequest(`strconv.ParseInt: parsing ${quote(value)}: value out of range`);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(exact), Number.MAX_SAFE_INTEGER));
};

/** Go's zero time, which upstream parses from empty values. A log since then is the whole log. */
const zeroTime = '0001-01-01T00:00:00Z';
const time: Reader<string> = ([value = '']) => {
  if (value === '' || value === 'null') return zeroTime;
  try {
    return canonicalTime(value) ?? zeroTime;
  } catch (error) {
    throw newBadRequest(messageOf(error), { cause: error });
  }
};

const ports: Reader<number[]> = (values) =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => {
      const digits = /^\d+$/.test(value);
      if (digits && Number(value) <= 0xffff) return Number(value);
      const why = digits ? 'value out of range' : 'invalid syntax';
      throw newBadRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(value)}: ${why}`);
    });

function read<T extends object>(readers: Readers<T>, query: URLSearchParams): T {
  const options: Partial<T> = {};
  for (const name in readers) {
    const values = query.getAll(name);
    if (values.length > 0) options[name] = readers[name](values);
  }
  return options as T;
}

type Parameters<T> = Omit<T, 'kind' | 'apiVersion'>;

const logReaders: Readers<Parameters<PodLogOptions>> = {
  container: text,
  follow: flag,
  previous: flag,
  sinceSeconds: int64,
  sinceTime: time,
  timestamps: flag,
  tailLines: int64,
  limitBytes: int64,
  insecureSkipTLSVerifyBackend: flag,
  stream: text,
};

const attachReaders: Readers<Parameters<PodAttachOptions>> = {
  stdin: flag,
  stdout: flag,
  stderr: flag,
  tty: flag,
  container: text,
};

/** Reads PodLogOptions from the query, without validating them. Throws BadRequest for values that cannot be parsed. */
export const readPodLogOptions = (query: URLSearchParams): PodLogOptions => ({
  kind: 'PodLogOptions',
  apiVersion: 'v1',
  ...read(logReaders, query),
});

export const readPodAttachOptions = (query: URLSearchParams): PodAttachOptions => ({
  kind: 'PodAttachOptions',
  apiVersion: 'v1',
  ...read(attachReaders, query),
});

export const readPodExecOptions = (query: URLSearchParams): PodExecOptions => ({
  kind: 'PodExecOptions',
  apiVersion: 'v1',
  ...read<Parameters<PodExecOptions>>({ ...attachReaders, command: list }, query),
});

/** Reads PodPortForwardOptions from the query. Throws BadRequest when `ports` is not a list of ports. */
export const readPodPortForwardOptions = (query: URLSearchParams): PodPortForwardOptions => ({
  kind: 'PodPortForwardOptions',
  apiVersion: 'v1',
  ...read<Parameters<PodPortForwardOptions>>({ ports }, query),
});
