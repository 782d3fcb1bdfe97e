import { JsonSerializer } from './json-serializer.ts';
import type { EndpointRestrictions } from './negotiate.ts';
import {
  type AcceptedMediaType,
  type NotNegotiated,
  negotiateInput,
  negotiateOutput,
  negotiateStream,
} from './negotiate.ts';
import { isProtobufEnvelope } from './protobuf/envelope.ts';
import { ProtobufSerializer } from './protobuf-serializer.ts';
import type { Decoded, DecodeOptions, KindLookup, Serializer, StreamSerializer } from './serializer.ts';
import { YamlSerializer } from './yaml-serializer.ts';

const openingBrace = 0x7b;

/** The serializers for what a lookup knows, and the choice among them. */
export class CodecFactory {
  readonly json: JsonSerializer;
  readonly yaml: YamlSerializer;
  readonly protobuf: ProtobufSerializer;
  /** In the order in which upstream prefers and lists them. */
  readonly supported: readonly (JsonSerializer | YamlSerializer | ProtobufSerializer)[];

  /** Custom resources have no protobuf: leave it out for them. */
  constructor(lookup: KindLookup, { protobuf = true }: { readonly protobuf?: boolean } = {}) {
    this.json = new JsonSerializer(lookup);
    this.yaml = new YamlSerializer(lookup);
    this.protobuf = new ProtobufSerializer(lookup);
    this.supported = protobuf ? [this.json, this.yaml, this.protobuf] : [this.json, this.yaml];
  }

  /** How to answer a request, by its Accept header. */
  forOutput(accept: string, restrictions?: EndpointRestrictions): AcceptedMediaType<Serializer> | NotNegotiated {
    return negotiateOutput(accept, this.supported, restrictions);
  }

  /** How to answer a watch, by its Accept header. */
  forStream(accept: string, restrictions?: EndpointRestrictions): AcceptedMediaType<StreamSerializer> | NotNegotiated {
    return negotiateStream(accept, this.supported, restrictions);
  }

  /** How to read a body, by its Content-Type header. */
  forInput(contentType: string): { readonly accepted: Serializer } | NotNegotiated {
    return negotiateInput(contentType, this.supported);
  }

  /** The serializer that a document looks like: protobuf by its first bytes, JSON by its brace, else YAML. */
  recognize(data: Uint8Array): Serializer {
    if (isProtobufEnvelope(data)) return this.protobuf;
    const first = data.find((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
    return first === openingBrace ? this.json : this.yaml;
  }

  /** Decodes a document in whatever format it is. Throws DecodeFailure. */
  decode(data: Uint8Array, options?: DecodeOptions): Decoded {
    return this.recognize(data).decode(data, options);
  }
}
