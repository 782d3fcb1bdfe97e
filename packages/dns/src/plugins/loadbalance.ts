import { type Plugin, whenReplied } from '../chain/index.ts';
import { errorAt } from '../corefile/index.ts';
import { Rcode, type ResourceRecord, Type } from '../wire/index.ts';
import { noBlock, onlyOne, type Setup } from './setup/index.ts';

const name = 'loadbalance';

/** The plug-in `loadbalance`: the order of addresses is random, since many clients use the first one. */
export const setupLoadbalance: Setup = (directives, { random }) => {
  const directive = onlyOne(directives);
  const [policy = 'round_robin', ...more] = directive.args;
  if (policy === 'weighted') throw errorAt(directive, `the policy 'weighted' is not supported`);
  if (policy !== 'round_robin' || more.length > 0) throw errorAt(directive, `unknown policy: ${policy}`);
  noBlock(directive);
  const plugin: Plugin = {
    name,
    handler: (next) => (query) =>
      whenReplied(next(query), (reply) => {
        if (reply.rcode !== Rcode.NOERROR) return reply;
        const { answers, authorities, additionals, reuse } = reply;
        // An answer of addresses alone is rotated when it is reused. Others with several addresses are made anew.
        const mayReuse = reuse && (rotatable(answers) || !hasChoice(answers)) && !hasChoice(additionals);
        return {
          ...reply,
          answers: shuffled(answers, random),
          authorities: shuffled(authorities, random),
          additionals: shuffled(additionals, random),
          reuse: mayReuse ? { ...reuse, rotates: answers.length > 1 } : undefined,
        };
      }),
  };
  return plugin;
};

const isAddress = ({ type }: ResourceRecord): boolean => type === Type.A || type === Type.AAAA;

const hasChoice = (records: readonly ResourceRecord[]): boolean =>
  records.length > 1 && records.filter((record) => isAddress(record) || record.type === Type.MX).length > 1;

/** Whether all records are addresses of one type, so that they are equally long on the wire. */
const rotatable = (records: readonly ResourceRecord[]): boolean =>
  records.length > 1 && records.every((record) => isAddress(record) && record.type === records[0]?.type);

/** CNAME records first, then others, then addresses and MX records in random order. */
function shuffled(records: readonly ResourceRecord[], random: () => number): readonly ResourceRecord[] {
  if (records.length < 2) return records;
  const aliases = records.filter(({ type }) => type === Type.CNAME);
  const addresses = records.filter(isAddress);
  const exchanges = records.filter(({ type }) => type === Type.MX);
  const rest = records.filter((record) => record.type !== Type.CNAME && record.type !== Type.MX && !isAddress(record));
  shuffle(addresses, random);
  shuffle(exchanges, random);
  return [...aliases, ...rest, ...addresses, ...exchanges];
}

function shuffle<T>(items: T[], random: () => number): void {
  for (let index = items.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    const item = items[index];
    const swapped = items[other];
    if (item === undefined || swapped === undefined) continue;
    items[index] = swapped;
    items[other] = item;
  }
}
