import { compileNormalizer, type Field, newBadRequest, parseJson, type StructSchema } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

/** The position at which a list continues. The encoded form is the same as upstream's. */
export interface ContinueToken {
  /** The revision of the list; -1 for the current state. */
  readonly revision: number;
  /** The first key of the next page. */
  readonly from: string;
}

const version = 'meta.k8s.io/v1';
const refused = (why: string): Error => newBadRequest(`invalid continue token: continue key is not valid${why}`);

export function encodeContinue({ revision, from }: ContinueToken, prefix: string): string {
  const start = from.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString('base64url');
}

const field = (name: string, kind: 'string' | 'int64'): Field => ({
  name,
  schema: { kind },
  number: 0,
  pointer: false,
  omitEmpty: true,
  omitZero: false,
  inline: false,
  required: false,
  patchStrategy: [],
});
const fields = [field('v', 'string'), field('rv', 'int64'), field('start', 'string')];
const schema: StructSchema = {
  kind: 'struct',
  name: 'continueToken',
  fullName: 'storage.continueToken',
  declared: fields,
  fields: new Map(fields.map((each) => [each.name, each])),
  atomic: false,
};
const normalize = compileNormalizer(schema);

/** Parses the JSON of a token. Throws BadRequest with the message of Go's decoder. */
function parsedToken(bytes: Buffer): { readonly v?: string; readonly rv?: number; readonly start?: string } {
  try {
    return normalize(parseJson(bytes).value ?? {}).object;
  } catch (error) {
    throw refused(`: ${messageOf(error)}`);
  }
}

/** Decodes a token. Throws BadRequest for an invalid token, and for keys outside of the prefix. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  const bad = /[^A-Za-z0-9_-]/.exec(text);
  const illegal = bad?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (illegal !== undefined) throw refused(`: illegal base64 data at input byte ${illegal}`);
  const { v = '', rv = 0, start = '' } = parsedToken(Buffer.from(text, 'base64url'));
  if (v !== version) throw refused(`: server does not recognize this encoded version ${v}`);
  if (!Number.isSafeInteger(rv) || rv === 0)
    throw refused(`: incorrect encoded start resourceVersion (version ${version})`);
  if (start === '') throw refused(`: encoded start key empty (version ${version})`);
  const path = start.startsWith('/') ? start.slice(1) : start;
  const escapes = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (escapes) throw refused(`: ${start}`);
  return { revision: rv, from: prefix + path };
}
