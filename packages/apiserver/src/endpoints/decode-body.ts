import {
  badBodyMessage,
  DecodeFailure,
  type GroupVersionKind,
  type KubernetesObject,
  newBadRequest,
  newUnsupportedMediaType,
  strictDecodingMessage,
} from '@coxswain/apimachinery';
import type { RequestContext } from '../http/request-context.ts';
import { headerOf } from '../http/respond.ts';
import type { EndpointServices } from './scope.ts';

export interface ExpectedBody {
  readonly kind: GroupVersionKind;
  /** As the request says, empty for the default. */
  readonly fieldValidation: string;
}

/**
 * The object that a request brought, of exactly this kind and version, with its defaults set. Fields that nobody knows
 * are refused, warned of or dropped as the request wants it. Throws BadRequest, UnsupportedMediaType or
 * RequestEntityTooLarge.
 */
export async function readObject(
  context: RequestContext,
  expected: ExpectedBody,
  services: EndpointServices,
): Promise<KubernetesObject> {
  const { codecs, maxRequestBodyBytes } = services;
  const serializer = codecs.forInput(headerOf(context.request, 'content-type'));
  if (!serializer.accepted) throw newUnsupportedMediaType(serializer.supported);
  const body = await context.request.readBody(maxRequestBodyBytes);
  const strict = expected.fieldValidation !== 'Ignore';
  return decodeObject(expected, body, context, services, () =>
    serializer.accepted.decode(body, { defaultGVK: expected.kind, strict }),
  );
}

function decodeObject(
  { kind, fieldValidation }: ExpectedBody,
  body: Uint8Array,
  context: RequestContext,
  { scheme }: EndpointServices,
  decode: () => ReturnType<EndpointServices['codecs']['decode']>,
): KubernetesObject {
  try {
    const { object, gvk, strictErrors } = decode();
    assertKind(gvk, kind);
    if (strictErrors.length > 0) {
      if (fieldValidation === 'Strict') throw new DecodeFailure(new Error(strictDecodingMessage(strictErrors)), gvk);
      warnOfStrictErrors(strictErrors, context);
    }
    scheme.default(object);
    return object;
  } catch (error) {
    throw asBadRequest(error, kind, body);
  }
}

/** Warns of what a strict reader would refuse; what YAML's has gathered, line by line. */
export function warnOfStrictErrors(errors: readonly string[], { warn }: RequestContext): void {
  for (const error of errors) {
    const [heading = '', ...lines] = error.split('\n');
    if (!heading.endsWith('yaml: unmarshal errors:')) warn(error);
    else for (const line of lines) warn(line.trim());
  }
}

function asBadRequest(error: unknown, { kind, version }: GroupVersionKind, body: Uint8Array): unknown {
  if (error instanceof DecodeFailure) return newBadRequest(badBodyMessage(error, kind, body), { cause: error });
  // Defaults that are made of what an annotation says can fail to be made.
  if (error instanceof Error && error.name === 'DecodeError')
    return newBadRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`,
    );
  return error;
}

/** Throws an Error that says why an object of the one kind is none of the other. */
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
  throw newBadRequest(
    `the API version in the data (${gvk.groupVersion}) does not match the expected API version (${expected.groupVersion})`,
  );
}
