import type { Edns, Message, Question, ResourceRecord } from './message.ts';
import { type Cursor, readName } from './name-codec.ts';
import { Type } from './numbers.ts';
import { readRdata } from './rdata.ts';
import { WireError } from './wire-error.ts';

export const headerLength = 12;

/** The shortest record: the root, type, class, TTL and an empty rdata. A message cannot have more records than fit. */
const minRecordLength = 11;

/**
 * Decodes a message. Throws a WireError for anything that is not well-formed: cut off, counts that are too high, bad compression, two OPT records. The time and
 * memory that it takes are bounded by the length of the message.
 */
export function decodeMessage(bytes: Buffer): Message {
  if (bytes.length < headerLength) throw new WireError('the header is cut off');
  const cursor: Cursor = { offset: headerLength };
  const questions: Question[] = [];
  for (let left = bytes.readUInt16BE(4); left > 0; left--) questions.push(readQuestion(bytes, cursor));
  let edns: Edns | undefined;
  const section = (count: number): ResourceRecord[] => {
    if (count * minRecordLength > bytes.length - cursor.offset) throw new WireError('records are missing');
    const records: ResourceRecord[] = [];
    for (let left = count; left > 0; left--) {
      const record = readRecord(bytes, cursor);
      if (record.type !== Type.OPT) records.push(record);
      else if (edns) throw new WireError('there is more than one OPT record');
      else edns = ednsOf(record);
    }
    return records;
  };
  return {
    id: bytes.readUInt16BE(0),
    flags: bytes.readUInt16BE(2),
    questions,
    answers: section(bytes.readUInt16BE(6)),
    authorities: section(bytes.readUInt16BE(8)),
    additionals: section(bytes.readUInt16BE(10)),
    edns,
  };
}

function readQuestion(bytes: Buffer, cursor: Cursor): Question {
  const name = readName(bytes, cursor);
  const { offset } = cursor;
  if (offset + 4 > bytes.length) throw new WireError('a question is cut off');
  cursor.offset += 4;
  return { name, type: bytes.readUInt16BE(offset), class: bytes.readUInt16BE(offset + 2) };
}

function readRecord(bytes: Buffer, cursor: Cursor): ResourceRecord {
  const name = readName(bytes, cursor);
  const { offset } = cursor;
  if (offset + 10 > bytes.length) throw new WireError('a record is cut off');
  const type = bytes.readUInt16BE(offset);
  const start = offset + 10;
  const end = start + bytes.readUInt16BE(offset + 8);
  if (end > bytes.length) throw new WireError('the data of a record are cut off');
  cursor.offset = end;
  return {
    name,
    type,
    class: bytes.readUInt16BE(offset + 2),
    ttl: bytes.readUInt32BE(offset + 4),
    rdata: readRdata(bytes, type, start, end),
  };
}

function ednsOf({ name, class: udpSize, ttl, rdata }: ResourceRecord): Edns {
  if (name !== '.') throw new WireError('the OPT record has a name');
  const [options = Buffer.alloc(0)] = rdata;
  if (typeof options === 'string') throw new WireError('the OPT record has a name as data');
  return {
    udpSize,
    extendedRcode: (ttl >>> 24) & 0xff,
    version: (ttl >>> 16) & 0xff,
    flags: ttl & 0xffff,
    options,
  };
}
