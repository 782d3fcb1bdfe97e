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
 * How many parts an object may have besides its managedFields: values, of which those in lists that are neither object nor list count
 * half.
 *
 * Differs from upstream, which has a processor for each request: some steps of a write are one pass over the object, and
 * at this bound a pass takes 20 to 40 ms. The largest definitions that people write have half of these parts; of what is
 * stored at all, only what has more than one for every 20 bytes is refused (docs/decisions/0025-large-bodies-take-turns.md).
 */
const maxParts = 75_000;

/** The same for the text of a request, with managedFields and with what the type does not know. */
const maxTextParts = 150_000;

/**
 * The limit for what has no room for more: reviews, bindings, evictions, requests for tokens, scales and options. Differs
 * from upstream, which reads 3 MiB of these, too. The largest that clients send are reviews of somebody in thousands of groups.
 */
export const maxSmallBodyBytes = 256 * 1024;

/** The body of the request. From here on the request is worked on in turns if it is a large one. */
export async function readBody(context: RequestContext, maxBytes: number): Promise<Uint8Array> {
  const body = await context.request.readBody(maxBytes);
  if (isLarge(body)) context.turns ??= new Turns(context.eventLoop);
  return body;
}

const tooManyParts = (): Error => newRequestEntityTooLarge('the request has too many parts');

/** Whether a request in JSON has no more parts than are read. Of one in another format its reader finds out. */
export const hasAcceptableParts = (body: Uint8Array): boolean => !hasMoreJsonParts(body, maxTextParts);

/** Throws RequestEntityTooLarge. */
export function assertJsonParts(json: Uint8Array): void {
  if (!hasAcceptableParts(json)) throw tooManyParts();
}

/**
 * Throws RequestEntityTooLarge. `current`: what is there already; what was stored with so many parts can still be
 * changed.
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
