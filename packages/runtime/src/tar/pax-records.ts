import { ArchiveError } from './archive-error.ts';

/** The records of an extended header, with a character for each byte. The last one of a key counts. */
export type PaxRecords = ReadonlyMap<string, string>;

/** Parses records of the form `length key=value\n`, where the length is that of the whole record. */
export function parsePaxRecords(content: Buffer): PaxRecords {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const digits = space < 0 || space - at > 10 ? '' : content.toString('latin1', at, space);
    const length = /^[1-9][0-9]*$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    const equals = content.indexOf(0x3d, space);
    if (length === 0 || end > content.length || content[end - 1] !== 0x0a || equals < 0 || equals >= end) {
      throw new ArchiveError('invalid extended tar header');
    }
    records.set(content.toString('latin1', space + 1, equals), content.toString('latin1', equals + 1, end - 1));
    at = end;
  }
  return records;
}

/** One record, of bytes as they are. */
export function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`, 'latin1'), value, Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
