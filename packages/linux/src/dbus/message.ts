import { DBusReader, type DBusValue, DBusWriter, isList, typesOf } from './marshal.ts';

export const messageType = { call: 1, reply: 2, error: 3, signal: 4 } as const;

/** Codes of the fields of a message's header. */
const field = { path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, destination: 6, signature: 8 } as const;

/** systemd's messages have some hundred bytes. */
const maxBytes = 1 << 24;

export interface DBusMessage {
  readonly type: number;
  readonly path?: string | undefined;
  readonly interface?: string | undefined;
  readonly member?: string | undefined;
  readonly errorName?: string | undefined;
  readonly replySerial?: number | undefined;
  readonly destination?: string | undefined;
  readonly signature?: string | undefined;
  readonly body?: readonly DBusValue[];
}

export function encodeMessage(message: DBusMessage, serial: number): Buffer {
  const { signature = '', body = [] } = message;
  const content = new DBusWriter();
  for (const [index, type] of typesOf(signature).entries()) content.write(type, body[index]!);
  const fields: DBusValue[] = [];
  const add = (code: number, type: string, value: DBusValue | undefined): void => {
    if (value !== undefined && value !== '') fields.push([code, { signature: type, value }]);
  };
  add(field.path, 'o', message.path);
  add(field.interface, 's', message.interface);
  add(field.member, 's', message.member);
  add(field.errorName, 's', message.errorName);
  add(field.replySerial, 'u', message.replySerial);
  add(field.destination, 's', message.destination);
  add(field.signature, 'g', signature);
  const header = new DBusWriter();
  for (const byte of ['l'.charCodeAt(0), message.type, 0, 1]) header.write('y', byte);
  header.write('u', content.bytes.length);
  header.write('u', serial);
  header.write('a(yv)', fields);
  header.align(8);
  return Buffer.concat([header.bytes, content.bytes]);
}

/** Decodes the first message of what was received; undefined if it is not whole yet. Throws if it is malformed or too large. */
export function decodeMessage(received: Buffer): { readonly message: DBusMessage; readonly bytes: number } | undefined {
  if (received.length < 16) return undefined;
  const isLittle = received[0] === 'l'.charCodeAt(0);
  const [bodyBytes, , fieldBytes] = new DBusReader(received, isLittle, 4).readAll('uuu');
  const start = 16 + Number(fieldBytes) + (-(16 + Number(fieldBytes)) & 7);
  const bytes = start + Number(bodyBytes);
  if (bytes > maxBytes) throw new Error(`a message has ${bytes} bytes`);
  if (received.length < bytes) return undefined;
  const values = new Map<number, DBusValue>();
  const [fields] = new DBusReader(received.subarray(0, start), isLittle, 12).readAll('a(yv)');
  for (const each of fields !== undefined && isList(fields) ? fields : []) {
    const [code, variant] = isList(each) ? each : [];
    if (typeof variant === 'object' && 'value' in variant) values.set(Number(code), variant.value);
  }
  const text = (code: number): string | undefined => {
    const value = values.get(code);
    return typeof value === 'string' ? value : undefined;
  };
  const signature = text(field.signature) ?? '';
  const replySerial = values.get(field.replySerial);
  return {
    bytes,
    message: {
      type: received[1] ?? 0,
      path: text(field.path),
      interface: text(field.interface),
      member: text(field.member),
      errorName: text(field.errorName),
      replySerial: typeof replySerial === 'number' ? replySerial : undefined,
      signature,
      body: new DBusReader(received.subarray(start, bytes), isLittle).readAll(signature),
    },
  };
}
