import { multiplyByFactor, STRING_TRAVERSAL_COST_FACTOR } from '../checking/cost-estimate.ts';
import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { Pace, type Steps, Work } from '../steps/steps.ts';
import { EntryMap } from '../values/collections.ts';
import { BOOL, type CelType, listOf, mapOf, objectType, STRING } from '../values/types.ts';
import { ArrayList, CelError, type CelMap, type CelValue, OpaqueValue } from '../values/values.ts';
import { nominalCost, traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { formatGoUrl, type GoUrl, hostnameOf, parseGoUrl, parseQuery, parseRequestUri, portOf } from './go-url.ts';
import { accepts, asCelError } from './parse-error.ts';

const URL_TYPE: CelType<URLValue> = objectType('kubernetes.URL');

export class URLValue extends OpaqueValue {
  readonly celType = URL_TYPE;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof URLValue)) throw new CelError('no such overload');
    return this.toString() === other.toString();
  }

  override toString(): string {
    return formatGoUrl(this.url);
  }
}

/**
 * The maximum length of a URL, which no URL in an object exceeds. Differs from upstream, which accepts longer ones that
 * an expression builds.
 */
const maxLength = 1.5 * 1024 * 1024;

function checkUrl(text: string): void {
  if (text.length > maxLength) throw new CelError('operation cancelled: URL too large');
  parseRequestUri(text);
}

function* parse(text: string): Steps<URLValue> {
  const asProblem = (message: string) => `URL parse error during conversion from string: ${message}`;
  asCelError(() => checkUrl(text), asProblem);
  yield text.length >> 2;
  return asCelError(() => new URLValue(parseGoUrl(text)), asProblem);
}

function* queryOf({ url }: URLValue): Steps<CelMap> {
  const query = yield* parseQuery(url.rawQuery ?? '');
  const map = new EntryMap();
  const pace = new Pace();
  for (const [key, values] of query) {
    map.insertInPlace(key, new ArrayList(values));
    if (pace.isOver(8)) yield pace.taken;
  }
  return map;
}

const accessor = (name: string, id: string, call: (url: GoUrl) => string): FunctionDeclaration =>
  method(name, { id, parameters: [URL_TYPE], result: STRING, cost: nominalCost, call: ({ url }) => call(url) });

/** `url()`, `isURL()` and the functions for the parts of a URL. */
export const urlsLibrary: Library = {
  name: 'kubernetes.urls',
  estimateEquality: ({ name }, _, { computedSize }) =>
    name === URL_TYPE.name
      ? multiplyByFactor({ min: 1, max: computedSize?.max ?? 1 }, STRING_TRAVERSAL_COST_FACTOR)
      : undefined,
  functions: [
    globalFunction('url', {
      id: 'string_to_url',
      parameters: [STRING],
      result: URL_TYPE,
      cost: traversalCost(1, (size) => size),
      call: (text) => new Work(parse(text)),
    }),
    globalFunction('isURL', {
      id: 'is_url_string',
      parameters: [STRING],
      result: BOOL,
      call: (text) => accepts(() => checkUrl(text)),
    }),
    accessor('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    accessor('getHost', 'url_get_host', ({ host }) => host),
    accessor('getHostname', 'url_get_hostname', ({ host }) => hostnameOf(host)),
    accessor('getPort', 'url_get_port', ({ host }) => portOf(host)),
    accessor('getEscapedPath', 'url_get_escaped_path', ({ escapedPath }) => escapedPath),
    method('getQuery', {
      id: 'url_get_query',
      parameters: [URL_TYPE],
      result: mapOf(STRING, listOf(STRING)),
      cost: nominalCost,
      call: (url) => new Work(queryOf(url)),
    }),
  ],
};
