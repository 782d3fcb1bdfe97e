import { timestampMs } from './log-timestamp.ts';

/** A line of a log file. One object serves for all lines of a file, since a log has millions of them. */
export interface LogLine {
  /** The bytes in which the timestamp is. */
  timestamp: Uint8Array;
  timestampStart: number;
  timestampEnd: number;
  timeMs: number;
  stream: 'stdout' | 'stderr';
  /** The bytes in which the container's output is. */
  content: Buffer;
  contentStart: number;
  contentEnd: number;
  /** Whether the newline behind the line belongs to the container's output. Then it is behind `content`, too. */
  hasNewline: boolean;
}

/** Reads a line without its newline. Returns false if it is malformed. */
export type ParseLine = (bytes: Buffer, start: number, end: number, into: LogLine) => boolean;

export function emptyLogLine(): LogLine {
  const none = Buffer.alloc(0);
  return {
    timestamp: none,
    timestampStart: 0,
    timestampEnd: 0,
    timeMs: 0,
    stream: 'stdout',
    content: none,
    contentStart: 0,
    contentEnd: 0,
    hasNewline: false,
  };
}

const [space, colon, upperP] = [0x20, 0x3a, 0x50];
const streams = { stdout: Buffer.from('stdout '), stderr: Buffer.from('stderr ') };
/** Timestamp, stream and tags of a CRI line are shorter than this. */
const longestHeader = 1024;

/**
 * Reads a line of CRI's format: `2016-10-06T00:17:09.669794202Z stdout P part of a line`. The first tag is P for a part of a line without
 * its end, and F for all others; more tags may follow after colons.
 */
export const parseCriLine: ParseLine = (bytes, start, end, into) => {
  const headerEnd = Math.min(end, start + longestHeader);
  const timestampEnd = indexOfSpace(bytes, start, headerEnd);
  if (timestampEnd === -1) return false;
  const timeMs = timestampMs(bytes, start, timestampEnd);
  if (Number.isNaN(timeMs)) return false;
  const streamStart = timestampEnd + 1;
  const stream = startsWith(bytes, streamStart, headerEnd, streams.stdout)
    ? 'stdout'
    : startsWith(bytes, streamStart, headerEnd, streams.stderr)
      ? 'stderr'
      : undefined;
  if (stream === undefined) return false;
  const tagStart = streamStart + streams[stream].length;
  const tagEnd = indexOfSpace(bytes, tagStart, headerEnd);
  if (tagEnd === -1) return false;
  const isPartial = bytes[tagStart] === upperP && (tagEnd === tagStart + 1 || bytes[tagStart + 1] === colon);
  into.timestamp = bytes;
  into.timestampStart = start;
  into.timestampEnd = timestampEnd;
  into.timeMs = timeMs;
  into.stream = stream;
  into.content = bytes;
  into.contentStart = tagEnd + 1;
  into.contentEnd = end;
  into.hasNewline = !isPartial;
  return true;
};

/** What Go's zero time is written as. */
const zeroTime = '0001-01-01T00:00:00Z';

/** Reads a line of Docker's format: `{"log":"a line\n","stream":"stdout","time":"2016-10-20T18:39:20.57606443Z"}`. */
export const parseDockerJsonLine: ParseLine = (bytes, start, end, into) => {
  const entry = parseObject(bytes.toString('utf8', start, end));
  if (!entry) return false;
  const { log = '', stream, time = zeroTime } = entry;
  if (typeof log !== 'string' || typeof time !== 'string' || (stream !== 'stdout' && stream !== 'stderr')) return false;
  const timestamp = Buffer.from(time);
  const timeMs = timestampMs(timestamp, 0, timestamp.length);
  if (Number.isNaN(timeMs)) return false;
  const content = Buffer.from(log);
  into.timestamp = timestamp;
  into.timestampStart = 0;
  into.timestampEnd = timestamp.length;
  into.timeMs = timeMs;
  into.stream = stream;
  into.content = content;
  into.contentStart = 0;
  into.contentEnd = content.length;
  into.hasNewline = false;
  return true;
};

/** Undefined if the text is not that of an object. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Headers are short: a loop is faster than a call of Buffer.indexOf. */
function indexOfSpace(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) if (bytes[at] === space) return at;
  return -1;
}

function startsWith(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start < text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
  return true;
}
