import { exampleKinds } from '../schema/example-types.test-data.ts';
import type { KindLookup } from './serializer.ts';

/** A KindLookup for the example kinds. */
export const exampleLookup: KindLookup = {
  name: 'test',
  resolve: ({ apiVersion, kind }) => exampleKinds.get(`${apiVersion} ${kind}`),
};

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
