/** A part of a record's data: a domain name, as text, or the bytes between names. */
export type RdataPart = string | Buffer;

export interface Question {
  /** As it was asked, so perhaps in mixed case. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

export interface ResourceRecord {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  /** In the order of the wire format. Names are not compressed. */
  readonly rdata: readonly RdataPart[];
}

/** The OPT record of a message (RFC 6891). */
export interface Edns {
  readonly udpSize: number;
  readonly version: number;
  /** The upper 8 bits of the response code. */
  readonly extendedRcode: number;
  /** The DNSSEC OK bit is 0x8000. */
  readonly flags: number;
  readonly options: Buffer;
}

export const dnssecOk = 0x8000;

/** A whole message. The OPT record is not among the additional records. */
export interface Message {
  readonly id: number;
  /** The second word of the header: flags, opcode and the lower 4 bits of the response code. */
  readonly flags: number;
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  readonly edns?: Edns | undefined;
}

export const opcodeOf = (flags: number): number => (flags >> 11) & 0xf;

/** The response code with the bits that are in the OPT record. */
export const rcodeOf = ({ flags, edns }: Message): number => (flags & 0xf) | ((edns?.extendedRcode ?? 0) << 4);
