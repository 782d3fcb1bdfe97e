/** RFC 8446, section 5.1. */
const headerBytes = 5;
const handshakeRecord = 22;
const maxRecordBytes = 16 * 1024;

/** The first five bytes of requests, as Go's server looks for them. */
const httpBeginnings: ReadonlySet<string> = new Set(['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO']);

/**
 * What the first bytes of a connection are: a whole TLS record that may be a ClientHello (what is in it is for the TLS
 * library to judge), a part of one, HTTP without TLS, or something else.
 */
export function readClientHello(bytes: Buffer): 'partial' | 'whole' | 'http' | 'other' {
  if (bytes.length < headerBytes) return 'partial';
  if (bytes[0] !== handshakeRecord)
    return httpBeginnings.has(bytes.toString('latin1', 0, headerBytes)) ? 'http' : 'other';
  const length = Math.min(bytes.readUInt16BE(3), maxRecordBytes);
  return bytes.length < headerBytes + length ? 'partial' : 'whole';
}
