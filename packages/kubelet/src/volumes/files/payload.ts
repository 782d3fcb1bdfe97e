/** The files of a volume, by their paths in it. */
export type Payload = Map<string, PayloadFile>;

interface PayloadFile {
  readonly data: Uint8Array;
  readonly mode: number;
  /** The user who owns the file; undefined for the kubelet's own. */
  readonly owner?: number | undefined;
}

const maxFileNameLength = 255;
const maxPathLength = 4096;

/** Returns a payload with normalised paths. Throws if a path leads out of the volume, or uses a name that is reserved for the writer. */
export function checkedPayload(payload: Payload): Payload {
  const checked: Payload = new Map();
  for (const [path, file] of payload) {
    checkPath(path);
    const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
    if (segments.length === 0) throw new Error(`invalid path: must not be empty: "${path}"`);
    // What is before them may have been a `.`, so the first one is looked at again.
    if (segments[0]!.startsWith('..')) throw new Error(`invalid path: must not start with '..': ${path}`);
    checked.set(segments.join('/'), file);
  }
  for (const path of checked.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (checked.has(path.slice(0, end))) throw new Error(`invalid path: ${path.slice(0, end)} is also a directory`);
    }
  }
  return checked;
}

function checkPath(path: string): void {
  if (path === '') throw new Error('invalid path: must not be empty: ""');
  if (path.includes('\0')) throw new Error('invalid path: must not contain a null character');
  if (path.startsWith('/')) throw new Error(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > maxPathLength) {
    throw new Error(`invalid path: must be less than or equal to ${maxPathLength} characters`);
  }
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '..') throw new Error(`invalid path: must not contain '..': ${path}`);
    if (Buffer.byteLength(segment) > maxFileNameLength) {
      throw new Error(`invalid path: filenames must be less than or equal to ${maxFileNameLength} characters`);
    }
  }
  if (segments[0]!.startsWith('..')) throw new Error(`invalid path: must not start with '..': ${path}`);
}
