import {
  ApiError,
  applyJsonPatchInSteps,
  applyMergePatchInSteps,
  applyStrategicMergePatchInSteps,
  assertMergePatchObject,
  cloneJson,
  compileNormalizer,
  DecodeError,
  encodeSortedJson,
  explainConversion,
  findStrictErrors,
  formatValue,
  GroupKind,
  hasDuplicateKeys,
  interpretPatchError,
  invalid,
  isJsonObject,
  jsonKind,
  type KubernetesObject,
  managerOrUserAgent,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  newUnsupportedMediaType,
  type ParsedYaml,
  PatchError,
  Path,
  parseJsonInSteps,
  parseYamlInSteps,
  type Schema,
  type Steps,
  strictDecodingMessage,
  strictJsonPatchErrors,
  stringifyJson,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import { genericError } from '../discovery/index.ts';
import type { RequestContext } from '../http/request-context.ts';
import { clientsMistake } from '../registry/clients-mistake.ts';
import { inTurns, type Turns } from '../turns/turns.ts';
import { inRequestNamespace } from './create.ts';
import { assertKind, warnOfStrictErrors } from './decode-body.ts';
import { isDryRun, patchOptions, type WriteOptions } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import { assertJsonParts, assertParts, readBody } from './request-body.ts';
import type { ResourceScope } from './scope.ts';
import { admitChange, assertName, validateChange } from './update.ts';
import { withoutDuplicateOwners, writeContext } from './write-context.ts';
import { assertPresentable, objectResponse } from './write-response.ts';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicMergePatch = 'application/strategic-merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';
const patchTypes = [jsonPatch, mergePatch, strategicMergePatch, applyPatch];
const customPatchTypes = [jsonPatch, mergePatch, applyPatch];

/** Computes the new object, with managedFields, from the current one. Both are in the hub version. */
type Patcher = (current: KubernetesObject | undefined) => KubernetesObject | Promise<KubernetesObject>;

/** Handles PATCH, in one of four patch types. */
export async function patchResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { services, registry } = scope;
  const { name, namespace, subresource } = context.info;
  const patchType = requestPatchType(context, scope);
  const representation = negotiate(context, services.codecs, outputOf(scope));
  assertPresentable(scope, representation, false);
  const body = await readBody(context, services.maxRequestBodyBytes);
  const options = patchOptions(context.query, patchType);
  const dryRun = isDryRun(options);
  const patch = await patcherFor(patchType, body, context, scope, options);
  const { stored, created } = await registry.update({
    namespace,
    name,
    context: writeContext(context, scope, dryRun),
    ...(subresource && { subresource }),
    createIfAbsent: patchType === applyPatch && subresource === '',
    change: async (current) => {
      const patched = inRequestNamespace(await patch(current), context, scope);
      assertSameObject(patched, current, scope, name);
      assertName(patched, name);
      const object = await admitChange(context, scope, patched, current, dryRun);
      return withoutDuplicateOwners(object, context.warn, true);
    },
    validate: validateChange(context, scope, dryRun),
  });
  return objectResponse(scope, created ? 201 : 200, stored, representation);
}

/**
 * Returns the patch type of the Content-Type. Throws UnsupportedMediaType: the error of go-restful's routing for built-in
 * resources, that of the handler for custom resources, which do not support strategic merge patches.
 */
export function requestPatchType({ request }: RequestContext, { custom }: ResourceScope): string {
  const patchType = headerOf(request, 'content-type').split(';', 1)[0]!;
  if (custom) {
    if (!customPatchTypes.includes(patchType)) throw newUnsupportedMediaType(customPatchTypes);
    return patchType;
  }
  if (!patchTypes.includes(patchType)) throw genericError(415, request.method, '415: Unsupported Media Type');
  return patchType;
}

/** A patch of an object in the request's version. */
interface Change {
  apply(versioned: KubernetesObject): Steps<unknown>;
  /** Decodes the patched document as if the client had sent it. */
  decode(patched: unknown): Steps<KubernetesObject>;
}

/** Returns the patcher for the patch type and body of a request. Throws when the body is not a valid patch. */
export async function patcherFor(
  patchType: string,
  body: Uint8Array,
  context: RequestContext,
  scope: ResourceScope,
  options: WriteOptions,
): Promise<Patcher> {
  if (patchType === applyPatch) return applyPatcher(body, context, scope, options);
  const { subresource } = context.info;
  const manager = managerOrUserAgent(options.fieldManager, headerOf(context.request, 'user-agent'));
  const change =
    patchType === strategicMergePatch
      ? await strategicPatcher(body, context, scope, options)
      : await jsonPatcher(patchType, body, context, scope, options);
  function* changed(current: KubernetesObject): Steps<KubernetesObject> {
    const versioned = scope.toVersion(cloneJson(current));
    yield;
    const patched = yield* change.apply(versioned);
    if (context.turns) assertParts(patched, current);
    yield;
    const decoded = yield* change.decode(patched);
    if (context.turns) assertParts(decoded, current);
    yield;
    return scope.toHub(decoded);
  }
  return async (current) => {
    if (!current) throw newNotFound(scope.groupResource, context.info.name);
    const { turns } = context;
    const next = await inTurns(turns, changed(current));
    if (turns) await turns.next();
    return scope.track({ subresource, live: current, next, manager, turns });
  };
}

/** Calls `run`, and converts errors of patches to the errors that clients get. */
function interpreting<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw withoutServerError(interpretPatchError(error));
  }
}

/** Converts a PatchError (an invalid directive in a strategic merge patch) to an error of the client. */
const withoutServerError = (error: unknown): unknown =>
  error instanceof PatchError ? clientsMistake(error.message, { cause: error }) : error;

async function parsePatch(
  body: Uint8Array,
  { turns }: RequestContext,
  failed: (message: string) => Error,
): Promise<{ value: unknown; text: () => string }> {
  assertJsonParts(body);
  try {
    const { value } = await inTurns(turns, parseJsonInSteps(body));
    if (turns) await turns.next();
    return { value, text: () => Buffer.from(body).toString() };
  } catch (error) {
    throw failed(messageOf(error));
  }
}

const isStrict = ({ fieldValidation }: WriteOptions): boolean => fieldValidation !== 'Ignore';

async function jsonPatcher(
  patchType: string,
  body: Uint8Array,
  context: RequestContext,
  scope: ResourceScope,
  options: WriteOptions,
): Promise<Change> {
  const { value: patch, text } = await parsePatch(body, context, (message) =>
    newBadRequest(isStrict(options) ? `error decoding patch: ${message}` : message),
  );
  const strictErrors = interpreting(() => {
    if (!isStrict(options)) return [];
    if (patchType === jsonPatch) return strictJsonPatchErrors(patch);
    assertMergePatchObject(patch);
    return findStrictErrors(text(), undefined);
  });
  return {
    *apply(versioned) {
      try {
        if (patchType === jsonPatch) return yield* applyJsonPatchInSteps(versioned, patch);
        return yield* applyMergePatchInSteps(versioned, patch);
      } catch (error) {
        throw withoutServerError(interpretPatchError(error));
      }
    },
    *decode(patched) {
      const shown = (): string => (scope.custom ? encodeSortedJson(patched) : printed(patched, scope.schema));
      if (!scope.custom) assertKindOf(patched, scope, shown);
      return yield* decodePatched(patched, strictErrors, context, scope, options, { shown });
    },
  };
}

async function strategicPatcher(
  body: Uint8Array,
  context: RequestContext,
  scope: ResourceScope,
  options: WriteOptions,
): Promise<Change> {
  const schema = scope.schema;
  if (!schema) throw newUnsupportedMediaType(patchTypes.filter((type) => type !== strategicMergePatch));
  const { value: patch, text } = await parsePatch(body, context, newBadRequest);
  const strictErrors = isStrict(options) ? findStrictErrors(text(), undefined) : [];
  return {
    *apply(versioned) {
      try {
        return yield* applyStrategicMergePatchInSteps({ ...versioned }, patch, schema);
      } catch (error) {
        throw withoutServerError(interpretPatchError(error));
      }
    },
    decode: (patched) =>
      decodePatched(patched, strictErrors, context, scope, options, {
        shown: () => formatValue(patch),
        explain: () => explainConversion(schema, patched),
      }),
  };
}

/** Formats a patched document as upstream's errors quote it: sorted at the top level, below in the order of the Go types. */
function printed(patched: unknown, schema: Schema | undefined): string {
  if (!isJsonObject(patched)) return stringifyJson(patched);
  const ordered = inDeclaredOrder(patched, schema) as Record<string, unknown>;
  const entries = Object.keys(ordered)
    .sort()
    .map((key) => `${stringifyJson(key)}:${stringifyJson(ordered[key])}`);
  return `{${entries.join(',')}}`;
}

function inDeclaredOrder(value: unknown, schema: Schema | undefined): unknown {
  if (isJsonObject(value) && schema?.kind === 'map') {
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, inDeclaredOrder(value[key], schema.values)]));
  }
  if (Array.isArray(value) && schema?.kind === 'list') return value.map((item) => inDeclaredOrder(item, schema.items));
  if (!isJsonObject(value) || schema?.kind !== 'struct') return value;
  const known = [...schema.fields].filter(([name]) => Object.hasOwn(value, name));
  const fields = known.map(([name, field]) => [name, inDeclaredOrder(value[name], field.schema)]);
  const others = Object.entries(value).filter(([name]) => !schema.fields.has(name));
  return Object.fromEntries([...fields, ...others]);
}

const refusedPatch = (shown: string, message: string): Error =>
  newInvalid(GroupKind.of('', ''), '', [invalid(Path.of('patch'), shown, message)]);

/** Throws Invalid when a patch changes the apiVersion or kind. */
function assertKindOf(patched: unknown, { kind, services }: ResourceScope, shown: () => string): void {
  if (!isJsonObject(patched)) return;
  const { apiVersion = kind.apiVersion, kind: kindName = kind.kind } = patched;
  if (apiVersion === kind.apiVersion && kindName === kind.kind) return;
  try {
    const bytes = Buffer.from(stringifyJson({ apiVersion, kind: kindName }));
    assertKind(services.codecs.json.decode(bytes, { defaultGVK: kind }).gvk, kind);
  } catch (error) {
    throw refusedPatch(shown(), messageOf(error));
  }
}

/** Decodes a patched document as if the client had sent it, and sets its defaults. Throws Invalid when it is not a valid object. */
function* decodePatched(
  patched: unknown,
  patchErrors: readonly string[],
  context: RequestContext,
  scope: ResourceScope,
  options: WriteOptions,
  { shown, explain }: { shown: () => string; explain?: () => string | undefined },
): Steps<KubernetesObject> {
  const refused = (message: string): Error => refusedPatch(shown(), message);
  const { schema, custom } = scope;
  let object: KubernetesObject;
  let unknown: readonly string[] = [];
  try {
    if (!isJsonObject(patched)) throw new DecodeError(`expected an object`);
    if (custom) {
      // Cloned, because errors quote the document as it was before pruning.
      object = cloneJson(patched);
      yield;
      const isOfKind = object.kind === scope.kind.kind;
      // Another kind is refused later. Decoding makes sure that it has a kind and valid metadata until then.
      if (!isOfKind) scope.services.codecs.json.decode(Buffer.from(stringifyJson(patched)), { unstructured: true });
      const paths = custom.prune(isOfKind ? object : cloneJson(object));
      if (isOfKind && isStrict(options)) unknown = paths.map((path) => `unknown field "${path}"`);
    } else if (schema) {
      const normalized = compileNormalizer(schema)(patched);
      object = normalized.object;
      yield;
      if (normalized.hasUnknownFields && isStrict(options)) unknown = findStrictErrors(stringifyJson(patched), schema);
    } else object = patched;
  } catch (error) {
    throw refused(explain?.() ?? messageOf(error));
  }
  yield;
  const errors = [...patchErrors, ...unknown];
  if (errors.length > 0) {
    if (options.fieldValidation === 'Strict') throw refused(strictDecodingMessage(errors));
    warnOfStrictErrors(errors, context);
  }
  if (custom) {
    custom.setDefaults(object);
    return object;
  }
  const { apiVersion, kind } = scope.kind;
  const complete = { ...object, kind, apiVersion };
  scope.services.scheme.default(complete);
  return complete;
}

async function applyPatcher(
  body: Uint8Array,
  context: RequestContext,
  scope: ResourceScope,
  options: WriteOptions,
): Promise<Patcher> {
  const { subresource } = context.info;
  const { fieldManager: manager, force = false } = options;
  const { value: patch, duplicates } = await parseConfiguration(body, context.turns);
  if (context.turns) await context.turns.next();
  const configuration: KubernetesObject = patch;
  if (context.turns) assertParts(configuration);
  return async (current) => {
    const applied = await asClientsMistake(context, () =>
      scope.applied({ subresource, live: current, configuration, options: { manager, force }, turns: context.turns }),
    );
    if (duplicates !== '' && isStrict(options)) {
      if (options.fieldValidation === 'Strict') throw newBadRequest(`error strict decoding YAML: ${duplicates}`);
      warnOfStrictErrors([duplicates], context);
    }
    if (context.turns) {
      assertParts(applied, current);
      await context.turns.next();
    }
    return scope.toHub(applied);
  };
}

/** Converts errors of an applied configuration that does not match its schema to errors of the client. */
async function asClientsMistake<T>({ turns }: RequestContext, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // Writing the error of thousands of conflicts takes time, too.
    if (turns) await turns.next();
    if (error instanceof ApiError || !(error instanceof Error)) throw error;
    throw clientsMistake(error.message, { cause: error });
  }
}

/** Parses an applied configuration. It is YAML, but most clients send JSON, whose parser is much faster and is tried first. */
async function parseConfiguration(
  body: Uint8Array,
  turns: Turns | undefined,
): Promise<{ value: Record<string, unknown>; duplicates: string }> {
  if (body[0] === openingBrace) {
    assertJsonParts(body);
    try {
      const { value } = await inTurns(turns, parseJsonInSteps(body));
      if (turns) await turns.next();
      if (isJsonObject(value) && !hasDuplicateKeys(body, value)) return { value, duplicates: '' };
    } catch {
      // The body may still be valid YAML. Otherwise the error is the YAML parser's, as upstream.
    }
  }
  let parsed: ParsedYaml;
  try {
    parsed = await inTurns(turns, parseYamlInSteps(body));
  } catch (error) {
    const message = messageOf(error);
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${message}`);
  }
  const { value = null, duplicateKeys } = parsed;
  if (value !== null && !isJsonObject(value)) {
    const found = `cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
    throw newBadRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: json: ${found}`);
  }
  const duplicates =
    duplicateKeys.length === 0
      ? ''
      : `error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicateKeys.join('\n  ')}`;
  return { value: value ?? {}, duplicates };
}

const openingBrace = 0x7b;

/** Throws Conflict when the patch has a uid but there is no object. */
function assertSameObject(
  patched: KubernetesObject,
  current: KubernetesObject | undefined,
  { groupResource }: ResourceScope,
  name: string,
): void {
  const uid = patched.metadata?.uid;
  if (!uid || current) return;
  throw newConflict(
    groupResource,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}
