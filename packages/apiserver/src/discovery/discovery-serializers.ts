import { Catalogue, newCodecFactory } from '@coxswain/api';
import { encodeProtobufMessage, GroupVersion, isJsonObject } from '@coxswain/apimachinery';
import type { OutputSerializer } from './negotiated-response.ts';

/** The prefix of Kubernetes protobuf: `k8s` and a zero byte. */
const magic = [0x6b, 0x38, 0x73, 0x00];

/**
 * Returns the serializers for discovery documents. The core group's documents have a kind but no apiVersion, which our
 * protobuf serializer requires; like upstream, these are encoded with an empty apiVersion.
 */
export function discoverySerializers(): OutputSerializer[] {
  const { json, yaml, protobuf } = newCodecFactory();
  return [
    json,
    yaml,
    {
      mediaType: protobuf.mediaType,
      streams: protobuf.streams,
      encode: (object) =>
        isJsonObject(object) && object.apiVersion === undefined
          ? encodeWithoutVersion(object, String(object.kind))
          : protobuf.encode(object),
    },
  ];
}

function encodeWithoutVersion(object: Record<string, unknown>, kind: string): Uint8Array {
  const schema = Catalogue.builtIn().kind(GroupVersion.of('', 'v1').withKind(kind))?.schema;
  if (!schema) throw new Error(`the core group has no kind ${kind}`);
  const bytes = (number: number, content: Uint8Array): Uint8Array =>
    Buffer.concat([Uint8Array.from([(number << 3) | 2, ...varint(content.length)]), content]);
  const none = new Uint8Array();
  const type = Buffer.concat([bytes(1, none), bytes(2, Buffer.from(kind))]);
  const raw = encodeProtobufMessage(schema, object);
  return Buffer.concat([Uint8Array.from(magic), bytes(1, type), bytes(2, raw), bytes(3, none), bytes(4, none)]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
