import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcessGroup } from './process-group.ts';
import { type GinkgoReport, readReport } from './report.ts';
import type { Outcomes } from './results.ts';

export interface Programs {
  readonly ginkgo: string;
  readonly 'e2e.test': string;
  readonly kubectl: string;
}

export interface E2eRun {
  /** The name of the log and the report. */
  readonly title: string;
  readonly names: readonly string[];
  /** The number of concurrent tests. */
  readonly procs: number;
  readonly kubeconfig: string;
  readonly logs: string;
  /** Called when a test has ended. */
  readonly onProgress: (ended: number, failed: number) => void;
  /** Ends the run early; it rejects then. */
  readonly signal: AbortSignal;
}

/** Each test has its own timeout; this is the timeout of all tests together. */
const suiteTimeout = '6h';
const stopGraceMs = 5_000;

/** Runs exactly these tests, and returns their outcomes. */
export async function runE2e(programs: Programs, run: E2eRun): Promise<Outcomes> {
  run.signal.throwIfAborted();
  const report = `${run.title}.json`;
  const count = new ProgressCount(run.onProgress);
  const args = [
    `--procs=${run.procs}`,
    `--focus=${focusOn(run.names)}`,
    `--timeout=${suiteTimeout}`,
    '--no-color',
    '--silence-skips',
    `--json-report=${report}`,
    `--output-dir=${run.logs}`,
    programs['e2e.test'],
    '--',
    '--provider=skeleton',
    `--kubeconfig=${run.kubeconfig}`,
    `--kubectl-path=${programs.kubectl}`,
    '--disable-log-dump',
  ];
  const log = join(run.logs, `${run.title}.log`);
  const group = new ProcessGroup(programs.ginkgo, args, { log, onOutput: (text) => count.read(text) });
  const stop = () => void group.stop(stopGraceMs);
  run.signal.addEventListener('abort', stop);
  try {
    const status = await group.ended;
    run.signal.throwIfAborted();
    // Status 1 means that tests failed; the report has the details.
    if (status !== 0 && status !== 1) throw new Error(`ginkgo ended with ${status}; see ${log}`);
  } finally {
    run.signal.removeEventListener('abort', stop);
    await group.stop(stopGraceMs);
  }
  const text: GinkgoReport = JSON.parse(readFileSync(join(run.logs, report), 'utf8'));
  return readReport(text, run.names);
}

/** Returns a pattern that matches exactly these tests: ginkgo puts the suite's name before a test's. */
export function focusOn(names: readonly string[]): string {
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return ` (${escaped.join('|')})$`;
}

/**
 * Counts finished tests in ginkgo's output: it prints a dot for each test, many per line, and a separate line for a
 * failed one.
 */
export class ProgressCount {
  #ended = 0;
  #failed = 0;
  /** The incomplete last line, if it is one of dots. */
  #line = '';
  readonly #onProgress: (ended: number, failed: number) => void;

  constructor(onProgress: (ended: number, failed: number) => void) {
    this.#onProgress = onProgress;
  }

  read(text: string): void {
    const before = this.#ended;
    const [rest, ...lines] = text.split('\n');
    this.#extend(rest!);
    for (const line of lines) {
      this.#line = '';
      this.#extend(line);
    }
    if (this.#ended !== before) this.#onProgress(this.#ended, this.#failed);
  }

  #extend(text: string): void {
    const hadFailed = failedLine.test(this.#line);
    // For other lines the first character is enough.
    this.#line = /^•/.test(this.#line + text) ? this.#line + text : (this.#line + text).slice(0, 1);
    if (!this.#line.startsWith('•')) return;
    this.#ended += text.split('•').length - 1;
    if (!hadFailed && failedLine.test(this.#line)) this.#failed++;
  }
}

const failedLine = /^• \[(FAILED|PANICKED|TIMEDOUT|INTERRUPTED)\]/;
