import { type Collectable, goFloat } from './family.ts';

const escapedHelp = (help: string): string => help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');

/**
 * Formats metrics in version 0.0.4 of Prometheus' text format, sorted by name. Families without samples are omitted.
 */
export function textFormat(families: Iterable<Collectable>): string {
  const lines: string[] = [];
  for (const family of [...families].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name, help, type } = family;
    const samples = [...family.samples()];
    if (samples.length === 0) continue;
    lines.push(`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`);
    for (const { suffix, labels, value } of samples) {
      lines.push(`${name}${suffix}${labels && `{${labels}}`} ${goFloat(value)}`);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}
