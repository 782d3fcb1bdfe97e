export { type StringifyOptions, stringifyJson, writeJson } from '../json/stringify-json.ts';
export { CodecFactory } from './codec-factory.ts';
export { badBodyMessage, DecodeFailure, strictDecodingMessage } from './decode-failure.ts';
export { type FrameReader, type Framer, jsonFramer, lengthDelimitedFramer } from './framer.ts';
export { type ParsedJson, parseJson, parseJsonInSteps, readJson } from './json.ts';
export { JsonSerializer } from './json-serializer.ts';
export { JsonSyntaxError } from './json-syntax-error.ts';
export { type AcceptClause, parseAccept, parseContentType } from './media-type.ts';
export {
  type AcceptedMediaType,
  defaultRestrictions,
  type EndpointRestrictions,
  type NotNegotiated,
  negotiateInput,
  negotiateOutput,
  negotiateStream,
  type SupportedMediaType,
  wantsPretty,
} from './negotiate.ts';
export { type Envelope, isProtobufEnvelope, readEnvelope } from './protobuf/envelope.ts';
export { decodeProtobufMessage, encodeProtobufMessage } from './protobuf/message.ts';
export { NotMarshalableError, ProtobufSerializer } from './protobuf-serializer.ts';
export type {
  Decoded,
  DecodedEvent,
  DecodeOptions,
  EncodeOptions,
  KindLookup,
  Serializer,
  StreamSerializer,
} from './serializer.ts';
export { findStrictErrors, hasDuplicateKeys } from './strict-fields.ts';
export {
  type ParsedYaml,
  parseYaml,
  parseYamlInSteps,
  splitYamlDocuments,
  stringifyYaml,
  YamlError,
} from './yaml/index.ts';
export { YamlSerializer } from './yaml-serializer.ts';
