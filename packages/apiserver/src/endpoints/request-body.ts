import {
  hasMoreJsonParts,
  hasMoreParts,
  isJsonObject,
  type KubernetesObject,
  newRequestEntityTooLarge,
} from '@coxswain/apimachinery';
import type { RequestContext } from '../http/request-context.ts';
import { isLarge, Turns } from '../turns/turns.ts';

/**
 * The maximum number of parts of an object, without managedFields. Every value is a part; scalar list items count half.
 *
 * Differs from upstream, which has no such limit, because it can handle requests on several processors. Here some steps of a
 * write are one uninterrupted pass over the object, which takes 20 to 40 ms at this limit. The largest CustomResourceDefinitions
 * in use have half as many parts. Only objects with more than one part per 20 bytes reach this limit before the size limit of
 * the store (docs/decisions/0025-large-bodies-take-turns.md).
 */
const maxParts = 75_000;

/** The maximum number of parts in the text of a request, with managedFields and unknown fields. */
const maxTextParts = 150_000;

/**
 * The body limit for reviews, bindings, evictions, token requests, scales and options, which are small. The largest ones in
 * practice are reviews of users in thousands of groups. Differs from upstream, whose limit for these is 3 MiB, too.
 */
export const maxSmallBodyBytes = 256 * 1024;

/** Reads the body of the request. If it is large, sets `context.turns`. Throws RequestEntityTooLarge. */
export async function readBody(context: RequestContext, maxBytes: number): Promise<Uint8Array> {
  const body = await context.request.readBody(maxBytes);
  if (isLarge(body)) context.turns ??= new Turns(context.eventLoop);
  return body;
}

const tooManyParts = (): Error => newRequestEntityTooLarge('the request has too many parts');

/** Returns whether a JSON body is within the limit of parts. Decoders of other formats check the limit themselves. */
export const hasAcceptableParts = (body: Uint8Array): boolean => !hasMoreJsonParts(body, maxTextParts);

/** Throws RequestEntityTooLarge when a JSON body has too many parts. */
export function assertJsonParts(json: Uint8Array): void {
  if (!hasAcceptableParts(json)) throw tooManyParts();
}

/**
 * Throws RequestEntityTooLarge when the object has too many parts, unless `current`, the stored object, has too many already:
 * such an object can still be changed.
 */
export function assertParts(object: unknown, current?: KubernetesObject): void {
  if (hasMoreParts(withoutManagers(object), maxParts) && !(current && hasMoreParts(withoutManagers(current), maxParts)))
    throw tooManyParts();
}

function withoutManagers(object: unknown): unknown {
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
