/**
 * `npm run ambient`: fails where product code uses the process's time, randomness or event loop directly instead of getting them as
 * parameters (`Clock`, `Random`, `EventLoop` of `@coxswain/apimachinery`). The exceptions are listed in `ambient.json`, each with its
 * reason. So a whole cluster is deterministic with one seed, except for those parts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What a file uses directly. `machine` stands for the system implementations of the interfaces, used without a parameter to replace them.
 */
export type AmbientKind = 'time' | 'turns' | 'random' | 'machine';

interface SourceFile {
  /** The path, relative to the root of the repository. */
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
  // A default value is allowed: `clock = systemClock`, `options.clock ?? systemClock`.
  ['machine', /(?<!(?:=|\?\?) )\bsystem(?:Clock|Random|EventLoop)\b/g],
];

const isTest = (path: string): boolean => /\.test(?:-data)?\.ts$|\/testing\//.test(path);

/** Returns the kinds that a file uses directly, each with the first match. */
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

/** Returns the violations as messages. An exception that is not needed is a violation. */
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
      else problems.push(`${path}: ${words} must be a parameter (${kind}, scripts/ambient.json)`);
    }
  }
  for (const { path, kinds, reason } of exceptions) {
    if (reason === '') problems.push(`ambient.json has no reason for ${path}`);
    for (const kind of kinds)
      if (!needed.has(`${path} ${kind}`))
        problems.push(`ambient.json has an exception for ${kind} in ${path} that is not needed`);
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
      ? `time and randomness are parameters in ${files.length} files, with ${exceptions.length} exceptions`
      : `${problems.length} violations of ambient.json`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
