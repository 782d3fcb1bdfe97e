import { goFloat } from '@coxswain/component-base/metrics';

export interface TimedSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** When it was measured. Undefined: now. */
  readonly timeMs?: number | undefined;
}

export interface TimedFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly TimedSample[];
}

/** Formats metrics with times in version 0.0.4 of Prometheus' text format, sorted by name. Families without samples are omitted. */
export function timedText(families: readonly TimedFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        ({ labels, value, timeMs }) =>
          `${name}${labelText(labels)} ${goFloat(value)}${timeMs === undefined ? '' : ` ${Math.trunc(timeMs)}`}\n`,
      );
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/** Sorted by name, as upstream prints them. */
function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}="${escaped(labels[name] ?? '').replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
