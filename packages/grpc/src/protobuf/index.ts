/** Protobuf messages as tables of fields, for the small protocols of other programs: etcd, KMS plug-ins, container runtimes. */
export {
  bool,
  bytes,
  double,
  id,
  int64,
  many,
  name,
  one,
  signed,
  signeds,
  text,
  textMap,
  texts,
  unsigned,
} from './field.ts';
export { type Init, type Message, type MessageOf, message, struct } from './message.ts';
