import { GroupVersionKind } from '../meta/group-version.ts';
import { type AcceptClause, parseAccept, parseContentType } from './media-type.ts';

/** What a server can read and write. */
export interface SupportedMediaType {
  readonly mediaType: string;
  /** It can carry a stream of watch events. */
  readonly streams: boolean;
}

/** What an endpoint allows a client to ask for besides the format. */
export interface EndpointRestrictions {
  /** Whether the endpoint can answer with another kind in place of its own; undefined when none is asked for. */
  allowsTransform(mediaType: string, target: GroupVersionKind | undefined): boolean;
  allowsStream(schema: string): boolean;
}

/** No other kinds, and watches as the only streams. */
export const defaultRestrictions: EndpointRestrictions = {
  allowsTransform: (_, target) => target === undefined,
  allowsStream: (schema) => schema === 'watch',
};

/** How a client wants its answer. */
export interface AcceptedMediaType<T extends SupportedMediaType = SupportedMediaType> {
  readonly accepted: T;
  /** `;pretty=1`: indented for people. */
  readonly pretty: boolean;
  /** `;stream=watch`, else empty. */
  readonly stream: string;
  /** `;as=Table;g=meta.k8s.io;v=v1`: the kind to answer with in place of its own. */
  readonly convert: GroupVersionKind | undefined;
  /** `;profile=…`: which discovery is wanted. */
  readonly profile: string;
}

/** The request cannot be met; `supported` is what the error lists. */
export interface NotNegotiated {
  readonly accepted: undefined;
  readonly supported: readonly string[];
}

const streamTypes = (types: readonly SupportedMediaType[]): string[] =>
  types.filter(({ streams }) => streams).map(({ mediaType }) => `${mediaType};stream=watch`);

const allTypes = (types: readonly SupportedMediaType[]): string[] => types.map(({ mediaType }) => mediaType);

/** Chooses how to answer; without an Accept header, the first type. A failure means 406, Not Acceptable. */
export function negotiateOutput<T extends SupportedMediaType>(
  accept: string,
  supported: readonly T[],
  restrictions: EndpointRestrictions = defaultRestrictions,
): AcceptedMediaType<T> | NotNegotiated {
  return negotiate(accept, supported, restrictions) ?? { accepted: undefined, supported: allTypes(supported) };
}

/** The same for a watch: the type must be one that streams. */
export function negotiateStream<T extends SupportedMediaType>(
  accept: string,
  supported: readonly T[],
  restrictions: EndpointRestrictions = defaultRestrictions,
): AcceptedMediaType<T & { readonly streams: true }> | NotNegotiated {
  const chosen = negotiate(accept, supported, restrictions);
  return chosen && isStreaming(chosen) ? chosen : { accepted: undefined, supported: streamTypes(supported) };
}

const isStreaming = <T extends SupportedMediaType>(
  chosen: AcceptedMediaType<T>,
): chosen is AcceptedMediaType<T & { readonly streams: true }> => chosen.accepted.streams;

/** Chooses how to read a body; without a Content-Type, the first type. A failure means 415, Unsupported Media Type. */
export function negotiateInput<T extends SupportedMediaType>(
  contentType: string,
  supported: readonly T[],
): { readonly accepted: T } | NotNegotiated {
  const wanted = contentType === '' ? supported[0]?.mediaType : parseContentType(contentType);
  const accepted = supported.find(({ mediaType }) => mediaType === wanted);
  return accepted ? { accepted } : { accepted: undefined, supported: allTypes(supported) };
}

function negotiate<T extends SupportedMediaType>(
  accept: string,
  supported: readonly T[],
  restrictions: EndpointRestrictions,
): AcceptedMediaType<T> | undefined {
  const [first] = supported;
  if (accept === '' && first) return { accepted: first, pretty: false, stream: '', convert: undefined, profile: '' };
  for (const clause of parseAccept(accept)) {
    for (const candidate of supported) {
      const options = matches(clause, candidate) ? readOptions(clause, candidate, restrictions) : undefined;
      if (options) return options;
    }
  }
  return undefined;
}

function matches({ type, subtype }: AcceptClause, { mediaType }: SupportedMediaType): boolean {
  if (subtype !== '*') return mediaType === `${type}/${subtype}`;
  return type === '*' || mediaType.startsWith(`${type}/`);
}

/** Undefined when the endpoint does not allow what the parameters ask for. */
function readOptions<T extends SupportedMediaType>(
  { parameters }: AcceptClause,
  accepted: T,
  restrictions: EndpointRestrictions,
): AcceptedMediaType<T> | undefined {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && !(accepted.streams && restrictions.allowsStream(stream))) return undefined;
  // Asks for another version of the server's own group, which no server offers.
  if (parameters.get('sv')) return undefined;
  const [kind, group, version] = ['as', 'g', 'v'].map((name) => parameters.get(name));
  const asked = kind !== undefined || group !== undefined || version !== undefined;
  const convert = asked ? GroupVersionKind.of(group ?? '', version ?? '', kind ?? '') : undefined;
  if (!restrictions.allowsTransform(accepted.mediaType, convert)) return undefined;
  return {
    accepted,
    stream,
    convert,
    pretty: parameters.get('pretty') === '1',
    profile: parameters.get('profile') ?? '',
  };
}

/**
 * Whether to indent an answer that was not asked for as `;pretty=1`: as the query's `pretty` says, else for people, who
 * use browsers, curl and wget.
 */
export function wantsPretty(query: string | undefined, userAgent: string): boolean {
  if (query) return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(query);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
