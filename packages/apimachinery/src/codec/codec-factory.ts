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

/** The serializers for the kinds of a KindLookup, and the negotiation of which one to use. */
export class CodecFactory {
  readonly json: JsonSerializer;
  readonly yaml: YamlSerializer;
  readonly protobuf: ProtobufSerializer;
  /** In upstream's order, by which they are preferred and listed. */
  readonly supported: readonly (JsonSerializer | YamlSerializer | ProtobufSerializer)[];

  /** `protobuf` must be false for custom resources, which have no protobuf encoding. */
  constructor(lookup: KindLookup, { protobuf = true }: { readonly protobuf?: boolean } = {}) {
    this.json = new JsonSerializer(lookup);
    this.yaml = new YamlSerializer(lookup);
    this.protobuf = new ProtobufSerializer(lookup);
    this.supported = protobuf ? [this.json, this.yaml, this.protobuf] : [this.json, this.yaml];
  }

  /** Negotiates the format of a response by the Accept header of the request. */
  forOutput(accept: string, restrictions?: EndpointRestrictions): AcceptedMediaType<Serializer> | NotNegotiated {
    return negotiateOutput(accept, this.supported, restrictions);
  }

  /** Negotiates the format of a watch by the Accept header of the request. */
  forStream(accept: string, restrictions?: EndpointRestrictions): AcceptedMediaType<StreamSerializer> | NotNegotiated {
    return negotiateStream(accept, this.supported, restrictions);
  }

  /** Returns the serializer of a request's body by its Content-Type header. */
  forInput(contentType: string): { readonly accepted: Serializer } | NotNegotiated {
    return negotiateInput(contentType, this.supported);
  }

  /**
   * Returns the serializer of the format that a document seems to have: protobuf by its first bytes, JSON by its opening brace, otherwise
   * YAML.
   */
  recognize(data: Uint8Array): Serializer {
    if (isProtobufEnvelope(data)) return this.protobuf;
    const first = data.find((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
    return first === openingBrace ? this.json : this.yaml;
  }

  /** Decodes a document in any of the formats. Throws DecodeFailure. */
  decode(data: Uint8Array, options?: DecodeOptions): Decoded {
    return this.recognize(data).decode(data, options);
  }
}
