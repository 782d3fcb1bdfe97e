/** Size of the TLS record header, RFC 8446, section 5.1. */
const headerBytes = 5;
const handshakeRecord = 22;
const maxRecordBytes = 16 * 1024;

/** The first five bytes of plain HTTP requests, the same as Go's server looks for. */
const httpBeginnings: ReadonlySet<string> = new Set(['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO']);

/**
 * Classifies the first bytes of a connection: `whole` is a complete TLS record of type handshake (a ClientHello if
 * valid; the TLS library decides that), `partial` an incomplete one, `http` a request without TLS, `other` anything
 * else.
 */
export function readClientHello(bytes: Buffer): 'partial' | 'whole' | 'http' | 'other' {
  if (bytes.length < headerBytes) return 'partial';
  if (bytes[0] !== handshakeRecord)
    return httpBeginnings.has(bytes.toString('latin1', 0, headerBytes)) ? 'http' : 'other';
  const length = Math.min(bytes.readUInt16BE(3), maxRecordBytes);
  return bytes.length < headerBytes + length ? 'partial' : 'whole';
}
