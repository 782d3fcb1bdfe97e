import { CelEnvironment, DYN, fromJson, STRING } from '@coxswain/cel';
import { kubernetesLibraries } from '@coxswain/cel/library';
import { longestWait } from './longest-wait.ts';

const fill = (unit: string, separator: string): string =>
  Array.from({ length: Math.floor(99_000 / (unit.length + separator.length)) }, () => unit).join(separator);

/** Expressions of the maximum length. */
const longExpressions: Readonly<Record<string, string>> = {
  'many terms': fill('d==d', '||'),
  'many literals': `[${fill('1', ',')}]`,
  'many lists': `[${fill('[]', ',')}]`,
  'many calls': fill("s.replace('','')==''", '||'),
  'many macros': fill('d.map(x,x)==d', '||'),
  'nested types': fill(`${'['.repeat(100)}${']'.repeat(100)}==[]`, '||'),
};

const hostileExpressions: readonly string[] = [
  "s.replace('a', 'bcd').size()",
  "s.split('').size()",
  "s.matches('(a|A)*b')",
  "s.findAll('a').size()",
  "'%s'.format([d]).size()",
  'd == d',
  'd.sort().size()',
  'd.map(x, [x]).size()',
  "isURL('/' + s.substring(0, 1500000).replace('a', ' '))",
];

const ordinaryRule = "s.startsWith('a') && s.size() < 10000000 && d.size() > 2";

/** Measures the longest waits in milliseconds, and the rate of ordinary rules. Returns the text to print. */
export async function celBench(): Promise<string> {
  const environment = new CelEnvironment({ libraries: kubernetesLibraries, variables: { s: STRING, d: DYN } });
  const numbers = Array.from({ length: 400_000 }, (_, i) => (i * 7919) % 400_009);
  const bindings = new Map([
    ['s', 'aA'.repeat(1_000_000)],
    ['d', fromJson(numbers)],
  ]);
  const lines = ['longest wait of others, ms'];
  const row = (name: string, waited: number) => lines.push(`${name.padEnd(50)}${waited.toFixed(1).padStart(8)}`);
  for (const [name, text] of Object.entries(longExpressions)) {
    row(
      `compile: ${name}`,
      await longestWait(async () => {
        const compiled = await environment.compileAsync(text);
        await compiled.estimateCostAsync();
        await compiled.programAsync();
      }),
    );
  }
  for (const text of hostileExpressions) {
    const program = await (await environment.compileAsync(text)).programAsync();
    row(text, await longestWait(async () => void (await program.evaluateAsync(bindings))));
  }
  const compile = async () => (await environment.compileAsync(ordinaryRule)).programAsync();
  const small = new Map([
    ['s', 'abc'],
    ['d', fromJson([1, 2, 3])],
  ]);
  const program = await compile();
  lines.push('', 'CPU per second, after a warm-up');
  lines.push(`rules compiled:  ${await rate(compile)}`);
  lines.push(`rules evaluated: ${await rate(() => program.evaluateAsync(small))}`);
  return `${lines.join('\n')}\n`;
}

/** Returns how many operations fit in a second of CPU time. */
async function rate(operation: () => unknown): Promise<string> {
  const count = 3000;
  for (let i = 0; i < count; i++) await operation();
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) await operation();
  const { user, system } = process.cpuUsage(before);
  return Math.round((count * 1e6) / (user + system)).toLocaleString('en');
}
