import { newBadRequest } from '@coxswain/apimachinery';

/** Where a list goes on: at a revision, or, with -1, at whatever is there now. The same text as upstream's. */
export interface ContinueToken {
  readonly revision: number;
  readonly from: string;
}

const version = 'meta.k8s.io/v1';
const refused = (why: string): Error => newBadRequest(`invalid continue token: continue key is not valid${why}`);

export function encodeContinue({ revision, from }: ContinueToken, prefix: string): string {
  const start = from.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString('base64url');
}

/** Throws BadRequest for anything that no server has given out, and for keys that lead out of the prefix. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  const bad = /[^A-Za-z0-9_-]/.exec(text);
  const illegal = bad?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (illegal !== undefined) throw refused(`: illegal base64 data at input byte ${illegal}`);
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch (error) {
    throw refused(`: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { v, rv, start } = Object(token) as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== version) {
    throw refused(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw refused(`: incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== 'string' || start === '') throw refused(`: encoded start key empty (version ${version})`);
  const path = start.startsWith('/') ? start.slice(1) : start;
  const escapes = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (escapes) throw refused(`: ${start}`);
  return { revision: rv, from: prefix + path };
}
