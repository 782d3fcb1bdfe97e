/** The numbers of the DNS protocol and their names, as zone files and `dig` print them. */

/** The types of records that this package knows more about than their number. */
export const Type = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  DS: 43,
  RRSIG: 46,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

export const classIn = 1;

export const Rcode = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;

/** The bits of the second word of a header. */
export const Flag = {
  QR: 0x8000,
  AA: 0x0400,
  TC: 0x0200,
  RD: 0x0100,
  RA: 0x0080,
  Z: 0x0040,
  AD: 0x0020,
  CD: 0x0010,
} as const;

const typeNames: readonly (readonly [number, string])[] = [
  [1, 'A'],
  [2, 'NS'],
  [3, 'MD'],
  [4, 'MF'],
  [5, 'CNAME'],
  [6, 'SOA'],
  [7, 'MB'],
  [8, 'MG'],
  [9, 'MR'],
  [10, 'NULL'],
  [12, 'PTR'],
  [13, 'HINFO'],
  [14, 'MINFO'],
  [15, 'MX'],
  [16, 'TXT'],
  [17, 'RP'],
  [18, 'AFSDB'],
  [24, 'SIG'],
  [25, 'KEY'],
  [28, 'AAAA'],
  [29, 'LOC'],
  [33, 'SRV'],
  [35, 'NAPTR'],
  [36, 'KX'],
  [37, 'CERT'],
  [39, 'DNAME'],
  [41, 'OPT'],
  [43, 'DS'],
  [44, 'SSHFP'],
  [46, 'RRSIG'],
  [47, 'NSEC'],
  [48, 'DNSKEY'],
  [50, 'NSEC3'],
  [51, 'NSEC3PARAM'],
  [52, 'TLSA'],
  [53, 'SMIMEA'],
  [59, 'CDS'],
  [60, 'CDNSKEY'],
  [61, 'OPENPGPKEY'],
  [64, 'SVCB'],
  [65, 'HTTPS'],
  [99, 'SPF'],
  [249, 'TKEY'],
  [250, 'TSIG'],
  [251, 'IXFR'],
  [252, 'AXFR'],
  [255, 'ANY'],
  [256, 'URI'],
  [257, 'CAA'],
];

const rcodeNames: readonly (readonly [number, string])[] = [
  [0, 'NOERROR'],
  [1, 'FORMERR'],
  [2, 'SERVFAIL'],
  [3, 'NXDOMAIN'],
  [4, 'NOTIMP'],
  [5, 'REFUSED'],
  [6, 'YXDOMAIN'],
  [7, 'YXRRSET'],
  [8, 'NXRRSET'],
  [9, 'NOTAUTH'],
  [10, 'NOTZONE'],
  [16, 'BADVERS'],
  [23, 'BADCOOKIE'],
];

const classNames: readonly (readonly [number, string])[] = [
  [1, 'IN'],
  [2, 'CS'],
  [3, 'CH'],
  [4, 'HS'],
  [254, 'NONE'],
  [255, 'ANY'],
];

const reversed = (names: readonly (readonly [number, string])[]): Map<string, number> =>
  new Map(names.map(([number, name]) => [name, number]));

const namesByType = new Map(typeNames);
const namesByRcode = new Map(rcodeNames);
const namesByClass = new Map(classNames);
const typesByName = reversed(typeNames);
const rcodesByName = reversed(rcodeNames);
const classesByName = reversed(classNames);

/** Returns `TYPE1234` for a type without a name. */
export const typeName = (type: number): string => namesByType.get(type) ?? `TYPE${type}`;

export const rcodeName = (rcode: number): string => namesByRcode.get(rcode) ?? `RCODE${rcode}`;

export const className = (value: number): string => namesByClass.get(value) ?? `CLASS${value}`;

/** Accepts names in any case. */
export const typeByName = (name: string): number | undefined => typesByName.get(name.toUpperCase());

export const rcodeByName = (name: string): number | undefined => rcodesByName.get(name.toUpperCase());

export const classByName = (name: string): number | undefined => classesByName.get(name.toUpperCase());
