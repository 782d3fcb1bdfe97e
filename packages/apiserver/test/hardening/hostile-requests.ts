import { minimalObjects } from '../requests/minimal-objects.ts';
import { tokens } from '../test-server.ts';
import type { Dice } from './dice.ts';
import { hostileObject, hostilePatch } from './hostile-bodies.ts';
import { oddTexts, planted } from './hostile-values.ts';

export interface HostileRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface Kind {
  readonly collection: string;
  readonly object: Record<string, unknown>;
}

/** The name of existing objects, so that reads and patches can succeed. */
export const present = 'present';

export const kinds: readonly Kind[] = minimalObjects.map(({ collection, kind, content, name }) => {
  const [apiVersion = '', namespace = 'default', resource = namespace] = collection.split(':');
  const clusterScoped = collection.includes('::');
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = clusterScoped ? `${prefix}/${resource}` : `${prefix}/namespaces/default/${resource}`;
  const metadata = { name: name?.replaceAll('{{ns}}', 'fuzz') ?? present, labels: { app: 'x' } };
  return { collection: path, object: { apiVersion, kind, metadata, ...content } };
});

const methods = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE'];
const oddMethods = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'constructor'];
const subresources = ['status', 'scale', 'log', 'exec', 'attach', 'proxy', 'eviction', 'binding', 'token', 'x', ''];
const paths = [
  '/',
  '//',
  '/api',
  '/apis',
  '/api/v1',
  '/apis/apps/v1',
  '/apis/x/v1/y',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/healthz',
  '/readyz',
  '/livez/ping',
  '/version',
  '/metrics',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/api/v1/watch/pods',
  '/api/v1/proxy/nodes/x',
  '/debug/pprof/',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/api/v1/componentstatuses',
  '/api/v1/namespaces/default/serviceaccounts/default/token',
  '/api/v1/namespaces/default/services/present/proxy/x',
  '/api/v1/nodes/present/proxy/metrics',
];
const parameters = new Map<string, readonly string[]>(
  Object.entries({
    watch: ['1', 'true', '', 'false', 'x'],
    timeoutSeconds: ['1', '0', '-1', 'x', '99999999999999999999'],
    limit: ['1', '0', '-1', 'x', '9223372036854775807'],
    continue: ['x', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi94In0', '%00'],
    // A future version is refused only after three seconds, and is tested elsewhere.
    resourceVersion: ['0', '1', '-1', 'x', '99999999999999999999'],
    resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
    labelSelector: ['app=x', 'app in (x,y)', '!app', 'a=b=c', '(((', 'app in (', ',,,', 'a'.repeat(5_000)],
    fieldSelector: ['metadata.name=present', 'x=y', '=', 'a\\', 'metadata.name=a/b', 'spec.nodeName!=x'],
    sendInitialEvents: ['true', 'false', 'x'],
    allowWatchBookmarks: ['true'],
    dryRun: ['All', 'x', ''],
    fieldManager: ['m', 'x'.repeat(200), '\0', 'é'],
    fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
    force: ['true', 'x'],
    pretty: ['true', 'x'],
    propagationPolicy: ['Orphan', 'Foreground', 'x'],
    gracePeriodSeconds: ['0', '-1', '1e3', 'x'],
    orphanDependents: ['true', 'x'],
    includeObject: ['None', 'Object', 'x'],
    container: ['c', '../..'],
    tailLines: ['-1', 'x'],
    command: ['sh'],
    path: ['/x', '../../..'],
  }),
);
const accepts = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/json;as=__proto__;g=x;v=y',
  'application/cbor',
  '*/*',
  'text/html;q=0.1, */*;q=x',
  ';;;,,,',
  `${'a/b,'.repeat(3_000)}`,
  `application/json${';a=b'.repeat(3_000)}`,
  `application/json${' '.repeat(60_000)}x`,
];
const authorizations = [
  `Bearer ${planted}`,
  `bearer ${planted}`,
  'Bearer',
  `Basic ${Buffer.from(`admin:${planted}`).toString('base64')}`,
  `Bearer ${'a.'.repeat(5_000)}`,
  `Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMifQ.${planted}`,
  `Bearer abcdef.${planted}`,
  `Bearer ${tokens.alice}`,
];
const impersonations: readonly Readonly<Record<string, string>>[] = [
  { 'impersonate-user': 'alice' },
  { 'impersonate-user': 'system:serviceaccount:default:default' },
  { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' },
  { 'impersonate-group': 'system:masters' },
  { 'impersonate-uid': 'x' },
  { 'impersonate-user': 'x', 'impersonate-extra-__proto__': 'y', 'impersonate-extra-%': 'z', 'impersonate-extra-': '' },
];

/** Returns whether a text is valid in a header over a socket. Other texts are used in paths and bodies. */
const isHeaderText = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

export function hostileRequest(dice: Dice): HostileRequest {
  const { collection, object } = dice.pick(kinds);
  const method = dice.pick(dice.chance(0.03) ? oddMethods : methods);
  const patch = method === 'PATCH';
  const body = method === 'GET' && dice.chance(0.9) ? undefined : (patch ? hostilePatch : hostileObject)(dice, object);
  return {
    method,
    url: hostilePath(dice, method, collection) + hostileQuery(dice),
    headers: hostileHeaders(dice, body?.contentType),
    ...(body && { body: body.bytes }),
  };
}

function hostilePath(dice: Dice, method: string, collection: string): string {
  if (dice.chance(0.1)) return dice.pick(paths);
  let path = collection;
  if (method !== 'POST' || dice.chance(0.1)) path += `/${dice.chance(0.7) ? present : encoded(dice)}`;
  if (method === 'GET' && dice.chance(0.5)) path = collection;
  if (dice.chance(0.15)) path += `/${dice.pick(subresources)}`;
  if (dice.chance(0.05)) path += `/${encoded(dice)}`;
  if (dice.chance(0.1)) {
    const at = dice.below(path.length);
    path = `${path.slice(0, at)}${encoded(dice)}${path.slice(at + dice.below(3))}`;
  }
  if (dice.chance(0.01)) path += 'x'.repeat(50_000);
  return path;
}

/** Returns an odd text, percent-encoded or as it is. */
function encoded(dice: Dice): string {
  const text = dice.pick(oddTexts);
  const isPlain = /^[\x21-\x7e]*$/.test(text) && !text.includes('?') && !text.includes('#');
  return isPlain && dice.chance(0.5) ? text : encodeURIComponent(Buffer.from(text).toString());
}

export function hostileQuery(dice: Dice): string {
  if (dice.chance(0.4)) return '';
  const pairs = Array.from({ length: 1 + dice.below(4) }, () => {
    const name = dice.chance(0.95) ? dice.pick([...parameters.keys()]) : encoded(dice);
    const known = parameters.get(name) ?? [''];
    const value = dice.chance(0.85) ? encodeURIComponent(dice.pick(known)) : encoded(dice);
    return dice.chance(0.03) ? name : `${name}=${value}`;
  });
  return `?${pairs.join(dice.chance(0.02) ? ';' : '&')}`;
}

export function hostileHeaders(dice: Dice, contentType: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { authorization: `Bearer ${tokens.admin}` };
  if (contentType !== undefined) headers['content-type'] = contentType;
  if (dice.chance(0.05)) headers['content-type'] = dice.pick([...accepts, '', 'application/json; charset=x', 'x']);
  if (dice.chance(0.2)) headers.accept = dice.pick(accepts);
  if (dice.chance(0.04)) headers.authorization = dice.pick(authorizations);
  if (dice.chance(0.02)) delete headers.authorization;
  if (dice.chance(0.04)) Object.assign(headers, dice.pick(impersonations));
  if (dice.chance(0.05)) headers['user-agent'] = dice.pick(['curl/8', 'x'.repeat(5_000), '', 'Mozilla/5']);
  if (dice.chance(0.05)) headers['audit-id'] = dice.pick(oddTexts.filter(isHeaderText));
  if (dice.chance(0.03)) headers['x-remote-user'] = 'admin';
  if (dice.chance(0.03)) headers['accept-encoding'] = dice.pick(['gzip', 'x', 'identity;q=0']);
  if (dice.chance(0.02)) headers['if-none-match'] = '"x"';
  return headers;
}
