/**
 * `npm run ambient`: fails where product code takes its time, its chance or the event loop from the process instead of getting
 * them as parameters: `Clock`, `Random`, `EventLoop` of `@coxswain/apimachinery`. Whatever may be otherwise is listed in
 * `ambient.json`, each with its reason; so a whole cluster can run under one seed but for what stands there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is taken from the process: `machine` stands for the implementations over it, where nobody could hand in another. */
export type AmbientKind = 'time' | 'turns' | 'random' | 'machine';

interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Exception {
  /** A file, or a folder with a slash at its end, from the root of the repository. */
  readonly path: string;
  readonly kinds: readonly AmbientKind[];
  readonly reason: string;
}

const patterns: readonly (readonly [AmbientKind, RegExp])[] = [
  ['time', /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b|\bAbortSignal\.timeout\b/g],
  ['time', /(?<![.\w#])set(?:Timeout|Interval)\((?!\w+: )/g],
  ['time', /['"]node:timers\/promises['"]/g],
  ['turns', /(?<![.\w#'])setImmediate\b/g],
  ['random', /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/g],
  // A default is a parameter: `clock = systemClock`, `options.clock ?? systemClock`.
  ['machine', /(?<!(?:=|\?\?) )\bsystem(?:Clock|Random|EventLoop)\b/g],
];

const isTest = (path: string): boolean => /\.test(?:-data)?\.ts$|\/testing\//.test(path);

/** What a file takes from the process, each kind with its first words. */
export function ambientUses(text: string): Map<AmbientKind, string> {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(?<![:'"`])\/\/.*$/gm, '')
    .replace(/^(?:import|export) [^;]*? from '(?!node:timers)[^']*';$/gm, '');
  const found = new Map<AmbientKind, string>();
  for (const [kind, pattern] of patterns) {
    const [match] = code.matchAll(pattern);
    if (match && !found.has(kind)) found.set(kind, match[0]);
  }
  return found;
}

/** The breaches, as sentences; none when all is well. An exception that nothing needs is one. */
export function checkAmbient(files: readonly SourceFile[], exceptions: readonly Exception[]): string[] {
  const problems: string[] = [];
  const needed = new Set<string>();
  for (const { path, text } of files) {
    if (isTest(path)) continue;
    for (const [kind, words] of ambientUses(text)) {
      const exception = exceptions.find(
        (one) => one.kinds.includes(kind) && (one.path.endsWith('/') ? path.startsWith(one.path) : path === one.path),
      );
      if (exception) needed.add(`${exception.path} ${kind}`);
      else problems.push(`${path}: ${words} is not a parameter (${kind}, scripts/ambient.json)`);
    }
  }
  for (const { path, kinds, reason } of exceptions) {
    if (reason === '') problems.push(`ambient.json gives no reason for ${path}`);
    for (const kind of kinds)
      if (!needed.has(`${path} ${kind}`)) problems.push(`ambient.json lets ${path} take ${kind}, and it takes none`);
  }
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const { exceptions } = JSON.parse(readFileSync(join(root, 'scripts', 'ambient.json'), 'utf8')) as {
    readonly exceptions: readonly Exception[];
  };
  const files = readdirSync(join(root, 'packages')).flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ path: join('packages', name, 'src', file), text: '' })),
  );
  const problems = checkAmbient(
    files.map(({ path }) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    exceptions,
  );
  for (const problem of problems) console.error(problem);
  console.log(
    problems.length === 0
      ? `time and chance are parameters in ${files.length} files, with ${exceptions.length} exceptions`
      : `${problems.length} breaches of ambient.json`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
