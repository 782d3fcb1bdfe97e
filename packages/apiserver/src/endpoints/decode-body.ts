import {
  ApiError,
  badBodyMessage,
  type Decoded,
  DecodeFailure,
  type GroupVersionKind,
  type KubernetesObject,
  newBadRequest,
  newUnsupportedMediaType,
  strictDecodingMessage,
} from '@coxswain/apimachinery';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import type { CustomType } from '../registry/resource-definition.ts';
import { assertJsonParts, assertParts, readBody } from './request-body.ts';
import type { EndpointServices } from './scope.ts';

export interface ExpectedBody {
  readonly kind: GroupVersionKind;
  /** A former version of the kind that is still accepted. */
  readonly formerly?: GroupVersionKind;
  /** The request's `fieldValidation` parameter; empty for the default (Warn). */
  readonly fieldValidation: string;
  /** Set for custom resources. */
  readonly custom?: CustomType;
  /** Replaces the server's limit for request bodies. */
  readonly maxBytes?: number;
}

/**
 * Decodes the object in a request body and sets its defaults. Unknown and duplicate fields are refused, warned about or
 * ignored, as `fieldValidation` says. Throws BadRequest when it is not of the expected kind and version,
 * UnsupportedMediaType or RequestEntityTooLarge.
 */
export async function readObject(
  context: RequestContext,
  expected: ExpectedBody,
  services: EndpointServices,
): Promise<KubernetesObject> {
  const { codecs, maxRequestBodyBytes } = services;
  const { kind, custom, maxBytes = maxRequestBodyBytes } = expected;
  const serializer = codecs.forInput(headerOf(context.request, 'content-type'));
  if (!serializer.accepted) throw newUnsupportedMediaType(serializer.supported);
  const body = await readBody(context, maxBytes);
  const strict = expected.fieldValidation !== 'Ignore';
  if (custom && serializer.accepted.mediaType === codecs.protobuf.mediaType)
    throw newUnsupportedMediaType(codecs.supported.map(({ mediaType }) => mediaType));
  const options = custom ? { strict, unstructured: true } : { defaultGVK: kind, strict };
  try {
    const { turns } = context;
    if (!turns) return objectOf(expected, serializer.accepted.decode(body, options), context, services);
    if (serializer.accepted === codecs.json) assertJsonParts(body);
    const decoded = await turns.complete(serializer.accepted.decodeInSteps(body, options));
    assertParts(decoded.object);
    await turns.next();
    const object = objectOf(expected, decoded, context, services);
    // Checked again, because defaults add parts.
    assertParts(object);
    await turns.next();
    return object;
  } catch (error) {
    throw asBadRequest(error, kind, body);
  }
}

/** Returns the decoded object with defaults. Throws when it is of another kind or version, or not valid under Strict. */
function objectOf(
  { kind, formerly, fieldValidation, custom }: ExpectedBody,
  { object, gvk, strictErrors: duplicates }: Decoded,
  context: RequestContext,
  { scheme }: EndpointServices,
): KubernetesObject {
  const unknown = custom && gvk.kind === kind.kind ? prunedFields(object, gvk, kind, custom) : [];
  if (!custom && gvk !== formerly) assertKind(gvk, kind);
  const strictErrors = fieldValidation === 'Ignore' ? duplicates : [...duplicates, ...unknown];
  if (strictErrors.length > 0) {
    if (fieldValidation === 'Strict') throw new DecodeFailure(new Error(strictDecodingMessage(strictErrors)), gvk);
    warnOfStrictErrors(strictErrors, context);
  }
  if (custom) {
    assertVersion(gvk, kind);
    if (gvk === kind) custom.setDefaults(object);
  } else scheme.default(object);
  return object;
}

/** Prunes a custom object in place. Returns strict decoding errors for the removed fields. */
function prunedFields(
  object: KubernetesObject,
  gvk: GroupVersionKind,
  kind: GroupVersionKind,
  custom: CustomType,
): string[] {
  if (gvk !== kind) return [];
  try {
    return custom.prune(object).map((path) => `unknown field "${path}"`);
  } catch (error) {
    throw error instanceof ApiError
      ? error
      : new DecodeFailure(error instanceof Error ? error : new Error(String(error)), gvk);
  }
}

/** Warns about strict decoding errors. A multi-line error of the YAML reader becomes one warning per line. */
export function warnOfStrictErrors(errors: readonly string[], { warn }: RequestContext): void {
  for (const error of errors) {
    const [heading = '', ...lines] = error.split('\n');
    if (!heading.endsWith('yaml: unmarshal errors:')) warn(error);
    else for (const line of lines) warn(line.trim());
  }
}

function asBadRequest(error: unknown, { kind, version }: GroupVersionKind, body: Uint8Array): unknown {
  if (error instanceof DecodeFailure) return newBadRequest(badBodyMessage(error, kind, body), { cause: error });
  // Defaulting can fail where it parses an annotation.
  if (error instanceof Error && error.name === 'DecodeError')
    return newBadRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`,
    );
  return error;
}

/** Throws a DecodeFailure or BadRequest with upstream's message when the kind or version differs from the expected one. */
export function assertKind(gvk: GroupVersionKind, expected: GroupVersionKind): void {
  if (gvk === expected) return;
  if (gvk.kind !== expected.kind || gvk.group !== expected.group) {
    const internal = (group: string): string => group.split('.', 1)[0] || 'core';
    throw new DecodeFailure(
      new Error(
        `converting (${gvk.version}.${gvk.kind}) to (${internal(expected.group)}.${expected.kind}): unknown conversion`,
      ),
      gvk,
    );
  }
  assertVersion(gvk, expected);
}

function assertVersion(gvk: GroupVersionKind, expected: GroupVersionKind): void {
  if (gvk.groupVersion === expected.groupVersion) return;
  throw newBadRequest(
    `the API version in the data (${gvk.groupVersion}) does not match the expected API version (${expected.groupVersion})`,
  );
}
