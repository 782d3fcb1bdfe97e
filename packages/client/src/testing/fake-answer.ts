import { writeJson } from '@coxswain/apimachinery/codec/json';
import { newNotAcceptable } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { isList } from '@coxswain/apimachinery/meta';
import { partialList, partialObject } from '../metadata/partial-object.ts';
import { bodyOf } from '../transport/response-body.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** Converts an object or list to the requested form: unchanged, or its metadata. */
export type Rendering = <T extends object>(value: T) => object;

const whole: Rendering = (value) => value;
const metadataOnly: Rendering = (value) =>
  isList(value) ? partialList({ ...value, items: value.items.filter(isJsonObject) }) : partialObject(value);

/**
 * Returns the first form of the Accept header that the fake server supports. Throws NotAcceptable when there is none.
 */
export function renderingFor(accept: string): Rendering {
  for (const clause of accept.split(',')) {
    const [mediaType = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*', ''].includes(mediaType)) continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
    if (as === undefined) return whole;
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return metadataOnly;
  }
  throw newNotAcceptable(['application/json']);
}

/** A complete JSON response. */
export const jsonAnswer = (status: number, value: object): TransportResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: bodyOf(new TextEncoder().encode(writeJson(value))),
});

/** The response for an unknown path. */
export const unknownPath = (): TransportResponse => ({
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: bodyOf(new TextEncoder().encode('404 page not found\n')),
});
