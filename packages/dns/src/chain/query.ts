import type { Edns, Question } from '../wire/index.ts';
import type { Reply } from './reply.ts';

export interface Client {
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
  readonly protocol: 'udp' | 'tcp';
}

/** A query on its way through the plug-ins of a server block. */
export interface Query {
  readonly id: number;
  /** The second word of the header. */
  readonly flags: number;
  readonly question: Question;
  /** The name of the question in lower case. */
  readonly name: string;
  readonly edns: Edns | undefined;
  /** The length of the message. */
  readonly size: number;
  readonly client: Client;
  /** The listener, such as `dns://:53`; a label of metrics. */
  readonly server: string;
  /** The zone of the server block. */
  readonly zone: string;
  /** Asks the listener itself, for targets of CNAME records. The depth of such questions is limited. */
  lookup(name: string, type: number): Promise<Reply>;
}
