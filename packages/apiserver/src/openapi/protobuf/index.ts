import type { JsonObject } from '../dialect.ts';
import { MessageWriter } from './message-writer.ts';
import { v2DocumentMessage } from './v2-messages.ts';
import { v3DocumentMessage } from './v3-messages.ts';

/** Encodes an OpenAPI document in gnostic's protobuf. Throws an Error for keys without a protobuf field. */
export function encodeDocument(version: 'v2' | 'v3', document: JsonObject): Uint8Array {
  const writer = new MessageWriter();
  (version === 'v2' ? v2DocumentMessage : v3DocumentMessage)(writer, document);
  return writer.take();
}
