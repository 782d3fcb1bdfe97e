export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** Overhead of a field in addition to its bytes, as defined by the protocol. */
export const overheadBytes = 32;

/** The size of a field in the dynamic table: RFC 7541, 4.1. */
export const fieldSize = ({ name, value }: HeaderField): number =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + overheadBytes;

const field = (name: string, value = ''): HeaderField => ({ name, value });

/** The static table of RFC 7541, appendix A. Indexes start at 1. */
export const staticTable: readonly HeaderField[] = [
  field(':authority'),
  field(':method', 'GET'),
  field(':method', 'POST'),
  field(':path', '/'),
  field(':path', '/index.html'),
  field(':scheme', 'http'),
  field(':scheme', 'https'),
  ...['200', '204', '206', '304', '400', '404', '500'].map((status) => field(':status', status)),
  field('accept-charset'),
  field('accept-encoding', 'gzip, deflate'),
  ...`accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control
    content-disposition content-encoding content-language content-length content-location content-range content-type
    cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since
    last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after
    server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate`
    .split(/\s+/)
    .map((name) => field(name)),
];
