import { writeJson } from '@coxswain/apimachinery/codec/json';
import { newNotAcceptable } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { isList } from '@coxswain/apimachinery/meta';
import { partialList, partialObject } from '../metadata/partial-object.ts';
import { bodyOf } from '../transport/response-body.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** Makes of an object or list what the client asked for: itself, or its metadata. */
export type Rendering = <T extends object>(value: T) => object;

const whole: Rendering = (value) => value;
const metadataOnly: Rendering = (value) =>
  isList(value) ? partialList({ ...value, items: value.items.filter(isJsonObject) }) : partialObject(value);

/** The first of the Accept header's forms that a fake server can write. Throws NotAcceptable when there is none. */
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

/** A whole answer. */
export const jsonAnswer = (status: number, value: object): TransportResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: bodyOf(new TextEncoder().encode(writeJson(value))),
});

/** What a server says of a path that it does not have. */
export const unknownPath = (): TransportResponse => ({
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: bodyOf(new TextEncoder().encode('404 page not found\n')),
});
