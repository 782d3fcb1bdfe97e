import { bundledName, bundledTests } from './bundle-tests.ts';
import type { Suite } from './suites.ts';

export interface JobOptions {
  /** Tests wait this many times as long as on a machine that does not emulate its processor. */
  readonly timeFactor: number;
  /** The most seconds of a suite. */
  readonly suiteSeconds: number;
}

/** How a suite has ended. */
export interface SuiteResult {
  readonly name: string;
  /** The exit status; 124 if the time was over. */
  readonly status: number;
  readonly seconds: number;
}

/** Returns the bash script that runs suites in the guest, and writes a line to the port `results` at the end of each. */
export function jobScript(suites: readonly Suite[], { timeFactor, suiteSeconds }: JobOptions): string {
  return [
    `export COXSWAIN_TIME_FACTOR=${timeFactor} COXSWAIN_REQUIRE_CONTAINERD=1 NO_COLOR=1`,
    'suite() {',
    '  local began=$SECONDS',
    '  echo "=== $1"',
    `  timeout --kill-after=10 ${suiteSeconds} bash -c "$2"`,
    '  echo "$1 $? $((SECONDS - began))" > "$results"',
    '}',
    ...suites.map((suite) => `suite ${quoted(suite.name)} ${quoted(commandOf(suite))}`),
    '',
  ].join('\n');
}

/** Runs the bundled tests, and prints the titles of all. */
function commandOf({ tests = [], environment = {}, command }: Suite): string {
  if (command !== undefined) return command;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const paths = tests.map((test) => `${bundledTests.directory}/${bundledName(test)}`);
  const vitest = ['node node_modules/vitest/vitest.mjs run --reporter=verbose', '--config', bundledTests.config];
  return [...variables, ...vitest, ...paths].join(' ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Reads what the guest has written to the port `results`. */
export function readResults(text: string): SuiteResult[] {
  return text
    .split('\n')
    .map((line) => /^(\S+) (\d+) (\d+)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = '', status, seconds]) => ({ name, status: Number(status), seconds: Number(seconds) }));
}
