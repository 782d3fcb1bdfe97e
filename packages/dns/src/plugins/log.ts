import type { Plugin, Query, Reply } from '../chain/index.ts';
import { whenReplied } from '../chain/index.ts';
import { argumentError, type Directive, errorAt } from '../corefile/index.ts';
import {
  className,
  dnssecOk,
  encodeMessage,
  Flag,
  fqdn,
  isInZone,
  opcodeOf,
  Rcode,
  rcodeName,
  Type,
  typeName,
} from '../wire/index.ts';
import type { Setup } from './setup/index.ts';

const name = 'log';

const commonFormat =
  '{remote}:{port} - {>id} "{type} {class} {name} {proto} {size} {>do} {>bufsize}" {rcode} {>rflags} {rsize} {duration}';
const combinedFormat = `${commonFormat} "{>opcode}"`;

const classes = ['success', 'denial', 'error', 'all'] as const;
type ResponseClass = (typeof classes)[number];

interface Rule {
  readonly zone: string;
  readonly format: string;
  readonly classes: ReadonlySet<ResponseClass>;
}

/** The plug-in `log`: a line for each query, in CoreDNS' formats. It is the one place where a client's words become part of a log message. */
export const setupLog: Setup = (directives, { clock, logger }) => {
  const rules = directives.flatMap(rulesOf);
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => {
      const rule = rules.find(({ zone }) => isInZone(query.name, zone));
      if (!rule) return next(query);
      const start = clock.monotonic();
      return whenReplied(next(query), (reply) => {
        if (rule.classes.has('all') || rule.classes.has(classOf(reply))) {
          logger.info(logLine(rule.format, query, reply, (clock.monotonic() - start) / 1000));
        }
        // A reused answer would not come by here.
        return reply.reuse ? { ...reply, reuse: undefined } : reply;
      });
    },
  };
  return plugin;
};

function rulesOf(directive: Directive): Rule[] {
  const args = [...directive.args];
  const last = args.at(-1);
  let format = commonFormat;
  if (args.length > 1 && last?.includes('{')) {
    args.pop();
    format = last.replaceAll('{common}', commonFormat).replaceAll('{combined}', combinedFormat);
  }
  const logged = new Set<ResponseClass>();
  for (const option of directive.block ?? []) {
    if (option.name !== 'class') throw errorAt(option, `unknown property '${option.name}'`);
    if (option.args.length === 0) throw argumentError(option);
    for (const arg of option.args) {
      const known = classes.find((one) => one === arg);
      if (!known) throw errorAt(option, `invalid Class: ${arg}`);
      logged.add(known);
    }
  }
  if (logged.size === 0) logged.add('all');
  const zones = args.length === 0 ? ['.'] : args.map((zone) => fqdn(zone.toLowerCase()));
  return zones.map((zone) => ({ zone, format, classes: logged }));
}

function classOf({ rcode, answers, authorities }: Reply): ResponseClass {
  if (rcode === Rcode.NXDOMAIN) return answers.length > 0 ? 'error' : 'denial';
  if (rcode !== Rcode.NOERROR) return 'error';
  const isNegative = answers.length === 0 && authorities.some(({ type }) => type === Type.SOA);
  return isNegative ? 'denial' : 'success';
}

const flagNames = [
  [Flag.QR, 'qr'],
  [Flag.AA, 'aa'],
  [Flag.TC, 'tc'],
  [Flag.RD, 'rd'],
  [Flag.RA, 'ra'],
  [Flag.Z, 'z'],
  [Flag.AD, 'ad'],
  [Flag.CD, 'cd'],
] as const;

/** Returns the line of a query. The name cannot contain a line break: names are escaped. */
function logLine(format: string, query: Query, reply: Reply, seconds: number): string {
  const { client, question, edns, flags } = query;
  const bracketed = client.family === 6 ? `[${client.address}]` : client.address;
  const sentFlags = Flag.QR | (flags & (Flag.RD | Flag.CD)) | reply.flags;
  const values: Readonly<Record<string, () => string>> = {
    '{remote}': () => bracketed,
    '{port}': () => String(client.port),
    '{local}': () => '-',
    '{type}': () => typeName(question.type),
    '{class}': () => className(question.class),
    '{name}': () => query.name,
    '{proto}': () => client.protocol,
    '{size}': () => String(query.size),
    '{rcode}': () => rcodeName(reply.rcode),
    '{rsize}': () => String(sizeOf(query, reply)),
    '{duration}': () => `${Number(seconds.toFixed(9))}s`,
    '{>id}': () => String(query.id),
    '{>opcode}': () => String(opcodeOf(flags)),
    '{>do}': () => String(((edns?.flags ?? 0) & dnssecOk) !== 0),
    '{>bufsize}': () => String(client.protocol === 'tcp' ? 65_535 : Math.max(edns?.udpSize ?? 0, 512)),
    '{>rflags}': () =>
      flagNames
        .filter(([bit]) => (sentFlags & bit) !== 0)
        .map(([, text]) => text)
        .join(','),
  };
  return format.replace(/\{>?[a-z]+\}/g, (word) => values[word]?.() ?? word);
}

function sizeOf({ id, flags, question }: Query, { answers, authorities, additionals }: Reply): number {
  return encodeMessage({ id, flags, questions: [question], answers, authorities, additionals }).length;
}
