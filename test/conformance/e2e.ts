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
  /** Of the log and the report. */
  readonly title: string;
  readonly names: readonly string[];
  /** How many tests at a time. */
  readonly procs: number;
  readonly kubeconfig: string;
  readonly logs: string;
  /** Called when a test has ended. */
  readonly onProgress: (ended: number, failed: number) => void;
  /** Ends the run early; it rejects then. */
  readonly signal: AbortSignal;
}

/** A test that hangs ends by its own time limits; this is for all of them together. */
const suiteTimeout = '6h';
const stopGraceMs = 5_000;

/** Runs these tests and no others, and tells how each ended. */
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
    // 1 says that tests failed; the report says which.
    if (status !== 0 && status !== 1) throw new Error(`ginkgo ended with ${status}; see ${log}`);
  } finally {
    run.signal.removeEventListener('abort', stop);
    await group.stop(stopGraceMs);
  }
  const text: GinkgoReport = JSON.parse(readFileSync(join(run.logs, report), 'utf8'));
  return readReport(text, run.names);
}

/** A pattern that matches these tests and no others: ginkgo puts the suite's name before a test's. */
export function focusOn(names: readonly string[]): string {
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return ` (${escaped.join('|')})$`;
}

/** Ginkgo prints a dot when a test ends, many in a line, and a line of its own if it failed. */
export class ProgressCount {
  #ended = 0;
  #failed = 0;
  /** The line that has not ended yet, if it is one of dots. */
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
    // Of other lines the first letter is enough to know them by.
    this.#line = /^•/.test(this.#line + text) ? this.#line + text : (this.#line + text).slice(0, 1);
    if (!this.#line.startsWith('•')) return;
    this.#ended += text.split('•').length - 1;
    if (!hadFailed && failedLine.test(this.#line)) this.#failed++;
  }
}

const failedLine = /^• \[(FAILED|PANICKED|TIMEDOUT|INTERRUPTED)\]/;
