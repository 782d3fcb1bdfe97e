import { quote } from '@coxswain/apimachinery';

/** Parses a list of CPUs such as `0-3,8`. Throws an Error with the message of Go's library. */
export function parseCpuSet(text: string): ReadonlySet<number> {
  const cpus = new Set<number>();
  if (text === '') return cpus;
  for (const range of text.split(',')) {
    const [first = '', last = first, ...more] = range.split('-');
    if (more.length > 0) throw notANumber(range.slice(first.length + 1));
    const [from, to] = [number(first), number(last)];
    if (from > to) throw new Error(`invalid range ${quote(range)} (${from} > ${to})`);
    if (to >= maxCpus) throw new Error(`invalid range ${quote(range)} (there are no more than ${maxCpus} CPUs)`);
    for (let cpu = from; cpu <= to; cpu++) cpus.add(cpu);
  }
  return cpus;
}

/** More than any kernel supports. */
const maxCpus = 65_536;

function number(text: string): number {
  if (!/^\d+$/.test(text)) throw notANumber(text);
  return Number(text);
}

const notANumber = (text: string): Error => new Error(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
