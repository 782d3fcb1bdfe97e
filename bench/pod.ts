import { Catalogue, defaulterFor, FeatureGates, newCodecFactory, strategyFor, validateCreate } from '@coxswain/api';
import { GroupVersionKind } from '@coxswain/apimachinery';
import { measure, type Result } from './measure.ts';
import { protobufjsType } from './protobufjs-peer.ts';
import { typicalPod } from './typical-pod.ts';

/** A server's work on a pod that is received and sent again, beside the minimal decoding and encoding. */
export function podBench(): Result[] {
  const gvk = GroupVersionKind.of('', 'v1', 'Pod');
  const codecs = newCodecFactory();
  const setDefaults = defaulterFor(gvk)!;
  const strategy = strategyFor(gvk)!;
  const context = { features: FeatureGates.defaults, namespace: 'default', now: () => new Date() };
  const accept = (object: Parameters<typeof setDefaults>[0]) => {
    setDefaults(object);
    const errors = validateCreate(strategy, object, context);
    if (errors.length > 0) throw new Error(String(errors));
    return object;
  };

  const json = new TextEncoder().encode(JSON.stringify(typicalPod));
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();

  const protobuf = codecs.protobuf.encode(codecs.json.decode(json).object);
  const peerType = protobufjsType(Catalogue.builtIn().kind(gvk)!.schema);
  const raw = rawOf(protobuf);
  if (peerType.encode(peerType.decode(raw)).finish().length !== raw.length)
    throw new Error('the peer does not encode the same bytes');

  return [
    measure({
      name: 'JSON: decode, default, validate, encode',
      ours: () => codecs.json.encode(accept(codecs.json.decode(json).object)),
      peer: () => encoder.encode(JSON.stringify(JSON.parse(decoder.decode(json)))),
      peerName: 'JSON.parse, JSON.stringify',
    }),
    measure({
      name: 'JSON: decode, encode',
      ours: () => codecs.json.encode(codecs.json.decode(json).object),
      peer: () => encoder.encode(JSON.stringify(JSON.parse(decoder.decode(json)))),
      peerName: 'JSON.parse, JSON.stringify',
    }),
    measure({
      name: 'protobuf: decode, default, validate, encode',
      ours: () => codecs.protobuf.encode(accept(codecs.protobuf.decode(protobuf).object)),
      peer: () => peerType.encode(peerType.decode(raw)).finish(),
      peerName: 'protobufjs decode, encode',
    }),
    measure({
      name: 'protobuf: decode, encode',
      ours: () => codecs.protobuf.encode(codecs.protobuf.decode(protobuf).object),
      peer: () => peerType.encode(peerType.decode(raw)).finish(),
      peerName: 'protobufjs decode, encode',
    }),
  ];
}

/** Returns the message inside an envelope: `k8s\0`, then field 1 (version and kind), then field 2. */
function rawOf(envelope: Uint8Array): Uint8Array {
  let at = 6 + envelope[5]! + 1;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = envelope[at++]!;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return envelope.subarray(at, at + length);
}
