import { GroupVersionKind } from '../meta/group-version.ts';
import { type AcceptClause, parseAccept, parseContentType } from './media-type.ts';

/** A media type that a server can read and write. */
export interface SupportedMediaType {
  readonly mediaType: string;
  /** Whether it supports streams of watch events. */
  readonly streams: boolean;
}

/** What an endpoint allows a client to request besides the format. */
export interface EndpointRestrictions {
  /**
   * Whether the endpoint can respond with the kind `target` instead of its own; `target` is undefined when the client requests no other
   * kind.
   */
  allowsTransform(mediaType: string, target: GroupVersionKind | undefined): boolean;
  allowsStream(schema: string): boolean;
}

/** Allows no other kinds, and only watches as streams. */
export const defaultRestrictions: EndpointRestrictions = {
  allowsTransform: (_, target) => target === undefined,
  allowsStream: (schema) => schema === 'watch',
};

/** The format of a response, with the parameters of the Accept header. */
export interface AcceptedMediaType<T extends SupportedMediaType = SupportedMediaType> {
  readonly accepted: T;
  /** `;pretty=1`: indented for human readers. */
  readonly pretty: boolean;
  /** `watch` for `;stream=watch`, otherwise empty. */
  readonly stream: string;
  /** `;as=Table;g=meta.k8s.io;v=v1`: the kind of the response instead of the endpoint's own. */
  readonly convert: GroupVersionKind | undefined;
  /** `;profile=…`: the requested form of discovery. */
  readonly profile: string;
}

/** No supported media type satisfies the request. `supported` is listed in the error. */
export interface NotNegotiated {
  readonly accepted: undefined;
  readonly supported: readonly string[];
}

const streamTypes = (types: readonly SupportedMediaType[]): string[] =>
  types.filter(({ streams }) => streams).map(({ mediaType }) => `${mediaType};stream=watch`);

const allTypes = (types: readonly SupportedMediaType[]): string[] => types.map(({ mediaType }) => mediaType);

/** Negotiates the format of a response. Without an Accept header it is the first type. A failure means 406 Not Acceptable. */
export function negotiateOutput<T extends SupportedMediaType>(
  accept: string,
  supported: readonly T[],
  restrictions: EndpointRestrictions = defaultRestrictions,
): AcceptedMediaType<T> | NotNegotiated {
  return negotiate(accept, supported, restrictions) ?? { accepted: undefined, supported: allTypes(supported) };
}

/** Like `negotiateOutput`, for a watch: the type must support streams. */
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

/** Finds the format of a request body. Without a Content-Type it is the first type. A failure means 415 Unsupported Media Type. */
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

/** Returns undefined when the endpoint does not allow the parameters. */
function readOptions<T extends SupportedMediaType>(
  { parameters }: AcceptClause,
  accepted: T,
  restrictions: EndpointRestrictions,
): AcceptedMediaType<T> | undefined {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && !(accepted.streams && restrictions.allowsStream(stream))) return undefined;
  // `sv` asks for another version of the server's own group, which no server offers.
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
 * Whether to indent a response that was not requested with `;pretty=1`. The query parameter `pretty` decides. Without it, responses are
 * indented for the user agents of people: browsers, curl and wget.
 */
export function wantsPretty(query: string | undefined, userAgent: string): boolean {
  if (query) return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(query);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
